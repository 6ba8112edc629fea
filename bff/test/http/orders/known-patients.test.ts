import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { replaceFaults } from "../../../sandbox/calls/gateway-call-store.ts";
import { readNotifications } from "../../../sandbox/read-notifications.ts";
import { readOrderId } from "../../../src/contract/vocabulary/identifiers.ts";
import { parseRut } from "../../../src/contract/vocabulary/rut.ts";
import { endTrust } from "../../../src/orders/saved-cards.ts";
import { inTransaction } from "../../../src/platform/database/transaction.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { untilTestEnds } from "../../put-back.ts";
import { registerPatient } from "../../registered-patient.ts";
import { rowsOfOrder } from "../../rows-of-order.ts";
import { startBff, type TestBff } from "../../start-bff.ts";
import { auditOf } from "../audit-of.ts";
import { cardFor, seal } from "../gateways/start-gateways.ts";
import { checkoutOf, NO_HASH } from "./checkout.ts";
import { DAY_MS, type KnownPatients, knownPatientsOf, MINUTE_MS, toKeep } from "./known-patients-world.ts";
import { CARDS, PATIENTS, present } from "./orders-world.ts";

const RUT = PATIENTS.good;

let bff: TestBff;
beforeAll(async () => {
  bff = await startBff();
});
afterAll(() => bff.close());

let at: KnownPatients;
beforeEach(async () => {
  await bff.forgetTimers();
  at = await knownPatientsOf(bff);
});

