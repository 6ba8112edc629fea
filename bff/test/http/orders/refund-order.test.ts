import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { clp } from "../../../src/contract/vocabulary/clp.ts";
import { parseRut } from "../../../src/contract/vocabulary/rut.ts";
import { payOtherwise, recordDisputes, refundLoss, settleDeferredCharge } from "../../../src/orders/deferred-charge.ts";
import { bookTransferMade } from "../../../src/orders/operations.ts";
import type { OrderRecord } from "../../../src/orders/order-record.ts";
import { settleRefund } from "../../../src/orders/refunds/settle-refund.ts";
import { isCheckViolation, isUniqueViolation } from "../../../src/platform/database/errors.ts";
import { inTransaction } from "../../../src/platform/database/transaction.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { Died } from "../../died.ts";
import { rowsOfOrder } from "../../rows-of-order.ts";
import { hanging, held, passWhileHanging, timed } from "./hanging-call.ts";
import {
  CARDS,
  expectSoundBooks,
  fault,
  logged,
  type OrdersWorld,
  PATIENTS,
  present,
  RETURN_REFUSED,
  startOrdersWorld,
  watchedGateways,
} from "./orders-world.ts";

let world: OrdersWorld;
beforeAll(async () => {
  world = await startOrdersWorld();
});
afterAll(() => world.stop());

const kindsOf = (events: readonly { kind: string }[]) => events.map(({ kind }) => kind);

describe("before the collection of the deferred part", () => {
  it("a full refund cancels the loan and returns the first instalment", async () => {
    const order = await world.paidOrder(world.newProvider());
    const calls: string[] = [];
    const overrides = watchedGateways(world.sandbox, (method, moment) => {
      if (moment === "before") calls.push(method);
    });
    const answer = await world.refund(order, {}, { overrides });
    // The card comes first, because it may refuse. A call that was not made yet needs no inquiry.
    expect(calls).toEqual(["returnCharge", "reduceLoan"]);
    expect(answer).toMatchObject({
      status: "refunded",
      refunded_amount: 40_000,
      paid_amount: 40_000,
      pending_amount: 0,
      refund: { amount: 40_000, status: "succeeded" },
      payments: [{ returned_amount: 12_000 }],
      plan: { data: { installments: [{ status: "refunded" }, { status: "cancelled" }], commission: { amount: 0 } } },
    });
    expect(kindsOf(await world.events(order))).toEqual(["order.paid", "order.refunded"]);
    await expectSoundBooks(world, order);
  });

  it("a partial refund reduces the deferred part first, with its commission", async () => {
    const order = await world.paidOrder(world.newProvider());
    const answer = await world.refund(order, { amount: 20_000, reason: "una prestación menos" });
    expect(answer).toMatchObject({
      status: "partially_refunded",
      refunded_amount: 20_000,
      payments: [{ returned_amount: 0 }],
      plan: { data: { commission: { amount: 1_400 } } },
    });
    const events = await world.events(order);
    expect(events[1]).toMatchObject({ kind: "order.refunded", payload: { status: "partially_refunded" } });
    await expectSoundBooks(world, order);
  });

  it("repeated refunds proceed to the first instalment, each with an event, and end as refunded", async () => {
    const order = await world.paidOrder(world.newProvider());
    await world.refund(order, { amount: 25_000 });
    const second = await world.refund(order, { amount: 5_000 });
    expect(second).toMatchObject({ status: "partially_refunded", payments: [{ returned_amount: 2_000 }] });
    const last = await world.refund(order);
    expect(last).toMatchObject({ status: "refunded", refund: { amount: 10_000 } });
    expect(kindsOf(await world.events(order)).slice(1)).toEqual(["order.refunded", "order.refunded", "order.refunded"]);
    await expect(world.refund(order)).rejects.toMatchObject({ code: "order_not_refundable" });
    await expectSoundBooks(world, order);
  });

  it.each([CARDS.debit, CARDS.prepaid])(
    "a debit or prepaid card (%s) returns the first instalment only in full",
    async (card) => {
      const order = await world.paidOrder(world.newProvider(), { card });
      expect((await world.refund(order, { amount: 28_000 })).status).toBe("partially_refunded");
      await expect(world.refund(order, { amount: 1_000 })).rejects.toMatchObject({
        code: "partial_refund_not_supported",
      });
      expect((await world.refund(order)).status).toBe("refunded");
      await expectSoundBooks(world, order);
    },
  );
});

