import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { answerChallenge } from "../../../sandbox/card-processor/challenge.ts";
import { deadlineOf } from "../../../src/collection/collection.ts";
import { quoteSchema } from "../../../src/contract/quote.ts";
import { firstChargeId } from "../../../src/orders/derived-ids.ts";
import { moveOrder } from "../../../src/orders/lifecycle/move-order.ts";
import type { OrderRecord } from "../../../src/orders/order-record.ts";
import { consentFigures, consentTexts, fillConsent } from "../../../src/patients/consent-texts.ts";
import { findConsents } from "../../../src/patients/consents.ts";
import { inTransaction } from "../../../src/platform/database/transaction.ts";
import { addCalendarDays, santiagoDay, santiagoMoment } from "../../../src/platform/santiago-time.ts";
import { Died } from "../../died.ts";
import { rowsOfOrder } from "../../rows-of-order.ts";
import { hanging, held, openGate, passWhileHanging, timed } from "./hanging-call.ts";
import {
  acceptedConsents,
  CARDS,
  expectSoundBooks,
  fault,
  type OrdersWorld,
  type Overrides,
  PATIENTS,
  present,
  startOrdersWorld,
  watchedGateways,
} from "./orders-world.ts";

let world: OrdersWorld;
beforeAll(async () => {
  world = await startOrdersWorld();
});
afterAll(() => world.stop());

/** The parties, with a list of the calls made to them. */
function heard() {
  const calls: string[] = [];
  const overrides = watchedGateways(world.sandbox, (method, moment) => {
    if (moment === "before") calls.push(method);
  });
  return { calls, overrides };
}

const kindsOf = (events: readonly { kind: string }[]) => events.map(({ kind }) => kind);

/** The quote that a paid order was paid with, and when it was accepted. */
async function acceptedWith({ orderId }: OrderRecord) {
  const attempts = world.database.db.selectFrom("payment_attempts").select(["quote", "started_at"]);
  const paid = attempts.where("order_id", "=", orderId).where("state", "=", "succeeded");
  const { quote, started_at: at } = await paid.executeTakeFirstOrThrow();
  return { quote: quoteSchema.parse(quote), at };
}