describe("a card is saved", () => {
  it("if its request came with the card that paid, not with one that came too late for the order", async () => {
    const hash = await at.checkout.newOrder();
    await at.checkout.identify(hash);
    expect((await at.addCard(hash, toKeep)).status).toBe(200);
    const consents = () => at.db.selectFrom("consents").select("id").where("purpose", "=", "saved_card").execute();
    const before = await consents();
    const { cardProcessor } = bff.context.parties;
    const register = cardProcessor.registerCard.bind(cardProcessor);
    vi.spyOn(cardProcessor, "registerCard").mockImplementationOnce(async (...given) => {
      expect((await at.checkout.pay(hash)).body.payment.status).toBe("succeeded");
      return register(...given);
    });
    expect((await at.addCard(hash, toKeep, CARDS.debit)).status).toBe(409);
    expect(await consents()).toEqual(before);
    await bff.runDue();
    expect(await at.rows()).toMatchObject([{ state: "saved", last4: "6623" }]);
  });

  it("once it has paid the order whose patient asked for it, and the patient is notified", async () => {
    const hash = await at.checkout.newOrder();
    await at.checkout.identify(hash);
    await at.addCard(hash, toKeep);
    await bff.runDue();
    expect(await at.kept()).toEqual([]);
    await at.checkout.pay(hash);
    await bff.runDue();
    expect(await at.kept()).toMatchObject([{ last4: "6623", brand: "visa" }]);
    expect(await at.rows()).toMatchObject([{ state: "saved", order_id: hash, last4: "6623" }]);
    const mails = await at.mails();
    const mail = mails.find(({ subject }) => subject === "Guardamos tu tarjeta");
    // The mail says to remove the card from that page.
    expect(mail?.text).toMatch(/^Ver mi pago: http/m);
    const consents = await at.db.selectFrom("consents").select("purpose").where("rut", "=", RUT).execute();
    expect(consents.map(({ purpose }) => purpose)).toContain("saved_card");
  });

  it.each([
    ["without the consent", []],
    ["with the consent to another text", [{ ...present(toKeep[0]), text_sha256: "0".repeat(64) }]],
  ])("never %s", async (_name, consents) => {
    const hash = await at.checkout.newOrder();
    await at.checkout.identify(hash);
    await at.addCard(hash, toKeep);
    await at.addCard(hash, consents);
    await at.checkout.pay(hash);
    await bff.runDue();
    expect([await at.rows(), await at.kept()]).toEqual([[], []]);
  });

  it("never for a patient unknown to the clinic, who can still pay", async () => {
    const hash = await at.checkout.newOrder({ rut: parseRut("12345678-5") });
    await at.checkout.identify(hash);
    expect((await at.addCard(hash, toKeep)).status).toBe(200);
    expect((await at.checkout.pay(hash)).body.payment.status).toBe("succeeded");
    await bff.runDue();
    expect([await at.rows(), await at.kept()]).toEqual([[], []]);
  });

  it("never if the clinic does not offer it or the order is cancelled; requests on other orders stay", async () => {
    const off = await bff.createProvider();
    const there = checkoutOf({ ...bff, clinic: off });
    await registerPatient({ ...bff, database: bff.database }, off, { rut: RUT });
    const hash = await there.newOrder();
    await there.identify(hash);
    const card = cardFor(present(readOrderId(hash)), bff.clock.now(), {});
    const sealed_card = await seal(await there.sandbox.cardProcessor.sealingKey(), card);
    await there.call("addPaymentMethod", hash, { body: { sealed_card, consents: toKeep } });
    expect(
      await at.db
        .selectFrom("saved_cards")
        .select("id")
        .where("order_id", "=", present(readOrderId(hash)))
        .execute(),
    ).toEqual([]);

    const [cancelled, otherOrder] = [await at.checkout.newOrder(), await at.checkout.newOrder()];
    for (const each of [cancelled, otherOrder]) {
      await at.checkout.identify(each);
      await at.addCard(each, toKeep);
    }
    expect(await at.rows()).toHaveLength(2);
    await at.checkout.call("cancelOrder", cancelled, { body: {} });
    await bff.runDue();
    const asked = await at.rows();
    expect(asked).toMatchObject([{ state: "asked", order_id: otherOrder }]);
    await at.paidAndKept();
    const rows = await at.rows();
    expect(rows.map(({ state }) => state).toSorted()).toEqual(["asked", "saved"]);
    expect(rows).toEqual(expect.arrayContaining(asked));
  });

  it.each(["fail_before", "fail_after", "twice", "slow"] as const)(
    "once and removed once, despite failures of the processor: %s",
    async (kind) => {
      const fault = (method: string) => ({ party: "card-processor" as const, method, kind, calls: 1 });
      const providerId = at.clinic.provider.id;
      await inTransaction(at.db, (tx) => replaceFaults(tx, providerId, [fault("keepCard"), fault("forgetCard")]));
      await at.paidAndKept();
      at.pass(DAY_MS);
      await bff.runDue();
      expect(await at.kept()).toHaveLength(1);
      await inTransaction(at.db, (tx) => endTrust(tx, bff, at.patient, bff.clock.now()));
      await bff.runDue();
      at.pass(DAY_MS);
      await bff.runDue();
      expect([await at.rows(), await at.kept()]).toEqual([[], []]);
    },
  );

  it.each([
    ["that keeps it", "fail_after", 1],
    ["that was never asked, and never will be", "fail_before", 0],
  ] as const)("temporarily if it was removed before the answer of a processor %s", async (_, kind, calls) => {
    await at.fault("keepCard", kind);
    const keepCard = untilTestEnds(vi.spyOn(bff.context.parties.cardProcessor, "keepCard"));
    await at.paidAndKept();
    expect(await at.rows()).toMatchObject([{ state: "saving" }]);
    const opened = await at.openData();
    await inTransaction(at.db, (tx) => endTrust(tx, bff, at.patient, bff.clock.now()));
    // A card that the processor may not have kept is hidden from the patient.
    expect((await at.inData("readPatientData", opened)).body.saved_cards).toEqual([]);
    at.pass(DAY_MS);
    await bff.runDue();
    expect([await at.rows(), await at.kept()]).toEqual([[], []]);
    const kept = at.db.selectFrom("sandbox_calls").select("operation").where("operation", "=", "keepCard");
    const ofClinic = kept.where("provider_id", "=", at.clinic.provider.id).where("answer", "is not", null);
    expect(await ofClinic.execute()).toHaveLength(calls);
    // A request that may have arrived is inquired about, not repeated.
    expect(keepCard).toHaveBeenCalledTimes(1);
    expect((await at.mails()).map(({ subject }) => subject)).not.toContain("Guardamos tu tarjeta");
  });
});