describe("after the collection of the deferred part", () => {
  it("returns money to the latest charge first, with the commission no longer due", async () => {
    const order = await world.paidOrder(world.newProvider());
    await world.collect(order);
    const answer = await world.refund(order, { amount: 10_000 });
    expect(answer).toMatchObject({
      status: "partially_refunded",
      captured_amount: 42_800,
      payments: [
        { kind: "first", returned_amount: 0 },
        { kind: "deferred", amount: 30_800, returned_amount: 10_700 },
      ],
      plan: { data: { installments: [{}, { status: "collected" }], commission: { amount: 2_100 } } },
    });
    await world.refund(order, { amount: 20_000 });
    expect((await world.show(order)).payments.map((payment) => payment.returned_amount)).toEqual([2_000, 30_100]);
    expect(await world.refund(order)).toMatchObject({ status: "refunded", refunded_amount: 40_000 });
    expect((await world.show(order)).payments.map((payment) => payment.returned_amount)).toEqual([12_000, 30_800]);
    await expectSoundBooks(world, order);
  });

  it("refunds a debit card in full, commission included", async () => {
    const order = await world.paidOrder(world.newProvider(), { card: CARDS.debit });
    await world.collect(order);
    await expect(world.refund(order, { amount: 28_000 })).rejects.toMatchObject({
      code: "partial_refund_not_supported",
    });
    expect(await world.refund(order)).toMatchObject({
      status: "refunded",
      payments: [{ returned_amount: 12_000 }, { returned_amount: 30_800 }],
    });
    await expectSoundBooks(world, order);
  });

  it("returns a commission of one peso too", async () => {
    const order = await world.paidOrder(world.newProvider(), { total: 14 });
    expect(await world.collect(order)).toMatchObject({ amount: 11, commission: 1 });
    await expectSoundBooks(world, order);
    expect(await world.refund(order)).toMatchObject({ status: "refunded", payments: [{}, { returned_amount: 11 }] });
    await expectSoundBooks(world, order);
  });

  it("a zero commission has no tax document, neither when charged nor when returned", async () => {
    const issuer = { name: "AAPD de Prueba SpA", rut: parseRut("76.904.444-2") };
    const provider = world.newProvider({ commissionTax: { regime: "taxed_service", issuer } });
    const documentsOf = async ({ orderId }: OrderRecord) =>
      (await rowsOfOrder(world.database.db, orderId)).tax_documents?.length ?? 0;
    for (const [total, back, documents] of [
      [7, 7, 0],
      [40_000, 3, 1],
    ] as const) {
      const order = await world.paidOrder(provider, { total });
      expect((await world.collect(order)).commission).toBe(total === 7 ? 0 : 2_800);
      await world.refund(order, { amount: back });
      expect((await world.reload(order)).refunded).toBe(back);
      expect(await documentsOf(order)).toBe(documents);
      await expectSoundBooks(world, order);
    }
  });

  it("an amount that an earlier refund cancelled is neither collected nor returned again", async () => {
    const order = await world.paidOrder(world.newProvider());
    await world.refund(order, { amount: 8_000 });
    const charge = await world.collect(order);
    expect(charge).toMatchObject({ amount: 22_240, commission: 2_240 });
    expect(await world.refund(order)).toMatchObject({ status: "refunded", refund: { amount: 32_000 } });
    await expectSoundBooks(world, order);
  });

  it("a cancelled deferred part is never collected", async () => {
    const order = await world.paidOrder(world.newProvider());
    await world.refund(order, { amount: 28_000 });
    await expect(world.collect(order)).rejects.toThrow();
    const { db } = world.database;
    const collected = db.updateTable("orders").set({ deferred_collected: 1 }).where("id", "=", order.orderId).execute();
    await expect(collected).rejects.toSatisfy((error) => isCheckViolation(error, "orders_deferred_within_part"));
  });
});

