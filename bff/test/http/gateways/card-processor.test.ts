import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { clp } from "../../../src/contract/vocabulary/clp.ts";
import type { OrderId } from "../../../src/contract/vocabulary/identifiers.ts";
import type { CardProcessor, RegisteredCard, ReturnOutcome } from "../../../src/gateways/card-processor.ts";
import type { GatewayCall } from "../../../src/gateways/gateway-call.ts";
import { withoutDrawnNames } from "../../without-drawn-names.ts";
import {
  callOf,
  cardFor,
  later,
  newOrderId,
  next,
  type StartedGateways,
  seal,
  startGateways,
  WAYS,
} from "./start-gateways.ts";

let started: StartedGateways;
beforeAll(async () => {
  started = await startGateways();
});
afterAll(() => started.stop());

const amount = clp(13_500);

describe.each(WAYS)("a card processor: %s", (way) => {
  let processor: CardProcessor;
  beforeAll(() => {
    processor = started.parties(way).cardProcessor;
  });

  async function register(number: string, call: GatewayCall = callOf(), order: OrderId = newOrderId()) {
    const sealedCard = await seal(await processor.sealingKey(), cardFor(order, call.at, { number }));
    return { call, order, outcome: await processor.registerCard(call, { sealedCard, orderHash: order }) };
  }

  async function registered(number: string, call?: GatewayCall) {
    const { outcome, ...rest } = await register(number, call);
    if (outcome.outcome !== "registered") throw new Error(`The card was not registered: ${outcome.outcome}.`);
    return { ...rest, card: outcome.card };
  }

  const chargeOf = (card: RegisteredCard, order: OrderId) =>
    ({
      cardId: card.id,
      amount,
      orderHash: order,
      initiator: "patient",
      authenticationId: null,
      initialChargeId: null,
    }) as const;

  /** The outcomes of consecutive charges of one card: first by the patient, then by the merchant. */
  async function charges(number: string, times: number) {
    const { card, order, call } = await registered(number);
    const outcomes = [];
    for (let time = 0; time < times; time += 1) {
      const initiator = time === 0 ? ("patient" as const) : ("merchant" as const);
      outcomes.push(await processor.charge(next(call, time), { ...chargeOf(card, order), initiator }));
    }
    return { outcomes, movements: await movementsOf(call) };
  }

  const movementsOf = (call: GatewayCall) =>
    processor.listMovements(call.providerId, call.at, new Date(call.at.getTime() + 86_400_000));

  describe("a sealed card", () => {
    it("is registered with the details that may be shown", async () => {
      const { outcome } = await register("4051885600446623");
      expect(outcome).toEqual({
        outcome: "registered",
        card: {
          id: expect.any(String),
          brand: "visa",
          last4: "6623",
          expMonth: 12,
          expYear: 2029,
          holderName: "CAMILA ROJAS",
          kind: "credit",
        },
      });
    });

    it("is registered once per key", async () => {
      const order = newOrderId();
      const call = callOf();
      const sealedCard = await seal(await processor.sealingKey(), cardFor(order, call.at));
      const [first, second] = await Promise.all([
        processor.registerCard(call, { sealedCard, orderHash: order }),
        processor.registerCard(call, { sealedCard, orderHash: order }),
      ]);
      expect(first.outcome).toBe("registered");
      expect(second).toEqual(first);
    });

    describe("on the processor's own page", () => {
      const opening = (order: OrderId) => ({
        sealedCard: null,
        orderHash: order,
        returnUrl: "https://widget.example.com/",
      });
      const press = (url: string, fields: Record<string, string>) =>
        fetch(url, { method: "POST", body: new URLSearchParams(fields), redirect: "manual" });
      const card = { number: "4051 8842 3993 7763", expiry: "12/29", cvc: "123", holder_name: "CAMILA ROJAS" };

      async function opened() {
        const call = callOf({ at: started.clock.now() });
        const order = newOrderId();
        const outcome = await processor.registerCard(call, opening(order));
        if (outcome.outcome !== "page") throw new Error(`There is no page: ${outcome.outcome}.`);
        return { call, order, outcome, inquire: () => processor.inquireRegistration(call) };
      }

      it("is answered under its key, and repeats and inquiries return the same page", async () => {
        expect(await processor.cardPage()).toBe("also");
        const { call, order, outcome, inquire } = await opened();
        expect(outcome.expiresAt > started.clock.now()).toBe(true);
        expect(await processor.registerCard(call, opening(order))).toEqual(outcome);
        expect(await inquire()).toEqual(outcome);
        expect(await processor.registerCard(call, opening(newOrderId()))).toEqual({ outcome: "unknown" });
      });

      it("a card entered there is reported by inquiry, permanently", async () => {
        const { call, order, outcome, inquire } = await opened();
        expect((await press(outcome.url, { choice: "register", ...card })).status).toBe(303);
        const result = await inquire();
        expect(result).toMatchObject({ outcome: "registered", card: { last4: "7763", kind: "debit", expYear: 2029 } });
        await press(outcome.url, { choice: "register", ...card, number: "4051885600446623" });
        await press(outcome.url, { choice: "cancel" });
        expect(await inquire()).toEqual(result);
        expect(await processor.registerCard(call, opening(order))).toEqual(result);
        if (result.outcome !== "registered") throw new Error("The card was not registered.");
        const charging = { cardId: result.card.id, amount, orderHash: order, initiator: "patient" } as const;
        const charged = await processor.charge(next(call), {
          ...charging,
          authenticationId: null,
          initialChargeId: null,
        });
        expect(charged.outcome).toBe("captured");
      });

      it.each([
        ["left", { choice: "cancel" }, { outcome: "page_abandoned" }],
        [
          "declined",
          { choice: "register", ...card, number: "4051885600000024" },
          { outcome: "declined", reason: "card_expired" },
        ],
      ])("an ended page reports %s, and registers nothing afterwards", async (_what, fields, expected) => {
        const { outcome, inquire } = await opened();
        await press(outcome.url, fields);
        await press(outcome.url, { choice: "register", ...card });
        expect(await inquire()).toEqual(expected);
      });

      it("an invalid card is asked for again, and its number is not repeated on the page", async () => {
        const { outcome, inquire } = await opened();
        const answer = await press(outcome.url, { choice: "register", ...card, number: "4051 8842" });
        expect(answer.status).toBe(422);
        const html = await answer.text();
        expect(html).toContain("Revisa los datos de tu tarjeta");
        expect(withoutDrawnNames(html)).not.toContain("4051");
        expect(await inquire()).toEqual(outcome);
        expect((await press(outcome.url, { choice: "approve" })).status).toBe(404);
        expect((await fetch(`${new URL(outcome.url).origin}/card/unknown`)).status).toBe(404);
      });

      it("an inquiry's not_found is binding: a later call with its key opens nothing", async () => {
        const call = callOf({ at: started.clock.now() });
        expect(await processor.inquireRegistration(later(call, 30))).toEqual({ outcome: "not_found" });
        expect(await processor.registerCard(call, opening(newOrderId()))).toEqual({ outcome: "unknown" });
      });
    });

    it.each([
      ["debit", "4051884239937763", { kind: "debit", brand: "visa" }],
      ["prepaid", "4051886000056590", { kind: "prepaid", brand: "visa" }],
      ["American Express", "370000000002032", { kind: "credit", brand: "amex" }],
      ["one that fails Luhn and is good all the same", "4511346660037060", { kind: "debit", last4: "7060" }],
      ["one that the catalogue does not name", "5105105105105100", { kind: "credit", brand: "mastercard" }],
    ])("reports its kind: %s", async (_name, number, expected) => {
      const { outcome } = await register(number);
      expect(outcome).toMatchObject({ outcome: "registered", card: expected });
    });

    it.each([
      ["expired by the catalogue", "4051885600000024", {}, "card_expired"],
      ["expired by its date", "4051885600446623", { exp_month: 10, exp_year: 2026 }, "card_expired"],
      ["with a wrong security code", "4051885600000099", {}, "security_code_wrong"],
      ["of no issuer, failing Luhn", "4051885600446624", {}, "declined"],
    ])("is declined when it is added: %s", async (_name, number, overrides, reason) => {
      const order = newOrderId();
      const call = callOf();
      const sealedCard = await seal(await processor.sealingKey(), cardFor(order, call.at, { number, ...overrides }));
      expect(await processor.registerCard(call, { sealedCard, orderHash: order })).toEqual({
        outcome: "declined",
        reason,
      });
    });

    it("is valid until the end of its printed month", async () => {
      const order = newOrderId();
      const call = callOf({ at: new Date("2026-11-30T23:59:59Z") });
      const sealedCard = await seal(
        await processor.sealingKey(),
        cardFor(order, call.at, { exp_month: 11, exp_year: 2026 }),
      );
      expect((await processor.registerCard(call, { sealedCard, orderHash: order })).outcome).toBe("registered");
    });
  });

  describe("a charge", () => {
    it("has no effect if it arrives after an inquiry found nothing, and is captured when made again", async () => {
      const { card, order, call } = await registered("4051885600446623");
      const sent = next(call);
      const asked = later(sent, 10);
      expect(await processor.inquireCharge(asked)).toEqual({ outcome: "not_found" });
      expect(await processor.charge(sent, chargeOf(card, order))).toEqual({ outcome: "unknown" });
      expect(await processor.inquireCharge(asked)).toEqual({ outcome: "not_found" });
      expect(await movementsOf(call)).toEqual([]);
      expect(await processor.charge(asked, chargeOf(card, order))).toMatchObject({ outcome: "captured" });
      expect(await movementsOf(call)).toHaveLength(1);
    });

    it("is captured, and returned again under its key without a second capture", async () => {
      const { card, order, call } = await registered("4051885600446623");
      const charging = next(call);
      const outcomes = await Promise.all([
        processor.charge(charging, chargeOf(card, order)),
        processor.charge(charging, chargeOf(card, order)),
        processor.charge(charging, chargeOf(card, order)),
      ]);
      expect(outcomes[0]).toMatchObject({ outcome: "captured", amount });
      expect(new Set(outcomes.map((outcome) => JSON.stringify(outcome))).size).toBe(1);
      expect(await processor.inquireCharge(later(charging, 10))).toEqual(outcomes[0]);
      expect(await movementsOf(call)).toHaveLength(1);
    });

    it("comes with its voucher, which is the same in the answer, the inquiry and the list", async () => {
      const { card, order, call } = await registered("4051885600446623");
      const charging = next(call);
      const result = await processor.charge(charging, chargeOf(card, order));
      if (result.outcome !== "captured") expect.fail(result.outcome);
      const { buyOrder, storeCode, authorisationCode, instalments, networkTransactionId } = result;
      expect({ instalments, authorisationCode, networkTransactionId }).toEqual({
        instalments: 0,
        authorisationCode: expect.stringMatching(/^S\d{5}$/),
        networkTransactionId: expect.stringMatching(/^0\d{14}$/),
      });
      expect(await processor.inquireCharge(later(charging, 10))).toEqual(result);
      expect(await movementsOf(call)).toMatchObject([{ kind: "charge", buyOrder, storeCode, authorisationCode }]);
      const returning = next(call, 60);
      const back = { chargeId: result.chargeId, amount: clp(500), orderHash: order };
      const returned = await processor.returnCharge(returning, back);
      // The return has the same `buyOrder`, and a separate authorisation code.
      expect(returned).toMatchObject({ buyOrder, storeCode, authorisationCode: expect.stringMatching(/^S\d{5}$/) });
      if (returned.outcome !== "returned") expect.fail(returned.outcome);
      expect(returned.authorisationCode).not.toBe(authorisationCode);
      expect(await processor.inquireReturn(later(returning, 10))).toEqual(returned);
      expect((await movementsOf(call))[1]).toMatchObject({
        kind: "return",
        buyOrder,
        storeCode,
        authorisationCode: returned.authorisationCode,
      });
    });

    it("moves nothing if its key was used for something else", async () => {
      const { card, order, call } = await registered("4051885600446623");
      const charging = next(call);
      await processor.charge(charging, chargeOf(card, order));
      const other = await processor.charge(charging, { ...chargeOf(card, order), amount: clp(1) });
      expect(other).toEqual({ outcome: "unknown" });
      expect(await movementsOf(call)).toMatchObject([{ amount }]);
    });

    it("is not found if it never arrived", async () => {
      expect(await processor.inquireCharge(callOf())).toEqual({ outcome: "not_found" });
    });

    it("is declined for another provider's card, and its inquiry finds nothing", async () => {
      const { card, order, call } = await registered("4051885600446623");
      const foreign = callOf();
      expect(await processor.charge(foreign, chargeOf(card, order))).toMatchObject({ outcome: "declined" });
      expect(await processor.inquireCharge({ ...foreign, providerId: call.providerId })).toEqual({
        outcome: "not_found",
      });
    });

    it.each([
      ["declined", "5186059559590568", { reason: "declined", hard: false }],
      ["no funds", "4051885600000016", { reason: "insufficient_funds", hard: false }],
      ["stolen", "4051885600000032", { reason: "card_lost_or_stolen", hard: true }],
      ["blocked", "4051885600000107", { reason: "card_blocked", hard: true }],
    ])("is declined: %s", async (_name, number, expected) => {
      const { outcomes, movements } = await charges(number, 1);
      expect(outcomes).toEqual([{ outcome: "declined", ...expected }]);
      expect(movements).toEqual([]);
    });

    it("is declined once the card has expired", async () => {
      const { card, order, call } = await registered("4051885600446623");
      const charging = { ...next(call), at: new Date("2030-01-01T00:00:00Z") };
      expect(await processor.charge(charging, chargeOf(card, order))).toEqual({
        outcome: "declined",
        reason: "card_expired",
        hard: true,
      });
    });

    it("is captured the first time and declined later", async () => {
      const { outcomes } = await charges("4051885600000065", 3);
      expect(outcomes).toMatchObject([
        { outcome: "captured" },
        { outcome: "declined", hard: false },
        { outcome: "declined", hard: false },
      ]);
    });

    it("is captured the first time, declined twice, and captured again", async () => {
      const { outcomes } = await charges("5186059550000013", 4);
      expect(outcomes.map(({ outcome }) => outcome)).toEqual(["captured", "declined", "declined", "captured"]);
    });

    it("is captured the first time, and then always declined", async () => {
      const { outcomes } = await charges("5186059550000021", 2);
      expect(outcomes[1]).toEqual({ outcome: "declined", reason: "card_lost_or_stolen", hard: true });
    });

    it("was captured although its answer is lost, as an inquiry and a repeat show", async () => {
      const { card, order, call } = await registered("4051885600000073");
      const charging = next(call);
      expect(await processor.charge(charging, chargeOf(card, order))).toEqual({ outcome: "unknown" });
      const result = await processor.inquireCharge(later(charging, 10));
      expect(result).toMatchObject({ outcome: "captured", amount });
      expect(await processor.charge(later(charging, 20), chargeOf(card, order))).toEqual(result);
      expect(await movementsOf(call)).toHaveLength(1);
    });

    it("was not captured if it is lost on the way, and may be made again", async () => {
      const { card, order, call } = await registered("4051885600000081");
      const charging = next(call);
      expect(await processor.charge(charging, chargeOf(card, order))).toEqual({ outcome: "unknown" });
      expect(await processor.inquireCharge(later(charging, 10))).toEqual({ outcome: "not_found" });
      expect(await movementsOf(call)).toEqual([]);
      expect(await processor.charge(later(charging, 20), chargeOf(card, order))).toMatchObject({ outcome: "captured" });
    });
  });

  describe("strong authentication", () => {
    const authentication = (card: RegisteredCard, order: OrderId) => ({
      cardId: card.id,
      amount,
      orderHash: order,
      purpose: "payment" as const,
      returnUrl: "https://widget.example.com/return",
    });

    async function challenged(number: string) {
      const { card, order, call } = await registered(number);
      const authenticating = next(call);
      const outcome = await processor.authenticate(authenticating, authentication(card, order));
      if (outcome.outcome !== "challenge") throw new Error(`There is no challenge: ${outcome.outcome}.`);
      return { card, order, call, authenticating, challenge: outcome };
    }

    const press = (url: string, choice: string) =>
      fetch(url, { method: "POST", body: new URLSearchParams({ choice }), redirect: "manual" });

    it("is not required if the issuer does not ask for it", async () => {
      const { card, order, call } = await registered("4051885600446623");
      expect(await processor.authenticate(next(call), authentication(card, order))).toEqual({ outcome: "not_needed" });
    });

    it("is a challenge on the processor's own origin, requested once", async () => {
      const { card, order, authenticating, challenge } = await challenged("4051885600000040");
      expect(challenge.url.startsWith(`${processor.challengeOrigin}/`)).toBe(true);
      expect(challenge.expiresAt).toEqual(new Date(authenticating.at.getTime() + 10 * 60_000));
      expect(await processor.authenticate(authenticating, authentication(card, order))).toEqual(challenge);
      expect(await processor.inquireAuthentication(later(authenticating, 5))).toEqual(challenge);
    });

    it("lets the charge through when the patient approves, for that payment only", async () => {
      const { card, order, call, authenticating, challenge } = await challenged("4051885600000040");
      const { authenticationId } = challenge;
      const charging = { ...chargeOf(card, order), authenticationId };
      expect(await processor.charge(next(call), charging)).toMatchObject({
        outcome: "declined",
        reason: "authentication_failed",
      });
      await press(challenge.url, "approve");
      expect(await processor.inquireAuthentication(later(authenticating, 30))).toEqual({
        outcome: "authenticated",
        authenticationId,
        networkTransactionId: expect.stringMatching(/^0\d{14}$/),
      });
      expect(await processor.charge(next(call), { ...charging, amount: clp(99_000) })).toMatchObject({
        outcome: "declined",
      });
      expect(await processor.charge(next(call), charging)).toMatchObject({ outcome: "captured" });
    });

    it("is required for a card of a later charge, which must name exactly that authentication", async () => {
      const { card, order, call } = await registered("4051885600000040");
      const authenticating = next(call);
      const mandate = { ...authentication(card, order), purpose: "mandate" as const };
      const asked = await processor.authenticate(authenticating, mandate);
      if (asked.outcome !== "challenge") expect.fail(asked.outcome);
      const { authenticationId, url } = asked;
      const charging = { ...chargeOf(card, order), initiator: "merchant" as const };
      const refused = { outcome: "declined", reason: "authentication_failed" };
      expect(await processor.charge(next(call), { ...charging, authenticationId })).toMatchObject(refused);
      await press(url, "approve");
      const given = await processor.inquireAuthentication(later(authenticating, 30));
      if (given.outcome !== "authenticated") expect.fail(given.outcome);
      const { networkTransactionId: initialNetworkTransactionId } = given;
      expect(await processor.charge(next(call, 1), charging)).toMatchObject(refused);
      const byPatient = { ...charging, authenticationId, initiator: "patient" as const };
      expect(await processor.charge(next(call, 2), byPatient)).toMatchObject(refused);
      const named = { ...charging, authenticationId };
      const misnamed = { ...named, initialNetworkTransactionId: "another" };
      expect(await processor.charge(next(call, 3), misnamed)).toMatchObject(refused);
      for (const [time, input] of [named, { ...named, initialNetworkTransactionId }].entries())
        expect(await processor.charge(next(call, time + 4), input)).toMatchObject({ outcome: "captured" });
    });

    it("is not required for a merchant's charge that names the patient's own charge of exactly that card", async () => {
      const { card, order, call, authenticating, challenge } = await challenged("4051885600000040");
      await press(challenge.url, "approve");
      await processor.inquireAuthentication(later(authenticating, 30));
      const { authenticationId } = challenge;
      const first = await processor.charge(next(call), { ...chargeOf(card, order), authenticationId });
      if (first.outcome !== "captured") expect.fail(first.outcome);
      const another = await registered("4051885600446623");
      const foreign = await processor.charge(next(another.call), chargeOf(another.card, another.order));
      if (foreign.outcome !== "captured") expect.fail(foreign.outcome);
      const charging = { ...chargeOf(card, order), initiator: "merchant" as const };
      for (const [time, initialChargeId] of [null, foreign.chargeId].entries()) {
        const outcome = await processor.charge(next(call, time + 1), { ...charging, initialChargeId });
        expect(outcome).toMatchObject({ outcome: "declined", reason: "authentication_failed" });
      }
      const naming = { ...charging, initialChargeId: first.chargeId };
      const misnamed = { ...naming, initialNetworkTransactionId: "another" };
      expect(await processor.charge(next(call, 4), misnamed)).toMatchObject({ outcome: "declined" });
      const { networkTransactionId: initialNetworkTransactionId } = first;
      for (const [time, input] of [naming, { ...naming, initialNetworkTransactionId }].entries())
        expect(await processor.charge(next(call, time + 5), input)).toMatchObject({ outcome: "captured" });
    });

    it.each([
      ["rejects", "4051885600000040", "reject", "authentication_failed"],
      ["cancels", "4051885600000040", "cancel", "authentication_abandoned"],
      ["approves, but the bank does not believe it", "4051885600000057", "approve", "authentication_failed"],
    ])("is declined when the patient %s", async (_name, number, choice, reason) => {
      const { authenticating, challenge } = await challenged(number);
      await press(challenge.url, choice);
      expect(await processor.inquireAuthentication(later(authenticating, 30))).toEqual({ outcome: "declined", reason });
    });

    it("is abandoned when it expires, and stays abandoned", async () => {
      const { authenticating, challenge } = await challenged("4051885600000040");
      const abandoned = { outcome: "declined", reason: "authentication_abandoned" };
      expect(await processor.inquireAuthentication(later(authenticating, 599))).toEqual(challenge);
      expect(await processor.inquireAuthentication(later(authenticating, 600))).toEqual(abandoned);
      await press(challenge.url, "approve");
      expect(await processor.inquireAuthentication(later(authenticating, 601))).toEqual(abandoned);
    });

    it("is not found if it was never requested", async () => {
      expect(await processor.inquireAuthentication(callOf())).toEqual({ outcome: "not_found" });
    });
  });

  it.each([
    ["4051885600000248", "uses", clp(500)],
    ["4051885600000230", "amount", clp(25_001)],
  ])("the card %s is declined for its limit of %s, and not permanently", async (number, limit, beyond) => {
    const { card, order, call } = await registered(number);
    const within = await processor.charge(next(call), { ...chargeOf(card, order), amount: clp(25_000) });
    expect(within.outcome).toBe("captured");
    const declined = await processor.charge(next(call), { ...chargeOf(card, order), amount: beyond });
    expect(declined).toEqual({ outcome: "declined", reason: "declined", limit, hard: false });
  });

  describe("a return", () => {
    async function captured(number: string) {
      const { card, order, call } = await registered(number);
      const outcome = await processor.charge(next(call), chargeOf(card, order));
      if (outcome.outcome !== "captured") throw new Error(`The charge was not captured: ${outcome.outcome}.`);
      return { order, call, chargeId: outcome.chargeId };
    }

    const DAY_SECONDS = 86_400;

    it.each([
      ["4051885600000206", "returned"],
      ["4051885600000214", "refused"],
    ])("is pending for the card %s under one id, ends once, and then %s", async (number, end) => {
      const { order, call, chargeId } = await captured(number);
      const [returning, input] = [next(call, 60), { chargeId, amount: clp(500), orderHash: order }];
      const pending = await processor.returnCharge(returning, input);
      expect(pending).toEqual({ outcome: "pending", returnId: expect.any(String), endsBy: expect.any(Date) });
      expect(await processor.inquireReturn(later(returning, DAY_SECONDS))).toEqual(pending);
      expect(await processor.returnCharge(later(returning, DAY_SECONDS), input)).toEqual(pending);
      const ended = await processor.inquireReturn(later(returning, 2 * DAY_SECONDS));
      const { returnId } = pending as Extract<ReturnOutcome, { outcome: "pending" }>;
      expect(ended).toMatchObject(end === "returned" ? { outcome: end, returnId, amount: 500 } : { outcome: end });
      expect(await processor.returnCharge(later(returning, 9 * DAY_SECONDS), input)).toEqual(ended);
      expect((await movementsOf(call)).map(({ kind }) => kind)).toEqual(["charge"]);
      const all = await processor.listMovements(call.providerId, call.at, later(call, 9 * DAY_SECONDS).at);
      expect(all.map(({ kind }) => kind)).toEqual(end === "returned" ? ["charge", "return"] : ["charge"]);
      if (ended.outcome === "returned") expect(all[1]).toMatchObject({ authorisationCode: ended.authorisationCode });
    });

    it("is refused if the charge is too old", async () => {
      const { order, call, chargeId } = await captured("4051885600000222");
      const input = { chargeId, amount: clp(500), orderHash: order };
      expect(await processor.returnCharge(next(call), input)).toEqual({ outcome: "refused", reason: "too_old" });
    });

    it("returns to the card once per key, and an inquiry finds it", async () => {
      const { order, call, chargeId } = await captured("4051885600446623");
      const returning = next(call, 60);
      const input = { chargeId, amount: clp(500), orderHash: order };
      const first = await processor.returnCharge(returning, input);
      expect(first).toMatchObject({ outcome: "returned", amount: 500 });
      expect(await processor.returnCharge(returning, input)).toEqual(first);
      expect(await processor.inquireReturn(returning)).toEqual(first);
      expect(await processor.inquireReturn(next(returning))).toEqual({ outcome: "not_found" });
      expect(await movementsOf(call)).toMatchObject([
        { kind: "charge", chargeId, amount, orderHash: order },
        { kind: "return", chargeId, amount: 500, orderHash: order, idempotencyKey: returning.idempotencyKey },
      ]);
    });

    it("is refused beyond the captured amount, even with concurrent returns", async () => {
      const { order, call, chargeId } = await captured("4051885600446623");
      const outcomes = await Promise.all(
        Array.from({ length: 8 }, () =>
          processor.returnCharge(next(call), { chargeId, amount: clp(5_000), orderHash: order }),
        ),
      );
      expect(outcomes.filter(({ outcome }) => outcome === "returned")).toHaveLength(2);
      expect(outcomes.filter(({ outcome }) => outcome === "refused")).toHaveLength(6);
    });

    it.each(["4051884239937763", "4051886000056590"])(
      "must be complete for a debit or prepaid card: %s",
      async (number) => {
        const { order, call, chargeId } = await captured(number);
        const part = { chargeId, amount: clp(500), orderHash: order };
        expect(await processor.returnCharge(next(call), part)).toEqual({ outcome: "refused" });
        expect(await processor.returnCharge(next(call), { ...part, amount })).toMatchObject({ outcome: "returned" });
      },
    );

    it("is refused for another order's charge, and for another provider's", async () => {
      const { order, call, chargeId } = await captured("4051885600446623");
      const input = { chargeId, amount, orderHash: newOrderId() };
      expect(await processor.returnCharge(next(call), input)).toEqual({ outcome: "refused" });
      expect(await processor.returnCharge(callOf(), { ...input, orderHash: order })).toEqual({ outcome: "refused" });
    });
  });

  describe("the list of movements", () => {
    it("has one provider's lines in [from, to), oldest first", async () => {
      const { card, order, call } = await registered("4051885600446623");
      for (const second of [3, 1, 2]) await processor.charge(next(call, second), chargeOf(card, order));
      const at = (second: number) => later(call, second).at;
      const list = await processor.listMovements(call.providerId, at(1), at(3));
      expect(list.map((movement) => movement.at)).toEqual([at(1), at(2)]);
      expect(await processor.listMovements(callOf().providerId, at(0), at(9))).toEqual([]);
    });
  });
});