it("a card is saved before its order releases it, whatever the processor's failures", async () => {
  await at.fault("keepCard", "fail_before");
  const hash = await at.paidAndKept();
  expect((await at.checkout.refund(hash)).body.status).toBe("refunded");
  await bff.runDue();
  expect([await at.kept(), await cardsOf(hash)]).toEqual([[], ["6623 there"]]);
  await bff.advance(10 * MINUTE_MS);
  expect(await at.kept()).toHaveLength(1);
  expect([await at.rows(), await cardsOf(hash)]).toMatchObject([[{ state: "saved" }], ["6623 removed"]]);
});

it("saving and removing one card do not delay other removals at the processor", async () => {
  const [hash, otherOrder] = [await at.checkout.newOrder(), await at.checkout.newOrder()];
  for (const each of [hash, otherOrder]) {
    await at.checkout.identify(each);
    await at.addCard(each, [], CARDS.debit);
  }
  const failing = { party: "card-processor" as const, kind: "fail_before" as const };
  const faults = [
    { ...failing, method: "keepCard", calls: 100 },
    { ...failing, method: "removeCard", calls: 2 },
  ];
  await inTransaction(at.db, (tx) => replaceFaults(tx, at.clinic.provider.id, faults));
  await at.addCard(hash, toKeep);
  await at.addCard(otherOrder, []);
  await at.checkout.pay(hash);
  await bff.runDue();
  // As if the processor used one card id on two orders.
  await sql`update card_removals set card_id = (select card_id from saved_cards where order_id = ${hash})
    where order_id = ${otherOrder}`.execute(at.db);
  await bff.advance(MINUTE_MS);
  const removals = at.db.selectFrom("card_removals").select("state").where("provider_id", "=", at.clinic.provider.id);
  expect(await removals.execute()).toEqual([{ state: "removed" }, { state: "removed" }]);
  expect(await at.rows()).toMatchObject([{ state: "saving" }]);
  expect((await cardsOf(hash)).toSorted()).toEqual(["6623 there", "7763 removed"]);

  await at.fault("forgetCard", "fail_before", 100);
  await bff.advance(60 * MINUTE_MS);
  await inTransaction(at.db, (tx) => endTrust(tx, bff, at.patient, bff.clock.now()));
  await at.checkout.refund(hash);
  await bff.runDue();
  expect(await at.rows()).toMatchObject([{ state: "removing" }]);
  expect((await cardsOf(hash)).toSorted()).toEqual(["6623 removed", "7763 removed"]);
});

/** The state of an order's cards at the processor. */
async function cardsOf(hash: string): Promise<string[]> {
  const orderId = present(readOrderId(hash));
  const rows = at.db.selectFrom("sandbox_cards").select(["last4", "removed_at"]).where("order_hash", "=", orderId);
  return (await rows.execute()).map(({ last4, removed_at }) => `${last4} ${removed_at === null ? "there" : "removed"}`);
}