describe("while a charge is unresolved", () => {
  it("a refund is recorded, answered as processing, and allocated when the charge is captured", async () => {
    const order = await world.paidOrder(world.newProvider());
    const charge = await world.collect(order, "unresolved");
    const answer = await world.refund(order, { amount: 10_000 });
    expect(answer).toMatchObject({ status: "paid", refunded_amount: 0, refund: { status: "processing" } });
    await world.pass(15);
    expect((await world.show(order)).status).toBe("paid");
    await world.settleCollection(order, charge, "captured");
    await world.runDue();
    expect(await world.show(order)).toMatchObject({
      status: "partially_refunded",
      refunds: [{ status: "succeeded" }],
      payments: [{ returned_amount: 0 }, { returned_amount: 10_700 }],
    });
    await expectSoundBooks(world, order);
  });

  it("a refund reduces the deferred part if the charge is declined", async () => {
    const order = await world.paidOrder(world.newProvider());
    const charge = await world.collect(order, "unresolved");
    await world.refund(order, { amount: 10_000 });
    await world.settleCollection(order, charge, "declined");
    await world.runDue();
    expect(await world.show(order)).toMatchObject({
      status: "partially_refunded",
      payments: [{}, { status: "declined" }],
    });
    // A charge has one outcome.
    const { paymentId } = charge;
    const other = { paymentId, result: { outcome: "not_made" }, at: world.clock.now() } as const;
    const settling = inTransaction(world.database.db, (tx) =>
      settleDeferredCharge(tx, world.dependencies, order, other),
    );
    expect(await settling).toBe(false);
    expect(await world.collect(order)).toMatchObject({ amount: 20_100 });
    await expectSoundBooks(world, order);
  });

  it("two waiting refunds each move their own amount and commission, next to an earlier one", async () => {
    const order = await world.paidOrder(world.newProvider());
    await world.refund(order, { amount: 8_000 });
    const charge = await world.collect(order, "unresolved");
    await world.refund(order, { amount: 10_000 });
    await world.refund(order, { amount: 5_000 });
    await world.pass(15);
    const statuses = async () => (await world.show(order)).refunds.map(({ status }) => status);
    expect(await statuses()).toEqual(["succeeded", "processing", "processing"]);
    const looks = world.database.db.selectFrom("order_refunds").select("inquiries").where("status", "=", "processing");
    expect(await looks.where("order_id", "=", order.orderId).execute()).toEqual([{ inquiries: 1 }, { inquiries: 1 }]);
    await world.settleCollection(order, charge, "captured");
    await world.runDue();
    expect(await statuses()).toEqual(["succeeded", "succeeded", "succeeded"]);
    expect((await world.show(order)).refunds.map(({ moved }) => moved)).toMatchObject([
      { off_later_charge: { amount: 8_560, commission: 560 }, to_cards: [] },
      { off_later_charge: { amount: 0 }, to_cards: [{ amount: 10_700, commission: 700 }] },
      { off_later_charge: { amount: 0 }, to_cards: [{ amount: 5_350, commission: 350 }] },
    ]);
    await expectSoundBooks(world, order);
  });

  it("a refund that needs a disputed charge fails with one event, and the next one continues", async () => {
    const order = await world.paidOrder(world.newProvider());
    const charge = await world.collect(order, "unresolved");
    expect((await world.refund(order, { amount: 30_000 })).refund.status).toBe("processing");
    expect((await world.refund(order, { amount: 5_000 })).refund.status).toBe("processing");
    const first = present((await world.reload(order)).payments[0]);
    const disputed = { chargeId: present(first.chargeId), disputed: first.amount, lost: clp(0) };
    await inTransaction(world.database.db, (tx) => recordDisputes(tx, order, [disputed], world.clock.now()));
    await world.settleCollection(order, charge, "declined");
    // A process that dies before it ends the timer has published nothing yet.
    const { id: key } = present((await world.reload(order)).refunds[0]);
    const due = world.database.db.selectFrom("timers").selectAll().where("key", "=", key);
    const { kind, payload, due_at: dueAt } = await due.executeTakeFirstOrThrow();
    const timer = {
      kind,
      key,
      providerId: order.providerId,
      payload,
      dueAt,
      attempts: 1,
      traceparent: null,
      leaseId: "",
    };
    const finish = () => Promise.reject(new Died("while ending the timer"));
    await expect(settleRefund(world.dependencies, timer, { finish })).rejects.toThrow(Died);
    expect(kindsOf(await world.events(order))).toEqual(["order.paid"]);
    const { lines, overrides } = logged();
    await world.pass(60, overrides);
    expect(await world.show(order)).toMatchObject({
      status: "partially_refunded",
      refunded_amount: 5_000,
      refunds: [{ status: "failed" }, { status: "succeeded" }],
    });
    expect(kindsOf(await world.events(order)).toSorted()).toEqual([
      "order.paid",
      "order.refund_failed",
      "order.refunded",
    ]);
    const line = { event: "refund.needs_attention", order_id: order.orderId, reason: "charge_disputed" };
    expect(lines).toEqual([expect.objectContaining(line)]);
    // A process that died before ending the other timer checks again, and finds nothing to publish.
    const { refunds } = await world.reload(order);
    const again = world.database.db.updateTable("timers").set({ done_at: null, due_at: world.clock.now() });
    await again.where("key", "=", present(refunds[1]).id).execute();
    await world.runDue();
    expect(await world.events(order)).toHaveLength(3);
    // Its claim is released.
    expect((await world.refund(order, { amount: 23_000 })).refunded_amount).toBe(28_000);
    await expectSoundBooks(world, order);
  });

  it("no payment without a card is booked if its sum differs from the amount due", async () => {
    const order = await world.paidOrder(world.newProvider());
    const pay = (amount: number) => {
      const paid = { amount: clp(amount), evidence: "cartola", actor: "operator:camila", at: world.clock.now() };
      return inTransaction(world.database.db, (tx) => payOtherwise(tx, world.dependencies, order, paid));
    };
    const charge = await world.collect(order, "unresolved");
    expect(await pay(30_800)).toEqual({ outcome: "charge_under_way" });
    await world.settleCollection(order, charge, "declined");
    expect(await pay(30_799)).toEqual({ outcome: "amount_differs", due: 30_800 });
    await world.refund(order, { amount: 27_999 });
    expect(await pay(841)).toMatchObject({ outcome: "booked", amount: 841, commission: 840 });
    expect(await pay(841)).toEqual({ outcome: "nothing_due" });
  });

  it("waiting refunds cannot claim more than the rest either", async () => {
    const order = await world.paidOrder(world.newProvider());
    await world.collect(order, "unresolved");
    await world.refund(order, { amount: 30_000 });
    await expect(world.refund(order, { amount: 10_001 })).rejects.toMatchObject({ code: "refund_amount_exceeds" });
    await world.refund(order);
    await expect(world.refund(order)).rejects.toMatchObject({ code: "order_not_refundable" });
  });

  it("a waiting partial refund of a debit charge is owed by bank transfer, as is the rest of that charge", async () => {
    const order = await world.paidOrder(world.newProvider(), { card: CARDS.debit });
    const charge = await world.collect(order, "unresolved");
    await world.refund(order, { amount: 10_000 });
    await world.settleCollection(order, charge, "captured");
    await world.runDue();
    expect(await world.show(order)).toMatchObject({
      status: "partially_refunded",
      payments: [{ returned_amount: 0 }, { returned_amount: 0 }],
      refunds: [{ status: "succeeded", moved: { to_cards: [], by_transfer: { amount: 10_700, commission: 700 } } }],
    });
    expect(await world.refund(order)).toMatchObject({
      status: "refunded",
      payments: [{ returned_amount: 12_000 }, { returned_amount: 0 }],
      refund: { moved: { by_transfer: { amount: 20_100, commission: 2_100 } } },
    });
    await expectSoundBooks(world, order);
  });
});