describe("a successful payment", () => {
  it("captures the first instalment, confirms the loan, and marks the order paid with one event", async () => {
    const order = await world.readyOrder(world.newProvider());
    expect((await world.pay(order)).payment).toEqual({ status: "succeeded" });
    expect(await world.show(order)).toMatchObject({
      status: "paid",
      paid_amount: 40_000,
      pending_amount: 0,
      captured_amount: 12_000,
      plan: {
        data: { installments: [{ status: "captured" }, { status: "scheduled", latest_due_date: "2027-01-05" }] },
      },
      payments: [{ kind: "first", status: "captured", amount: 12_000, returned_amount: 0 }],
    });
    const events = await world.events(order);
    expect(kindsOf(events)).toEqual(["order.paid"]);
    expect(events[0]?.payload).toMatchObject({ order_hash: order.orderId, status: "paid", order: { status: "paid" } });
    await expectSoundBooks(world, order);
  });

  it("calls each party once, without inquiries", async () => {
    const order = await world.readyOrder(world.newProvider());
    const { calls, overrides } = heard();
    expect((await world.pay(order, { overrides })).payment.status).toBe("succeeded");
    expect(calls).toEqual(["chargeLimits", "authoriseLoan", "authenticate", "charge", "confirmLoan"]);
  });

  it("stores the quote and each consent as shown", async () => {
    const order = await world.paidOrder(world.newProvider());
    const { db } = world.database;
    const [attempt] = await db
      .selectFrom("payment_attempts")
      .selectAll()
      .where("order_id", "=", order.orderId)
      .execute();
    const quote = quoteSchema.parse(attempt?.quote);
    expect(quote).toMatchObject({ total: 40_000, today: 12_000, later_charge: 30_800 });
    const consents = await findConsents(db, { rut: order.customer.rut, providerId: order.providerId });
    expect(consents.map(({ purpose, text }) => ({ purpose, text }))).toEqual(
      expect.arrayContaining(
        consentTexts("es-CL", "payment").map((wording) => {
          const { purpose, text } = fillConsent(wording, consentFigures(quote, "es-CL"));
          return { purpose, text };
        }),
      ),
    );
    expect(consents.map(({ text }) => text).join()).toMatch(/\$30\.800: .* 5 de enero de 2027/);
    expect(consents[0]).toMatchObject({
      orderId: order.orderId,
      embeddingOrigin: "https://clinic.test",
      shownAt: new Date("2026-11-21T14:59:00Z"),
    });
  });

  it("stores the quote and agreement of the successful payment, not of an earlier attempt or another order", async () => {
    const provider = world.newProvider();
    const { db } = world.database;
    // The sequence of ids is random: for one order the failed attempt's id is the smaller one, for the other the
    // payment's.
    const orders: OrderRecord[] = [];
    for (const isTriedFirst of [true, false]) {
      let order = await world.createOrder(provider, { total: 40_000 });
      while (firstChargeId(order.orderId, 1) < firstChargeId(order.orderId, 2) !== isTriedFirst)
        order = await world.createOrder(provider, { total: 40_000 });
      const validated = { identity_validated_at: world.clock.now() };
      await db.updateTable("orders").set(validated).where("id", "=", order.orderId).execute();
      await world.addCard(await world.reload(order), CARDS.declined);
      await expect(world.pay(order)).rejects.toMatchObject({ code: "card_declined" });
      world.clock.advance(24 * 3_600_000);
      await world.addCard(await world.reload(order), CARDS.approved);
      await world.pay(order);
      orders.push(order);
    }
    for (const order of orders) {
      const { plan } = await world.show(order);
      const { latest_due_date } = plan.data.installments[1];
      const accepted = await acceptedWith(order);
      expect(accepted.quote).toMatchObject({ latest_due_date });
      expect(accepted.at).toEqual((await world.reload(order)).paidAt);
    }
  });

  it("leaves another order unchanged, even if the processor names both cards the same", async () => {
    const provider = world.newProvider();
    const [order, otherOrder] = [await world.readyOrder(provider), await world.readyOrder(provider)];
    const { db } = world.database;
    const card = JSON.stringify(order.card);
    await db.updateTable("orders").set({ card }).where("id", "=", otherOrder.orderId).execute();
    const before = await rowsOfOrder(db, otherOrder.orderId);
    expect((await world.pay(order)).payment.status).toBe("succeeded");
    expect(await rowsOfOrder(db, otherOrder.orderId)).toEqual(before);
  });

  it("is returned again, not repeated, at a second request", async () => {
    const order = await world.paidOrder(world.newProvider());
    expect((await world.pay(order)).payment).toEqual({ status: "succeeded" });
    expect((await world.reload(order)).payments).toHaveLength(1);
    await expectSoundBooks(world, order);
  });

  it("rolls back if the work of other rooms in its transaction fails", async () => {
    const order = await world.readyOrder(world.newProvider());
    const within = () => Promise.reject(new Error("on purpose"));
    await expect(world.pay(order, { overrides: { within } })).rejects.toThrow("on purpose");
    expect((await world.reload(order)).state).toBe("paying");
    expect(await world.events(order)).toEqual([]);
    await world.pass(60);
    expect((await world.reload(order)).state).toBe("paid");
    await expectSoundBooks(world, order);
  });

  it("is made once for twenty concurrent requests", async () => {
    const order = await world.readyOrder(world.newProvider());
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => world.pay(order, { key: `key ${index}` })),
    );
    for (const { payment } of answers) expect(["succeeded", "processing"]).toContain(payment.status);
    await world.pass(15);
    const after = await world.reload(order);
    expect(after.state).toBe("paid");
    expect(after.payments).toHaveLength(1);
    await expectSoundBooks(world, order);
  });
});

describe("missing steps before a payment", () => {
  it("are reported in the order in which the patient can complete them", async () => {
    const provider = world.newProvider();
    const order = await world.createOrder(provider);
    await expect(world.pay(order)).rejects.toMatchObject({ code: "processor_customer_identity_not_validated" });
    await world.database.db
      .updateTable("orders")
      .set({ identity_validated_at: world.clock.now() })
      .where("id", "=", order.orderId)
      .execute();
    await expect(world.pay(order)).rejects.toMatchObject({ code: "processor_payment_method_not_found" });
    await world.addCard(await world.reload(order), CARDS.approved);
    await expect(world.pay(order, { consents: [] })).rejects.toMatchObject({ code: "consents_missing" });
    await expect(world.pay(order, { consents: acceptedConsents.slice(1) })).rejects.toMatchObject({
      code: "consents_missing",
    });
    expect((await world.reload(order)).payments).toEqual([]);
  });

  it.each([0, 1])("a total of %d gives amount_too_small, whatever else is missing", async (total) => {
    const order = await world.createOrder(world.newProvider(), { total });
    await expect(world.pay(order)).rejects.toMatchObject({ code: "amount_too_small" });
  });

  it("a cancelled order gives order_not_payable", async () => {
    const order = await world.readyOrder(world.newProvider());
    const { db } = world.database;
    await inTransaction(db, (tx) =>
      moveOrder(tx, world.dependencies, order, { trigger: "cancel", at: world.clock.now() }),
    );
    await expect(world.pay(order)).rejects.toMatchObject({ code: "order_not_payable" });
  });
});