describe("a known patient", () => {
  it("gets no code if it would have expired before mail and message could be sent", async () => {
    await at.paidAndKept();
    const before = await at.codes();
    const lost = (method: string) => ({ party: "messenger" as const, method, kind: "fail_before" as const, calls: 1 });
    await inTransaction(at.db, (tx) =>
      replaceFaults(tx, at.clinic.provider.id, [lost("sendEmail"), lost("sendMessage")]),
    );
    expect((await at.start(await at.checkout.newOrder())).status).toBe(202);
    // A code exists, but none was sent yet.
    await bff.runDue();
    expect(await at.codes()).toEqual(before);
    at.pass(10 * MINUTE_MS);
    await bff.runDue();
    expect(await at.codes()).toEqual(before);
  });

  it("pays with a code and one press", async () => {
    await at.paidAndKept();
    const hash = await at.checkout.newOrder();
    const code = present(await at.codeFor(hash));
    const { status, body } = await at.verify(hash, code);
    expect(status).toBe(200);
    expect(body.cards).toEqual([
      { id: expect.any(String), brand: "visa", last4: "6623", exp_month: 12, exp_year: 2029 },
    ]);
    expect(body.order.readiness).toEqual({ identity_validated: true, payment_method_added: true });
    expect((await at.checkout.pay(hash)).body.payment.status).toBe("succeeded");
  });

  it("gets the same answer again with the same code, in case it was lost, and may choose another card", async () => {
    await at.paidAndKept();
    at.pass(DAY_MS);
    await at.paidAndKept(CARDS.debit);
    const hash = await at.checkout.newOrder();
    const code = present(await at.codeFor(hash));
    const first = await at.verify(hash, code);
    const again = await at.verify(hash, code);
    expect([first.status, again.status]).toEqual([200, 200]);
    expect(again.body.cards.map(({ last4 }: { last4: string }) => last4)).toEqual(["7763", "6623"]);
    expect(again.body.order.payment_method.last4).toBe("7763");
    const chosen = await at.chooseCard(hash, again.body.cards[1].id);
    expect(chosen.body.order.payment_method.last4).toBe("6623");
  });

  it("may give another card instead without loss, even if the saved card is removed then", async () => {
    await at.paidAndKept();
    const { hash, body } = await at.recognised();
    // A patient who asked to save a typed card and then chooses the saved one no longer asks for anything.
    await at.addCard(hash, toKeep, CARDS.debit);
    expect(await at.rows()).toHaveLength(2);
    expect((await at.useCard(hash, body.cards[0].id)).status).toBe(200);
    expect(await at.rows()).toMatchObject([{ state: "saved", last4: "6623" }]);
    expect((await at.addCard(hash, [], CARDS.debit)).body.payment_method.last4).toBe("7763");
    await at.inData("removeSavedCard", await at.openData(), { saved_card: body.cards[0].id });
    expect((await at.checkout.pay(hash)).body.order.payment_method.last4).toBe("7763");
  });

  it("gets no card that is removed during its registration for the order, even if others have cards", async () => {
    await (await knownPatientsOf(bff)).paidAndKept();
    await at.paidAndKept();
    const { hash, body } = await at.recognised();
    const [{ id }] = body.cards;
    const opened = await at.openData();
    const { cardProcessor } = bff.context.parties;
    const register = cardProcessor.registerStoredCard.bind(cardProcessor);
    vi.spyOn(cardProcessor, "registerStoredCard").mockImplementationOnce(async (...given) => {
      await at.inData("removeSavedCard", opened, { saved_card: id });
      return register(...given);
    });
    expect((await at.useCard(hash, id)).body.code).toBe("stored_card_refused");
    expect((await at.checkout.read(hash)).readiness).toMatchObject({ payment_method_added: false });
  });

  it("is notified once of a saved card's first use at another clinic, and never of a typed card", async () => {
    await at.paidAndKept();
    const [saved] = await at.rows();
    const clinic = await bff.createProvider({ knownPatients: true });
    const [there, { provider }] = [checkoutOf({ ...bff, clinic }), clinic];
    /**
     * As if clinics shared patients: an order that this card paid, and for which the saved card may have been chosen.
     */
    const paidThere = async ({ cardId, chosenFor }: { cardId?: string; chosenFor?: string } = {}) => {
      const hash = await there.readyOrder();
      const order = at.db.selectFrom("orders").select(sql<string>`card ->> 'id'`.as("card_id")).where("id", "=", hash);
      const { card_id } = await order.executeTakeFirstOrThrow();
      const use = { card_id: cardId ?? card_id, used_at: bff.clock.now(), saved_card_id: present(saved).id };
      await at.db
        .insertInto("saved_card_uses")
        .values({ provider_id: provider.id, order_id: present(readOrderId(chosenFor ?? hash)), ...use })
        .execute();
      expect((await there.pay(hash)).body.payment.status).toBe("succeeded");
      await bff.runDue();
      const mails = await readNotifications(bff.database, { providerId: provider.id, to: null, limit: 100 });
      return mails.filter(({ subject }) => subject === `Pagaste en ${provider.name} con tu tarjeta guardada`);
    };
    expect(await paidThere({ cardId: "the-saved-one" })).toEqual([]);
    // As if the processor gave a typed card the id of another order's saved card.
    expect(await paidThere({ chosenFor: await there.newOrder() })).toEqual([]);
    const notices = [
      { to: at.patient.email, text: expect.stringMatching(/^Camila, pagaste por primera vez.*\nVer mi pago: http/s) },
    ];
    expect(await paidThere()).toMatchObject(notices);
    expect(await paidThere()).toMatchObject(notices);
    expect((await at.mails()).filter(({ subject }) => subject.startsWith("Pagaste en"))).toEqual([]);
  });

  it("must validate the document again after half a year, and then gets the card", async () => {
    await at.paidAndKept();
    at.pass(181 * DAY_MS);
    const hash = await at.checkout.newOrder();
    const { body } = await at.verify(hash, present(await at.codeFor(hash)));
    expect(body.order.readiness).toEqual({ identity_validated: false, payment_method_added: false });
    await at.checkout.identify(hash);
    expect((await at.useCard(hash, body.cards[0].id)).status).toBe(200);
  });

  it("types a card if the processor does not answer, or no longer keeps the card", async () => {
    await at.paidAndKept();
    const silent = {
      party: "card-processor" as const,
      method: "listKeptCards",
      kind: "fail_before" as const,
      calls: 1,
    };
    await inTransaction(at.db, (tx) => replaceFaults(tx, at.clinic.provider.id, [silent]));
    const hash = await at.checkout.newOrder();
    const code = present(await at.codeFor(hash));
    expect((await at.verify(hash, code)).body).toMatchObject({
      cards: [],
      order: { readiness: { identity_validated: true, payment_method_added: false } },
    });
    const { body } = await at.verify(hash, code);
    const [card] = await at.kept();
    const call = { providerId: at.clinic.provider.id, idempotencyKey: systemIds.uuid(), at: bff.clock.now() };
    const gone = { storedCardId: present(card).storedCardId, customer: at.patient.id };
    await at.checkout.sandbox.cardProcessor.forgetCard(call, gone);
    expect((await at.useCard(hash, body.cards[0].id)).body).toMatchObject({ code: "stored_card_refused" });
    await bff.runDue();
    expect(await at.rows()).toEqual([]);
  });
});