describe("a refused request", () => {
  it.each([0, -1, 10.5, null, Number.NaN, {}])("for the amount %j gives refund_amount_invalid", async (amount) => {
    const order = await world.paidOrder(world.newProvider());
    const body = { amount } as { amount: number };
    await expect(world.refund(order, body)).rejects.toMatchObject({ code: "refund_amount_invalid" });
  });

  it("for more than the rest gives refund_amount_exceeds", async () => {
    const order = await world.paidOrder(world.newProvider());
    await expect(world.refund(order, { amount: 40_001 })).rejects.toMatchObject({ code: "refund_amount_exceeds" });
    await world.refund(order, { amount: 1 });
    await expect(world.refund(order, { amount: 40_000 })).rejects.toMatchObject({ code: "refund_amount_exceeds" });
  });

  it("for the last peso is accepted like any other", async () => {
    const order = await world.paidOrder(world.newProvider());
    expect((await world.refund(order, { amount: 39_998 })).status).toBe("partially_refunded");
    await expect(world.refund(order, { amount: 3 })).rejects.toMatchObject({ code: "refund_amount_exceeds" });
    expect((await world.refund(order, { amount: 1 })).refunded_amount).toBe(39_999);
    expect(await world.refund(order)).toMatchObject({ status: "refunded", refund: { amount: 1, status: "succeeded" } });
    await expectSoundBooks(world, order);
  });

  it("for an unpaid order gives order_not_refundable, and above its price refund_amount_exceeds", async () => {
    const order = await world.readyOrder(world.newProvider());
    for (const body of [{}, { amount: 40_000 }])
      await expect(world.refund(order, body)).rejects.toMatchObject({ code: "order_not_refundable" });
    await expect(world.refund(order, { amount: 40_001 })).rejects.toMatchObject({ code: "refund_amount_exceeds" });
    expect((await world.reload(order)).refunds).toEqual([]);
  });
});