/** Runs as the last check before the attempt is created. */
function overriding(refuseCollision: () => Promise<unknown>): Overrides {
  return { patient: { ...world.dependencies.patient, refuseCollision: async () => void (await refuseCollision()) } };
}

describe("an order that changes just before its payment starts", () => {
  /** Runs once, after all checks. */
  function once(happens: () => Promise<unknown>) {
    let isFirst = true;
    return async () => {
      const isNow = isFirst;
      isFirst = false;
      if (isNow) await happens();
    };
  }

  it("is not paid if it was cancelled", async () => {
    const order = await world.readyOrder(world.newProvider());
    const refuseCollision = once(() =>
      inTransaction(world.database.db, (tx) =>
        moveOrder(tx, world.dependencies, order, { trigger: "cancel", at: world.clock.now() }),
      ),
    );
    await expect(world.pay(order, { overrides: overriding(refuseCollision) })).rejects.toMatchObject({
      code: "order_not_payable",
    });
    expect(await world.reload(order)).toMatchObject({ state: "cancelled", payments: [] });
  });

  it("is not paid if its patient's identity was reverted", async () => {
    const order = await world.readyOrder(world.newProvider());
    const orders = world.database.db.updateTable("orders").set({ identity_validated_at: null });
    const refuseCollision = once(() => orders.where("id", "=", order.orderId).execute());
    await expect(world.pay(order, { overrides: overriding(refuseCollision) })).rejects.toMatchObject({
      code: "processor_customer_identity_not_validated",
    });
    expect(await world.reload(order)).toMatchObject({ state: "awaiting_payment", payments: [] });
  });

  it("is paid with the new card if the card was replaced", async () => {
    const order = await world.readyOrder(world.newProvider());
    const { cardProcessor } = world.sandbox;
    const charged: string[] = [];
    const charge: typeof cardProcessor.charge = (call, input) => {
      charged.push(input.cardId);
      return cardProcessor.charge(call, input);
    };
    const overrides = {
      cardProcessor: { ...cardProcessor, charge },
      ...overriding(once(() => world.addCard(order, CARDS.debit))),
    };
    expect((await world.pay(order, { overrides })).payment.status).toBe("succeeded");
    const { card, payments } = await world.reload(order);
    expect(payments).toMatchObject([{ status: "captured", card: { last4: CARDS.debit.slice(-4) } }]);
    expect(charged).toEqual([present(card).id]);
  });
});

describe("a declined card", () => {
  it.each([
    [CARDS.declined, "declined"],
    [CARDS.noFunds, "insufficient_funds"],
  ])("%s cancels the loan, returns the reason, and allows another card", async (card, reason) => {
    const provider = world.newProvider();
    const order = await world.readyOrder(provider, { card });
    await expect(world.pay(order)).rejects.toMatchObject({
      code: "card_declined",
      additions: { decline_reason: reason },
    });
    expect((await world.reload(order)).state).toBe("awaiting_payment");
    expect(await world.events(order)).toEqual([]);
    await expectSoundBooks(world, order);
    await world.addCard(await world.reload(order), CARDS.approved);
    expect((await world.pay(order)).payment.status).toBe("succeeded");
    expect((await world.show(order)).payments).toMatchObject([
      { status: "declined", decline_reason: reason },
      { status: "captured", decline_reason: null },
    ]);
    await expectSoundBooks(world, order);
  });

  it("does not affect another page's attempt of the same order", async () => {
    const order = await world.readyOrder(world.newProvider(), { card: CARDS.declined });
    const declined = { code: "card_declined" };
    let isFirst = true;
    const refuseCollision = async () => {
      if (!isFirst) return;
      isFirst = false;
      await expect(world.pay(order)).rejects.toMatchObject(declined);
    };
    await expect(world.pay(order, { overrides: overriding(refuseCollision) })).rejects.toMatchObject(declined);
    expect((await world.reload(order)).payments).toMatchObject([{ status: "declined" }, { status: "declined" }]);
    await expectSoundBooks(world, order);
  });

  it("is the answer to a repeat with the same key, and is retried with a new one", async () => {
    const order = await world.readyOrder(world.newProvider(), { card: CARDS.declined });
    await expect(world.pay(order, { key: "first" })).rejects.toMatchObject({ code: "card_declined" });
    await expect(world.pay(order, { key: "first" })).rejects.toMatchObject({ code: "card_declined" });
    expect((await world.reload(order)).payments).toHaveLength(1);
    await expect(world.pay(order, { key: "second" })).rejects.toMatchObject({ code: "card_declined" });
    expect((await world.reload(order)).payments).toHaveLength(2);
    await expectSoundBooks(world, order);
  });
});