it("409 order_not_payable for an order that can no longer be paid", async () => {
  const hash = await at.checkout.newOrder();
  await at.checkout.call("cancelOrder", hash, { body: {} });
  for (const answer of [await at.start(hash), await at.verify(hash, "123456")])
    expect([answer.status, answer.body.code]).toEqual([409, "order_not_payable"]);
});

it("404 order_not_found for an unknown order, and for another clinic's", async () => {
  const other = await bff.createProvider({ knownPatients: true });
  const foreign = (await checkoutOf({ ...bff, clinic: other }).create()).body.hash;
  for (const hash of [NO_HASH, foreign])
    for (const answer of [await at.start(hash), await at.verify(hash, "123456")]) {
      expect(answer.status).toBe(404);
      expect(answer.body.detail.error_code).toBe("order_not_found");
    }
});

/** The actor in the audit trail of the patient's actions. */
const ofPatient = () => ({ actor: "patient", credential_id: null, provider_id: at.clinic.provider.id });

describe("the patient's data page", () => {
  it("shows where a card was saved and used, and removes it", async () => {
    const saved = await at.paidAndKept();
    const { hash: used } = await at.recognised();
    await at.checkout.pay(used);
    at.pass(MINUTE_MS);
    const { hash: chosen } = await at.recognised();
    const opened = await at.openData();
    const { saved_cards: cards } = (await at.inData("readPatientData", opened)).body;
    const { name } = at.clinic.provider;
    const uses = [used, chosen].map((order_token) => ({ order_token, provider: name }));
    const paidWithIt = await rowsOfOrder(at.db, used);
    expect(cards).toMatchObject([{ last4: "6623", provider: name, removing: false, uses }]);
    expect(saved).not.toBe(used);
    await at.fault("forgetCard", "fail_before");
    for (const _twice of [1, 2])
      expect((await at.inData("removeSavedCard", opened, { saved_card: cards[0].id })).body).toEqual({
        status: "removed",
      });
    const rows = (await auditOf(at.db, at.patient.id)).filter(({ act }) => act.endsWith("card_removed"));
    expect(rows).toEqual([
      {
        act: "patient_data.saved_card_removed",
        ...ofPatient(),
        subject_kind: "beneficiary",
        subject_id: at.patient.id,
        details: { saved_card: cards[0].id },
      },
    ]);
    // Orders that it has paid stay unchanged.
    expect(await rowsOfOrder(at.db, used)).toEqual(paidWithIt);
    await bff.runDue();
    // The patient sees the pending removal until the processor confirms it.
    const shown = async () => (await at.inData("readPatientData", opened)).body.saved_cards;
    expect(await shown()).toMatchObject([{ last4: "6623", removing: true }]);
    at.pass(MINUTE_MS);
    await bff.runDue();
    expect(await shown()).toEqual([]);
    expect(await at.kept()).toEqual([]);
  });

  it("removes one card, of this patient only: other cards stay, saved or requested, with their orders", async () => {
    const other = await knownPatientsOf(bff);
    for (const each of [at, other]) {
      await each.paidAndKept();
      at.pass(DAY_MS);
      await each.paidAndKept(CARDS.debit);
    }
    const chosenBy = async (each: KnownPatients, last4: string) => {
      const { hash, body } = await each.recognised();
      const { id } = body.cards.find((card: { last4: string }) => card.last4 === last4);
      expect((await each.chooseCard(hash, id)).status).toBe(200);
      return hash;
    };
    const orders = async (each: KnownPatients) => [await chosenBy(each, "6623"), await chosenBy(each, "7763")];
    const chosen = { own: await orders(at), other: await orders(other) };
    for (const each of [at, other]) {
      const asked = await each.checkout.newOrder();
      await each.checkout.identify(asked);
      await each.addCard(asked, toKeep, CARDS.prepaid);
    }
    const held = async (each: KnownPatients) =>
      (await each.rows()).map(({ last4, state }) => `${last4} ${state}`).toSorted();
    // Read from the row, because no answer about an order names the chosen saved card.
    const cardsOn = (...hashes: readonly string[]) =>
      Promise.all(
        hashes.map(async (hash) => {
          const order = at.db
            .selectFrom("orders")
            .select(sql<string | null>`card ->> 'last4'`.as("last4"))
            .where("id", "=", present(readOrderId(hash)));
          return (await order.executeTakeFirstOrThrow()).last4;
        }),
      );
    const all = ["6623 saved", "7763 saved", `${CARDS.prepaid.slice(-4)} asked`].toSorted();
    expect([await held(at), await held(other)]).toEqual([all, all]);
    expect(await cardsOn(...chosen.own)).toEqual(["6623", "7763"]);

    const opened = await at.openData();
    const { saved_cards: cards } = (await at.inData("readPatientData", opened)).body;
    const { id } = cards.find((card: { last4: string }) => card.last4 === "6623");
    expect((await at.inData("removeSavedCard", opened, { saved_card: id })).status).toBe(200);
    await bff.runDue();
    expect(await held(at)).toEqual(all.filter((card) => card !== "6623 saved"));
    expect(await cardsOn(...chosen.own)).toEqual([null, "7763"]);

    expect((await at.inData("withdrawConsent", opened, { purpose: "saved_card" })).status).toBe(200);
    await bff.runDue();
    expect([await held(at), await held(other)]).toEqual([[], all]);
    expect([await cardsOn(...chosen.own), await cardsOn(...chosen.other)]).toEqual([
      [null, null],
      ["6623", "7763"],
    ]);
  });
});