describe("repeats", () => {
  it("the same refund_reference is one refund, repeated or concurrent", async () => {
    const order = await world.paidOrder(world.newProvider());
    const body = { amount: 5_000, refund_reference: "nota-1" };
    const answers = await Promise.all(Array.from({ length: 20 }, () => world.refund(order, body)));
    expect(new Set(answers.map(({ refund }) => refund.id)).size).toBe(1);
    await world.pass(15);
    expect((await world.reload(order)).refunded).toBe(5_000);
    await expect(world.refund(order, { ...body, amount: 6_000 })).rejects.toMatchObject({
      code: "refund_reference_reused",
    });
    await expectSoundBooks(world, order);
  });

  it("the same Idempotency-Key is one refund even if the first answer was lost", async () => {
    const order = await world.paidOrder(world.newProvider());
    const first = await world.refund(order, { amount: 5_000 }, { key: "k" });
    const second = await world.refund(order, { amount: 5_000 }, { key: "k" });
    expect(second.refund.id).toBe(first.refund.id);
    expect((await world.reload(order)).refunded).toBe(5_000);
  });

  it("the same refund_reference makes no second call while the first has no answer", async () => {
    const provider = world.newProvider();
    const order = await world.paidOrder(provider);
    await fault(world, provider, "returnCharge", "fail_after");
    const { cardProcessor } = world.sandbox;
    const { elapsed, call: returnCharge } = timed(world.clock, cardProcessor.returnCharge);
    const overrides = { cardProcessor: { ...cardProcessor, returnCharge } };
    const ask = () => world.refund(order, { refund_reference: "nota-3" }, { overrides });
    const [first, second] = [await ask(), await ask()];
    expect([first.refund.status, second.refund]).toEqual(["processing", first.refund]);
    await world.pass(15, overrides);
    expect((await world.show(order)).status).toBe("refunded");
    expect(elapsed).toHaveLength(1);
    await expectSoundBooks(world, order);
  });

  it("the same reference without an amount is the same refund, and with another amount a conflict", async () => {
    const order = await world.paidOrder(world.newProvider());
    const body = { refund_reference: "nota-2" };
    const { refund } = await world.refund(order, body);
    expect((await world.refund(order, body)).refund).toMatchObject({ id: refund.id, amount: order.total });
    await expect(world.refund(order, { ...body, amount: order.total })).rejects.toMatchObject({
      code: "refund_reference_reused",
    });
  });

  it("concurrent refunds that together exceed the payment never return too much", async () => {
    const order = await world.paidOrder(world.newProvider());
    const given = await Promise.allSettled(Array.from({ length: 8 }, () => world.refund(order, { amount: 9_000 })));
    expect(given.filter(({ status }) => status === "fulfilled")).toHaveLength(4);
    await world.pass(15);
    expect((await world.reload(order)).refunded).toBe(36_000);
    await expectSoundBooks(world, order);
  });
});