describe("a refused credit", () => {
  it("is final, stores its written reasons, takes no money, and notifies the partner once", async () => {
    const order = await world.readyOrder(world.newProvider(), { rut: PATIENTS.creditRefused });
    const refusal = { code: "credit_declined", additions: { reasons: [expect.any(String), expect.any(String)] } };
    await expect(world.pay(order)).rejects.toMatchObject({ code: "credit_declined" });
    await expect(world.pay(order, { key: "again" })).rejects.toMatchObject({ code: refusal.code });
    const view = await world.show(order);
    expect(view).toMatchObject({ status: "pending", captured_amount: 0, payments: [{ status: "failed" }] });
    const events = await world.events(order);
    expect(kindsOf(events)).toEqual(["order.failed"]);
    expect(events[0]?.payload).toMatchObject({ status: "pending", failure: { code: "credit_declined" } });
    expect(JSON.stringify(events[0]?.payload)).not.toContain("reasons");
    await expectSoundBooks(world, order);
  });

  it("is returned to a repeated request, instead of the earlier declined card", async () => {
    const order = await world.readyOrder(world.newProvider(), {
      rut: PATIENTS.confirmationRefused,
      card: CARDS.declined,
    });
    await expect(world.pay(order)).rejects.toMatchObject({ code: "card_declined" });
    await world.addCard(await world.reload(order), CARDS.approved);
    await expect(world.pay(order)).rejects.toMatchObject({ code: "credit_declined" });
    await expect(world.pay(order)).rejects.toMatchObject({ code: "credit_declined" });
  });

  it("is answered with reasons in plain words", async () => {
    const order = await world.readyOrder(world.newProvider(), { rut: PATIENTS.creditRefused });
    const error: unknown = await world.pay(order).catch((refused: unknown) => refused);
    const additions = error instanceof Error && "additions" in error ? error.additions : null;
    expect(additions).toMatchObject({ reasons: expect.arrayContaining([expect.stringMatching(/\w+ \w+/)]) });
  });

  it("after the capture returns the first instalment", async () => {
    const order = await world.readyOrder(world.newProvider(), { rut: PATIENTS.confirmationRefused });
    await expect(world.pay(order)).rejects.toMatchObject({ code: "credit_declined" });
    expect(await world.show(order)).toMatchObject({
      status: "pending",
      payments: [{ status: "undone", amount: 12_000, returned_amount: 12_000 }],
    });
    const events = await world.events(order);
    expect(events[0]?.payload).toMatchObject({ failure: { code: "confirmation_declined" } });
    await expectSoundBooks(world, order);
  });
});

describe("a loan under review", () => {
  const REVIEWED = { status: "processing", waits_for: "lender" };

  it("is inquired about by the patient's page, which learns the decision before the next timer", async () => {
    const order = await world.readyOrder(world.newProvider(), { rut: PATIENTS.reviewAuthorised });
    expect((await world.pay(order, { key: "mine" })).payment).toEqual(REVIEWED);
    const early = heard();
    expect((await world.pay(order, { key: "mine", overrides: early.overrides })).payment).toEqual(REVIEWED);
    expect(early.calls).toEqual(["inquireLoan"]);
    // After the timer at 10 seconds and the decision at 20, and before the timer at 40.
    await world.pass(12);
    await world.pass(9);
    const late = heard();
    expect((await world.pay(order, { key: "mine", overrides: late.overrides })).payment).toEqual({
      status: "succeeded",
    });
    expect(late.calls).toEqual(["inquireLoan", "authenticate", "charge", "confirmLoan"]);
    await expectSoundBooks(world, order);
  });

  it("keeps the payment processing and takes no money until it is authorized", async () => {
    const order = await world.readyOrder(world.newProvider(), { rut: PATIENTS.reviewAuthorised });
    expect((await world.pay(order)).payment).toEqual(REVIEWED);
    expect(await world.show(order)).toMatchObject({
      status: "pending",
      captured_amount: 0,
      payments: [{ status: "processing" }],
    });
    await world.pass(10);
    expect((await world.reload(order)).state).toBe("paying");
    await world.pass(60);
    expect((await world.reload(order)).state).toBe("paid");
    await expectSoundBooks(world, order);
  });

  it("is final if it ends in a refusal", async () => {
    const order = await world.readyOrder(world.newProvider(), { rut: PATIENTS.reviewRefused });
    expect((await world.pay(order, { key: "mine" })).payment).toEqual(REVIEWED);
    await world.pass(60);
    expect(kindsOf(await world.events(order))).toEqual(["order.failed"]);
    await expect(world.pay(order, { key: "mine" })).rejects.toMatchObject({ code: "credit_declined" });
    await expectSoundBooks(world, order);
  });
});