describe("a recognised person who denies being the patient", () => {
  const disown = async (hash: string) => {
    const { status, body } = await at.checkout.call("disownRecognition", hash, { body: {} });
    const { readiness, payment_method: card } = body.order ?? {};
    return { status, code: body.code, readiness, card };
  };
  const AS_FOR_ANYBODY = {
    status: 200,
    readiness: { identity_validated: false, payment_method_added: false },
    card: null,
  };

  it("continues without recognition: document and card are requested, and code and saved card are void", async () => {
    await at.paidAndKept();
    const { hash: otherOrder } = await at.recognised();
    const hash = await at.checkout.newOrder();
    const code = present(await at.codeFor(hash));
    const [card] = (await at.verify(hash, code)).body.cards;
    // As if the processor used one card id on two orders.
    const [one, other] = [present(readOrderId(hash)), present(readOrderId(otherOrder))];
    await sql`update orders set card = (select card from orders where id = ${one}) where id = ${other}`.execute(at.db);
    await sql`update saved_card_uses set card_id = (select card_id from saved_card_uses where order_id = ${one})
      where order_id = ${other}`.execute(at.db);
    const otherBefore = await rowsOfOrder(at.db, otherOrder);
    for (const _again of [1, 2]) expect(await disown(hash)).toMatchObject(AS_FOR_ANYBODY);
    expect(await rowsOfOrder(at.db, otherOrder)).toEqual(otherBefore);
    const removals = at.db.selectFrom("card_removals").select(["order_id", "state"]);
    const ofClinic = removals.where("provider_id", "=", at.clinic.provider.id);
    expect(await ofClinic.execute()).toEqual([{ order_id: hash, state: "removing" }]);
    expect((await at.verify(hash, code)).body.code).toBe("recovery_code_expired");
    expect((await at.checkout.pay(hash)).body.code).toBe("processor_customer_identity_not_validated");
    await at.checkout.identify(hash);
    expect((await at.useCard(hash, card.id)).body.code).toBe("stored_card_refused");
    expect((await at.addCard(hash, [])).status).toBe(200);
    expect((await at.checkout.pay(hash)).body.payment.status).toBe("succeeded");
    const rows = (await auditOf(at.db, hash)).filter(({ act }) => act.startsWith("patient."));
    const by = { ...ofPatient(), subject_kind: "order", subject_id: hash };
    expect(rows).toEqual([
      { act: "patient.disowned", ...by, details: {} },
      { act: "patient.recognised", ...by, details: { identity: true } },
    ]);
  });

  it("keeps the document and card typed for this order", async () => {
    await at.paidAndKept();
    const { hash } = await at.recognised();
    await at.checkout.identify(hash);
    await at.addCard(hash, []);
    expect(await disown(hash)).toMatchObject({
      status: 200,
      readiness: { identity_validated: true, payment_method_added: true },
      card: { last4: "6623" },
    });
  });

  it("cannot remove anything from an order during or after its payment", async () => {
    await at.paidAndKept(CARDS.challenge);
    const { hash } = await at.recognised();
    const { payment } = (await at.checkout.pay(hash)).body;
    expect(await disown(hash)).toMatchObject({ status: 409, code: "payment_in_progress" });
    await at.checkout.press(payment.action.url, "approve");
    expect((await at.checkout.pay(hash)).body.payment.status).toBe("succeeded");
    expect(await disown(hash)).toMatchObject({ status: 409, code: "order_not_payable" });
  });
});