describe("a call without an answer", () => {
  it.each([
    ["reduceLoan", "fail_before"],
    ["reduceLoan", "fail_after"],
    ["returnCharge", "fail_before"],
    ["returnCharge", "fail_after"],
    ["returnCharge", "slow"],
    ["returnCharge", "twice"],
  ] as const)("%s, %s: the refund is processing until one inquiry settles it", async (method, kind) => {
    const provider = world.newProvider();
    const order = await world.paidOrder(provider);
    await fault(world, provider, method, kind);
    const answer = await world.refund(order);
    if (kind !== "twice")
      expect(answer).toMatchObject({ status: "paid", refunded_amount: 0, refund: { status: "processing" } });
    await world.pass(kind === "slow" ? 180 : 15);
    expect(await world.show(order)).toMatchObject({ status: "refunded", refunds: [{ status: "succeeded" }] });
    await expectSoundBooks(world, order);
  });

  it("is inquired about within 10 s if it hangs, even if its own request held the refund until then", async () => {
    const order = await world.paidOrder(world.newProvider());
    const { cardProcessor } = world.sandbox;
    const { hangs, arrived, givenUp } = hanging(cardProcessor.returnCharge);
    const overrides = { cardProcessor: { ...cardProcessor, returnCharge: hangs }, answerWithinMs: 20 };
    expect((await world.refund(order, {}, { overrides })).refund.status).toBe("processing");
    await arrived.opened;
    await passWhileHanging(world, 10);
    givenUp.open();
    await world.dependencies.background.idle();
    await world.pass(10);
    expect(await world.show(order)).toMatchObject({ status: "refunded", refunds: [{ status: "succeeded" }] });
    await expectSoundBooks(world, order);
  });

  it("is reported by an event if it is refused after the response, even by the request itself", async () => {
    const order = await world.paidOrder(world.newProvider(), { card: RETURN_REFUSED.tooOld });
    const { cardProcessor } = world.sandbox;
    const { waits: returnCharge, goOn } = held(cardProcessor.returnCharge);
    const overrides = { cardProcessor: { ...cardProcessor, returnCharge }, answerWithinMs: 20 };
    expect((await world.refund(order, {}, { overrides })).refund.status).toBe("processing");
    goOn.open();
    await world.dependencies.background.idle();
    expect((await world.show(order)).refunds).toMatchObject([{ status: "failed" }]);
    expect(kindsOf(await world.events(order))).toEqual(["order.paid", "order.refund_failed"]);
  });

  it("for the second of two movements is inquired about after 10 s, even after an inquiry about the first", async () => {
    const provider = world.newProvider();
    const order = await world.paidOrder(provider);
    await fault(world, provider, "returnCharge", "fail_after");
    const { refund } = await world.refund(order);
    await fault(world, provider, "reduceLoan", "fail_after");
    await world.pass(10);
    expect((await world.show(order)).refunds).toMatchObject([{ status: "processing" }]);
    await world.pass(10);
    expect(await world.show(order)).toMatchObject({ status: "refunded", refunds: [{ status: "succeeded" }] });
    await expectSoundBooks(world, order);
    // Its timer is marked as done, so that nothing schedules it again.
    const timers = world.database.db.selectFrom("timers").select("done_at");
    const { done_at: doneAt } = await timers.where("key", "=", refund.id).executeTakeFirstOrThrow();
    expect(doneAt).toEqual(world.clock.now());
  });

  it("refuses the refund if the card refuses, returns nothing and releases every claim", async () => {
    const order = await world.paidOrder(world.newProvider());
    const cardProcessor = {
      ...world.sandbox.cardProcessor,
      returnCharge: async () => ({ outcome: "refused" }) as const,
    };
    const refused = world.refund(order, {}, { overrides: { cardProcessor } });
    await expect(refused).rejects.toMatchObject({ code: "refund_refused" });
    expect(await world.show(order)).toMatchObject({
      status: "paid",
      refunded_amount: 0,
      refunds: [{ status: "failed" }],
    });
    expect(kindsOf(await world.events(order))).toEqual(["order.paid"]);
    await expectSoundBooks(world, order);
    expect((await world.refund(order)).status).toBe("refunded");
    await expectSoundBooks(world, order);
  });

  it("leaves another running refund unchanged if the card refuses this one", async () => {
    const provider = world.newProvider();
    const order = await world.paidOrder(provider);
    await fault(world, provider, "reduceLoan", "fail_before");
    expect((await world.refund(order, { amount: 5_000 })).refund.status).toBe("processing");
    const returnCharge = async () => ({ outcome: "refused" }) as const;
    const overrides = { cardProcessor: { ...world.sandbox.cardProcessor, returnCharge } };
    await expect(world.refund(order, {}, { overrides })).rejects.toMatchObject({ code: "refund_refused" });
    await world.pass(15);
    expect(await world.show(order)).toMatchObject({
      status: "partially_refunded",
      refunded_amount: 5_000,
      refunds: [{ status: "succeeded" }, { status: "failed" }],
    });
    await expectSoundBooks(world, order);
  });

  it("keeps the first of two returns if the card refuses the second, and reports it", async () => {
    const order = await world.paidOrder(world.newProvider());
    await world.collect(order);
    let calls = 0;
    const cardProcessor: typeof world.sandbox.cardProcessor = {
      ...world.sandbox.cardProcessor,
      async returnCharge(...given) {
        calls += 1;
        return calls === 1 ? world.sandbox.cardProcessor.returnCharge(...given) : { outcome: "refused" };
      },
    };
    const answer = await world.refund(order, {}, { overrides: { cardProcessor } });
    expect(answer).toMatchObject({
      status: "partially_refunded",
      refunded_amount: 28_000,
      refund: { status: "failed" },
    });
    await expectSoundBooks(world, order);
    expect(await world.refund(order)).toMatchObject({
      status: "refunded",
      payments: [{ returned_amount: 12_000 }, {}],
    });
  });
});