describe("strong authentication", () => {
  async function challenged() {
    const order = await world.readyOrder(world.newProvider(), { card: CARDS.challenge });
    const { payment } = await world.pay(order, { key: "mine" });
    expect(payment).toMatchObject({ status: "requires_action", action: { type: "challenge" } });
    const action = present(payment.action);
    expect(action.expires_at).toBe(new Date(world.clock.now().getTime() + 600_000).toISOString());
    return { order, challengeId: present(action.url.split("/").at(-1)) };
  }
  const press = (id: string, choice: "approve" | "reject" | "cancel") =>
    answerChallenge({ ...world.dependencies }, id, choice);

  it("continues the payment when the patient returns after success", async () => {
    const { order, challengeId } = await challenged();
    expect((await world.pay(order, { key: "mine" })).payment.status).toBe("requires_action");
    await press(challengeId, "approve");
    const { calls, overrides } = heard();
    expect((await world.pay(order, { key: "mine", overrides })).payment.status).toBe("succeeded");
    expect(calls).toEqual(["inquireAuthentication", "charge", "confirmLoan"]);
    await expectSoundBooks(world, order);
  });

  it("continues without the patient's page", async () => {
    const { order, challengeId } = await challenged();
    await press(challengeId, "approve");
    await world.pass(15);
    expect((await world.reload(order)).state).toBe("paid");
    await expectSoundBooks(world, order);
  });

  it("is inquired about on schedule, however often the patient's page polls", async () => {
    const { order } = await challenged();
    for (let asked = 0; asked < 5; asked += 1) await world.pay(order, { key: "mine" });
    const { cardProcessor } = world.sandbox;
    const { elapsed, call: inquireAuthentication } = timed(world.clock, cardProcessor.inquireAuthentication);
    await world.pass(160, { cardProcessor: { ...cardProcessor, inquireAuthentication } });
    expect(elapsed).toEqual([10, 40, 160]);
  });

  it("after a late return, a capture without an answer is inquired about within 10 s", async () => {
    const { order, challengeId } = await challenged();
    await world.pass(200);
    await press(challengeId, "approve");
    await fault(world, present(await world.dependencies.findProvider(order.providerId)), "charge", "fail_after");
    expect((await world.pay(order, { key: "mine" })).payment.status).toBe("processing");
    await world.pass(10);
    expect((await world.reload(order)).state).toBe("paid");
    await expectSoundBooks(world, order);
  });

  it("after a late return, a process that dies during the capture is replaced when its lease ends", async () => {
    const { order, challengeId } = await challenged();
    await world.pass(200);
    await press(challengeId, "approve");
    const dying = watchedGateways(world.sandbox, (method, moment) => {
      if (method === "charge" && moment === "after") throw new Died("on purpose");
    });
    await expect(world.pay(order, { key: "mine", overrides: dying })).rejects.toThrow(Died);
    await world.pass(25);
    expect((await world.reload(order)).state).toBe("paying");
    await world.pass(5);
    expect((await world.reload(order)).state).toBe("paid");
    await expectSoundBooks(world, order);
  });

  it("leads to an inquiry about an unanswered capture within 10 s, even without the patient's page", async () => {
    const { order, challengeId } = await challenged();
    await press(challengeId, "approve");
    await fault(world, present(await world.dependencies.findProvider(order.providerId)), "charge", "fail_after");
    await world.pass(10);
    expect((await world.reload(order)).state).toBe("paying");
    await world.pass(10);
    expect((await world.reload(order)).state).toBe("paid");
    await expectSoundBooks(world, order);
  });

  it("gives a declined card on failure, and cancels the loan", async () => {
    const { order, challengeId } = await challenged();
    await press(challengeId, "reject");
    await expect(world.pay(order, { key: "mine" })).rejects.toMatchObject({
      code: "card_declined",
      additions: { decline_reason: "authentication_failed" },
    });
    await expectSoundBooks(world, order);
  });

  it("is abandoned when its time ends without an answer", async () => {
    const { order } = await challenged();
    await world.pass(9 * 60);
    expect((await world.reload(order)).state).toBe("paying");
    await world.pass(70);
    expect((await world.reload(order)).state).toBe("awaiting_payment");
    await expect(world.pay(order, { key: "mine" })).rejects.toMatchObject({
      additions: { decline_reason: "authentication_abandoned" },
    });
    await expectSoundBooks(world, order);
  });

  it("continues once when twenty pages return at the same time", async () => {
    const { order, challengeId } = await challenged();
    await press(challengeId, "approve");
    await Promise.all(Array.from({ length: 20 }, () => world.pay(order, { key: "mine" })));
    await world.pass(15);
    expect((await world.reload(order)).state).toBe("paid");
    await expectSoundBooks(world, order);
  });
});

describe("a call without an answer", () => {
  const calls = ["authoriseLoan", "charge", "confirmLoan"] as const;
  const kinds = ["fail_before", "fail_after", "slow", "twice"] as const;

  it.each(calls.flatMap((method) => kinds.map((kind) => ({ method, kind }))))(
    "$method, $kind: the outcome stays unknown, never failed, and one inquiry settles it",
    async ({ method, kind }) => {
      const provider = world.newProvider();
      const order = await world.readyOrder(provider);
      await fault(world, provider, method, kind);
      const { payment } = await world.pay(order);
      expect(payment.status).toBe(kind === "twice" ? "succeeded" : "processing");
      await world.pass(kind === "slow" ? 180 : 15);
      expect((await world.reload(order)).state).toBe("paid");
      await expectSoundBooks(world, order);
    },
  );

  it.each([
    { method: "reduceLoan", card: CARDS.declined, rut: PATIENTS.good, end: "awaiting_payment" },
    { method: "returnCharge", card: CARDS.approved, rut: PATIENTS.confirmationRefused, end: "payment_failed" },
  ])(
    "in the undoing of a payment ($method): the patient learns the result when it is known",
    async ({ method, card, rut, end }) => {
      for (const kind of ["fail_before", "fail_after"] as const) {
        const provider = world.newProvider();
        const order = await world.readyOrder(provider, { card, rut });
        await fault(world, provider, method, kind);
        expect((await world.pay(order)).payment.status).toBe("processing");
        await world.pass(15);
        expect((await world.reload(order)).state).toBe(end);
        await expectSoundBooks(world, order);
      }
    },
  );

  it("is repeated with the same data, next to another of the same clinic", async () => {
    const provider = world.newProvider();
    const orders = [
      await world.readyOrder(provider, { total: 10_000 }),
      await world.readyOrder(provider, { total: 90_000 }),
    ];
    for (const order of orders) {
      await fault(world, provider, "charge", "fail_before");
      expect(await world.pay(order)).toMatchObject({ payment: { status: "processing" } });
    }
    await world.pass(60);
    const listed = await world.sandbox.cardProcessor.listMovements(provider.id, new Date(0), world.clock.now());
    expect(new Map(listed.map(({ orderHash, amount }) => [orderHash, amount]))).toEqual(
      new Map(orders.map(({ orderId, first }) => [orderId, first])),
    );
    for (const order of orders) {
      expect((await world.reload(order)).state).toBe("paid");
      const attempts = world.database.db.selectFrom("payment_attempts").select("state");
      expect(await attempts.where("order_id", "=", order.orderId).execute()).toEqual([{ state: "succeeded" }]);
    }
  });

  it.each([
    { captureFirst: false, next: "confirmLoan" },
    { captureFirst: true, next: "authoriseLoan" },
  ])(
    "to $next is inquired about after 10 s, even if a timer has inquired about the charge before",
    async ({ captureFirst, next }) => {
      const provider = world.newProvider({ captureFirst });
      const order = await world.readyOrder(provider);
      await fault(world, provider, "charge", "fail_after");
      await world.pay(order);
      await fault(world, provider, next, "fail_after");
      await world.pass(10);
      expect((await world.reload(order)).state).toBe(captureFirst ? "first_captured" : "paying");
      await world.pass(10);
      const { state, payments } = await world.reload(order);
      expect(state).toBe("paid");
      await expectSoundBooks(world, order);
      // Marks its timer as done, so that nothing schedules it again.
      const timers = world.database.db.selectFrom("timers").select("done_at");
      const { done_at: doneAt } = await timers.where("key", "=", present(payments[0]).id).executeTakeFirstOrThrow();
      expect(doneAt).toEqual(world.clock.now());
    },
  );

  it("is inquired about after 10 s, 30 s, 2 min, 10 min, then hourly", async () => {
    const provider = world.newProvider();
    const order = await world.readyOrder(provider);
    await fault(world, provider, "charge", "fail_after");
    await world.pay(order);
    const { elapsed, call: inquireCharge } = timed(world.clock, async () => ({ outcome: "unknown" }) as const);
    await world.pass(4 * 3_600, { cardProcessor: { ...world.sandbox.cardProcessor, inquireCharge } });
    expect(elapsed).toEqual([10, 40, 160, 760, 760 + 3_600, 760 + 7_200, 760 + 10_800]);
    await world.pass(3_600);
    expect((await world.reload(order)).state).toBe("paid");
  });

  it.each([0, 3])("is inquired about within 10 s if it hangs, even if the loan took %d s before", async (seconds) => {
    const order = await world.readyOrder(world.newProvider());
    const { financingProvider, cardProcessor } = world.sandbox;
    const { hangs, arrived, givenUp } = hanging(cardProcessor.charge);
    const loan = openGate();
    const slow = watchedGateways({ financingProvider, cardProcessor: { ...cardProcessor, charge: hangs } }, (method) =>
      method === "authoriseLoan" ? loan.opened : undefined,
    );
    await world.pay(order, { overrides: { ...slow, answerWithinMs: 20 } });
    world.clock.advance(seconds * 1_000);
    loan.open();
    await arrived.opened;
    await passWhileHanging(world, 10);
    givenUp.open();
    await world.dependencies.background.idle();
    expect((await world.reload(order)).state).toBe("paying");
    await world.pass(10);
    expect((await world.reload(order)).state).toBe("paid");
    await expectSoundBooks(world, order);
  });

  it("within the request's time limit is answered as processing, and continues in the background", async () => {
    const order = await world.readyOrder(world.newProvider());
    const { waits: charge, goOn } = held(world.sandbox.cardProcessor.charge);
    const cardProcessor = { ...world.sandbox.cardProcessor, charge };
    const { payment } = await world.pay(order, { overrides: { cardProcessor, answerWithinMs: 20 } });
    expect(payment.status).toBe("processing");
    goOn.open();
    await world.dependencies.background.idle();
    expect((await world.reload(order)).state).toBe("paid");
    await expectSoundBooks(world, order);
  });
});