it("a payment and a refund completed by their requests leave no timer behind", async () => {
  const order = await world.paidOrder(world.newProvider());
  const { refund } = await world.refund(order);
  expect(refund.status).toBe("succeeded");
  const timers = world.database.db.selectFrom("timers").select("kind").where("done_at", "is", null);
  const ids = [refund.id, ...(await world.reload(order)).payments.map(({ id }) => id)];
  expect(await timers.where("key", "in", ids).execute()).toEqual([]);
});

it("work on one order changes no row of another order of the clinic", async () => {
  const provider = world.newProvider();
  const [otherOrder, order] = [await world.paidOrder(provider), await world.paidOrder(provider)];
  await fault(world, provider, "reduceLoan", "fail_before");
  expect((await world.refund(otherOrder, { amount: 5_000 })).refund.status).toBe("processing");
  const before = await rowsOfOrder(world.database.db, otherOrder.orderId);
  expect(Object.keys(before)).toEqual(expect.arrayContaining(["order_payments", "order_refunds", "refund_movements"]));

  const returnCharge = async () => ({ outcome: "refused" }) as const;
  const overrides = { cardProcessor: { ...world.sandbox.cardProcessor, returnCharge } };
  await expect(world.refund(order, {}, { overrides })).rejects.toMatchObject({ code: "refund_refused" });
  await world.collect(order, "declined");
  await world.collect(order);
  await world.refund(order, { amount: 10_000 });
  expect((await world.refund(order)).status).toBe("refunded");
  const other = await world.readyOrder(provider, { card: CARDS.declined });
  await expect(world.pay(other)).rejects.toMatchObject({ code: "card_declined" });
  await world.addCard(await world.reload(other), CARDS.approved);
  expect((await world.pay(other)).payment.status).toBe("succeeded");
  expect(await rowsOfOrder(world.database.db, otherOrder.orderId)).toEqual(before);
});