it("a payment is answered in time, although the processor also took long to report its limits", async () => {
  const order = await world.readyOrder(world.newProvider());
  const { waits: charge, goOn } = held(world.sandbox.cardProcessor.charge);
  const chargeLimits = async () => {
    world.clock.advance(world.dependencies.answerWithinMs);
    return world.sandbox.cardProcessor.chargeLimits();
  };
  const cardProcessor = { ...world.sandbox.cardProcessor, charge, chargeLimits };
  const { payment } = await world.pay(order, { overrides: { cardProcessor } });
  expect(payment.status).toBe("processing");
  goOn.open();
  await world.dependencies.background.idle();
  expect((await world.reload(order)).state).toBe("paid");
});

describe("a payment leased by another worker", () => {
  it("is not touched by its timer until the lease expires, without calls or inquiries", async () => {
    const order = await world.readyOrder(world.newProvider());
    const { waits, arrived, goOn } = held(world.sandbox.cardProcessor.charge);
    const charges = timed(world.clock, waits);
    const inquiries = timed(world.clock, world.sandbox.cardProcessor.inquireCharge);
    const cardProcessor = { ...world.sandbox.cardProcessor, charge: charges.call, inquireCharge: inquiries.call };
    await world.pay(order, { overrides: { cardProcessor, answerWithinMs: 20 } });
    await arrived.opened;
    world.clock.advance(29_000);
    await world.runDueNow({ cardProcessor });
    goOn.open();
    await world.runDue({ cardProcessor });
    expect((await world.reload(order)).state).toBe("paid");
    expect([charges.elapsed, inquiries.elapsed]).toEqual([[0], []]);
    await expectSoundBooks(world, order);
  });

  it("is taken over by its timer when the lease has expired, because the holder may have died", async () => {
    const order = await world.readyOrder(world.newProvider());
    const { waits: charge, arrived, goOn } = held(world.sandbox.cardProcessor.charge);
    const cardProcessor = { ...world.sandbox.cardProcessor, charge };
    await world.pay(order, { overrides: { cardProcessor, answerWithinMs: 20 } });
    // Each earlier step has renewed the lease.
    await arrived.opened;
    world.clock.advance(29_000);
    await world.runDueNow();
    expect((await world.reload(order)).state).toBe("paying");
    world.clock.advance(2_000);
    await world.runDueNow();
    expect((await world.reload(order)).state).toBe("paid");
    goOn.open();
    await world.dependencies.background.idle();
    await expectSoundBooks(world, order);
  });

  it("keeps its order from expiring until the payment has failed", async () => {
    const order = await world.readyOrder(world.newProvider({ unpaidOrderExpiryMinutes: 5 }), { card: CARDS.challenge });
    const began = world.clock.now().getTime();
    await world.pay(order);
    await world.pass(6 * 60);
    expect((await world.reload(order)).state).toBe("paying");
    const { db } = world.database;
    const expiry = db.selectFrom("timers").select("due_at").where("kind", "=", "order.expire");
    const { due_at: due } = await expiry.where("key", "=", order.orderId).executeTakeFirstOrThrow();
    expect(due.getTime() - began).toBe(10 * 60_000);
    await world.pass(10 * 60);
    expect((await world.reload(order)).state).toBe("expired");
    expect(kindsOf(await world.events(order))).toEqual(["order.cancelled"]);
  });
});