it("a payment without a card is owed for its own order and refund only", async () => {
  const { db } = world.database;
  const provider = world.newProvider();
  const [otherOrder, order] = [await world.paidOrder(provider), await world.paidOrder(provider)];
  for (const paid of [otherOrder, order]) {
    const by = { amount: clp(30_800), evidence: "cartola", actor: "operator:camila", at: world.clock.now() };
    await inTransaction(db, (tx) => payOtherwise(tx, world.dependencies, paid, by));
  }
  const before = await rowsOfOrder(db, otherOrder.orderId);
  for (const amount of [10_000, 5_000])
    expect((await world.refund(order, { amount })).refund.moved.by_transfer.amount).toBe(amount * 1.07);
  expect(await rowsOfOrder(db, otherOrder.orderId)).toEqual(before);

  const owed = db.selectFrom("refund_movements").select(["id", "transferred_at as at"]).orderBy("amount");
  const [made, other] = await owed.where("order_id", "=", order.orderId).execute();
  const { providerId, orderId } = order;
  const transfer = { providerId, orderId, movementId: present(made).id, amount: clp(5_350), at: world.clock.now() };
  await inTransaction(db, (tx) => bookTransferMade(tx, systemIds, transfer));
  expect(await owed.where("order_id", "=", order.orderId).execute()).toEqual([{ ...made, at: transfer.at }, other]);
  await expect(inTransaction(db, (tx) => bookTransferMade(tx, systemIds, transfer))).rejects.toSatisfy((error) =>
    isUniqueViolation(error, "ledger_transfers_cause_key"),
  );
});

it("an amount that a bank took back for good is refunded once and listed as a refund", async () => {
  const { db } = world.database;
  const order = await world.paidOrder(world.newProvider());
  await world.collect(order);
  await world.refund(order, { amount: 1_000 });
  const [first] = (await world.reload(order)).payments;
  const chargeId = present(present(first).chargeId);
  const at = world.clock.now();
  const losing = (lost: number) =>
    inTransaction(db, async (tx) => {
      await recordDisputes(tx, order, [{ chargeId, disputed: clp(12_000), lost: clp(lost) }], at);
      return refundLoss(tx, world.dependencies, order, at);
    });
  expect([await losing(0), await losing(1), await losing(1)]).toEqual([0, 1, 0]);
  await world.refund(order, { amount: 2_000 });
  expect([await losing(12_000), await losing(12_000)]).toEqual([11_999, 0]);
  await world.runDue();
  const refunds = db.selectFrom("order_refunds").select(["number", "amount", "status"]).orderBy("number");
  const made = [1_000, 1, 2_000, 11_999].map((amount, index) => ({ number: index + 1, amount, status: "succeeded" }));
  expect(await refunds.where("order_id", "=", order.orderId).execute()).toEqual(made);
});

describe("the tables' constraints", () => {
  it("enforce the sums, whatever the program does", async () => {
    const order = await world.paidOrder(world.newProvider(), { rut: PATIENTS.good });
    const { db } = world.database;
    const change = (set: Record<string, number>) =>
      db.updateTable("orders").set(set).where("id", "=", order.orderId).execute();
    await expect(change({ refund_accepted: 40_001 })).rejects.toSatisfy((error) =>
      isCheckViolation(error, "orders_refunded_within_total"),
    );
    await expect(change({ deferred_cancelled: 20_000, deferred_collected: 8_001 })).rejects.toSatisfy((error) =>
      isCheckViolation(error, "orders_deferred_within_part"),
    );
    const returned = db
      .updateTable("order_payments")
      .set({ return_accepted: 12_001, returned: 12_001 })
      .where("order_id", "=", order.orderId)
      .execute();
    await expect(returned).rejects.toSatisfy((error) =>
      isCheckViolation(error, "order_payments_returned_within_captured"),
    );
  });
});