describe("a provider that captures first", () => {
  const provider = () => world.newProvider({ captureFirst: true });

  it("moves the order through partially_paid to paid", async () => {
    const order = await world.readyOrder(provider());
    expect((await world.pay(order)).payment.status).toBe("succeeded");
    const events = await world.events(order);
    expect(kindsOf(events)).toEqual(["order.partially_paid", "order.paid"]);
    expect(events[0]?.payload).toMatchObject({ order: { paid_amount: 12_000, pending_amount: 28_000 } });
    await expectSoundBooks(world, order);
  });

  it.each([PATIENTS.creditRefused, PATIENTS.confirmationRefused])(
    "returns the 30 %% when %s is refused, and cancels the order",
    async (rut) => {
      const order = await world.readyOrder(provider(), { rut });
      await expect(world.pay(order)).rejects.toMatchObject({ code: "credit_declined" });
      const events = await world.events(order);
      expect(kindsOf(events)).toEqual(["order.partially_paid", "order.failed", "order.cancelled"]);
      expect(events[1]?.payload).toHaveProperty("failure");
      expect(events[2]?.payload).not.toHaveProperty("failure");
      expect(await world.show(order)).toMatchObject({ status: "cancelled", paid_amount: 0, pending_amount: 0 });
      await expectSoundBooks(world, order);
    },
  );

  it("keeps the order partially_paid while the loan is under review", async () => {
    const order = await world.readyOrder(provider(), { rut: PATIENTS.reviewAuthorised });
    expect((await world.pay(order)).payment.status).toBe("processing");
    expect((await world.show(order)).status).toBe("partially_paid");
    await world.pass(60);
    expect((await world.show(order)).status).toBe("paid");
    await expectSoundBooks(world, order);
  });

  it("keeps the last charge day shown before midnight if the payment settles after it", async () => {
    const patients = [PATIENTS.good, PATIENTS.reviewAuthorised] as const;
    const orders = await Promise.all(patients.map((rut) => world.readyOrder(provider(), { rut })));
    const midnight = santiagoMoment(addCalendarDays(santiagoDay(world.clock.now()), 1));
    world.clock.set(new Date(midnight.getTime() - 5_000));
    for (const order of orders) {
      await fault(world, present(await world.dependencies.findProvider(order.providerId)), "charge", "fail_after");
      expect((await world.pay(order)).payment.status).toBe("processing");
    }
    await world.pass(120);
    expect(world.clock.now() > midnight).toBe(true);
    for (const order of orders) {
      const { status, plan } = await world.show(order);
      const { quote } = await acceptedWith(order);
      const [, { latest_due_date: latest }] = plan.data.installments;
      expect([status, latest]).toEqual(["paid", quote.latest_due_date]);
      expect(deadlineOf(present((await world.reload(order)).paidAt))).toEqual(santiagoMoment(latest, 9));
    }
  });

  it("leaves the order of a declined card pending", async () => {
    const order = await world.readyOrder(provider(), { card: CARDS.declined });
    await expect(world.pay(order)).rejects.toMatchObject({ code: "card_declined" });
    expect((await world.show(order)).status).toBe("pending");
    await expectSoundBooks(world, order);
  });
});
