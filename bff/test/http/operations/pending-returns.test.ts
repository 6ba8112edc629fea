import { expect, test } from "vitest";
import { exceptionId } from "../../../src/back-office/exceptions/exception.ts";
import type { Resolution } from "../../../src/back-office/exceptions/exception-kinds.ts";
import { resolveException } from "../../../src/back-office/exceptions/resolve-exception.ts";
import { showOrder } from "../../../src/back-office/timeline/order-timeline.ts";
import { clp } from "../../../src/contract/vocabulary/clp.ts";
import { MINUTE_MS } from "../../../src/contract/vocabulary/durations.ts";
import { balancesOf } from "../../../src/orders/book-reads.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { type AfterPaidWorld, beginEach, type Clinic, DAY_MS, START } from "../after-paid/after-paid-world.ts";
import { CARDS, PATIENTS, present, RETURN_REFUSED } from "../orders/orders-world.ts";

/*
 * Operators' and patients' views of a return that takes days, and of one that is refused because the charge is too old.
 * No view reports the money as returned, different or lost too early, and the operator sees what to do.
 */

let world: AfterPaidWorld;
let clinic: Clinic;
beginEach({ at: START }, (beginning) => {
  ({ world, clinic } = beginning);
});

const REFUNDED_MAIL = "Devolución de tu pago";
const dependencies = () => {
  const { database, clock } = world.bff;
  return { db: database.db, clock, ids: systemIds, environment: "staging" as const };
};
const days = async (count: number, failing: readonly string[] = []) => {
  for (let day = 0; day < count; day += 1) await world.bff.advance(DAY_MS, { failing });
};
/** Exceptions that are not about a return: the claim's, and a silent processor's. */
const OTHERS: readonly string[] = ["receipt_missing", "list_unavailable"];
const exceptions = async () => (await clinic.exceptions()).filter(({ kind }) => !OTHERS.includes(kind));
async function resolve(resolution: Resolution, note: string | null = null) {
  const [exception, ...others] = await exceptions();
  expect(others).toEqual([]);
  return resolveException(dependencies(), exceptionId(present(exception)), {
    resolution,
    actor: "operator:camila",
    note,
  });
}
async function timeline(hash: string) {
  const { orderId } = await clinic.order(hash);
  const look = { orderId, providers: [clinic.clinic.provider], actor: "operator:camila", isRevealed: false };
  return present(await showOrder(dependencies(), look));
}
const refundMails = async () => (await clinic.mails()).filter((subject) => subject.includes(REFUNDED_MAIL));
async function listed(kind: "return" | "charge"): Promise<number[]> {
  const period = [new Date(START.getTime() - DAY_MS), world.bff.clock.now()] as const;
  const movements = await clinic.sandbox.cardProcessor.listMovements(clinic.clinic.provider.id, ...period);
  return movements.filter((movement) => movement.kind === kind).map(({ amount }) => amount);
}

test("a pending return is no difference, exception or mail, and ends like any other", async () => {
  const hash = await clinic.justPaid(CARDS.returnPending);
  const { body } = await clinic.refund(hash);
  expect(body).toMatchObject({ status: "paid", refund: { status: "processing" } });
  await days(1);
  expect([await exceptions(), await refundMails(), await listed("return")]).toEqual([[], [], []]);
  const { happened, waits } = await timeline(hash);
  expect(happened.map(({ what }) => what)).toContain("refund.return_taken");
  expect(happened.map(({ what }) => what)).not.toContain("refund.moved");
  expect(waits.map(({ what }) => what)).toContain("waits.refund");
  await days(2);
  expect(await clinic.order(hash)).toMatchObject({ state: "refunded", refunded: 40_000 });
  expect(await refundMails()).toHaveLength(1);
  expect(await listed("return")).toEqual([12_000]);
  await days(2);
  expect(await exceptions()).toEqual([]);
});

test("a return that has not ended by the announced time is an exception and can be queried", async () => {
  const hash = await clinic.justPaid(CARDS.returnPending);
  await clinic.refund(hash);
  await silenceProcessor(1_000);
  await days(3, ["collection.daily"]);
  expect(await exceptions()).toEqual([]);
  await days(1, ["collection.daily"]);
  expect(await exceptions()).toMatchObject([
    { kind: "outcome_unknown", orderId: hash, facts: { of: "refund", taken_at: expect.any(String) } },
  ]);
  expect((await clinic.order(hash)).refunded).toBe(0);
  await silenceProcessor(0);
  expect(await resolve("ask_again")).toMatchObject({ isDone: true });
  await world.bff.runDue();
  expect(await exceptions()).toEqual([]);
  expect(await clinic.order(hash)).toMatchObject({ state: "refunded" });
  await days(2);
  expect([await exceptions(), await listed("return")]).toEqual([[], [12_000]]);
});

test("a first instalment being returned is no difference until the processor's announced end has passed", async () => {
  const hash = await clinic.readyOrder({ rut: PATIENTS.confirmationRefused, card: CARDS.returnPending });
  await clinic.pay(hash);
  await silenceProcessor(1_000);
  await days(2);
  expect(await exceptions()).toEqual([]);
  await days(2);
  expect(await exceptions()).toMatchObject([
    { kind: "outcome_unknown", orderId: hash, facts: { of: "payment", taken_at: expect.any(String) } },
  ]);
  await silenceProcessor(0);
  expect(await resolve("ask_again")).toMatchObject({ isDone: true });
  await world.bff.runDue();
  expect([await exceptions(), (await clinic.order(hash)).state]).toEqual([[], "payment_failed"]);
});

test("a refund of a charge that is too old reports the cause, and that the clinic pays by transfer", async () => {
  const hash = await clinic.justPaid(RETURN_REFUSED.tooOld);
  const { status, body } = await clinic.refund(hash);
  expect([status, body]).toMatchObject([
    400,
    { code: "refund_refused", reason: "card_refused", refused_because: "too_old" },
  ]);
  await days(1);
  expect(await exceptions()).toMatchObject([
    { kind: "money_not_returned", orderId: hash, facts: { why: "refund_failed", refused_because: "too_old" } },
  ]);
  await expect(resolve("paid_back", "transferido")).rejects.toThrow("by bank transfer");
  const { happened } = await timeline(hash);
  const moved = happened.filter(({ what }) => what === "refund.moved").map(({ facts }) => facts);
  expect(moved).toHaveLength(2);
  expect(moved).toContainEqual(expect.objectContaining({ status: "refused", refused_because: "too_old" }));
  expect(moved).toContainEqual(expect.objectContaining({ kind: "loan_reduction", status: "dropped" }));
  expect(await refundMails()).toEqual([]);
  expect(await resolve("handled", "la clínica lo transfirió")).toMatchObject({ isDone: true });
  expect(await exceptions()).toEqual([]);
});

test("a payment that is too old to be undone is paid back by hand, and the books balance", async () => {
  const hash = await clinic.readyOrder({ rut: PATIENTS.confirmationRefused, card: RETURN_REFUSED.tooOld });
  await clinic.pay(hash);
  await world.bff.runDue();
  expect(await exceptions()).toMatchObject([
    { kind: "money_not_returned", facts: { why: "return_refused", amount: 12_000, refused_because: "too_old" } },
  ]);
  expect(await resolve("paid_back", "transferencia del 22")).toMatchObject({ isDone: true });
  const balances = await balancesOf(world.bff.database.db, clinic.clinic.provider.id);
  expect(balances.find(({ account }) => account === "order")).toEqual({ account: "order", balance: 0 });
});

/** Makes the processor neither answer inquiries about returns nor list its movements, this many times. */
function silenceProcessor(times: number): Promise<void> {
  return clinic.fault("card-processor", ["inquireReturn", "listMovements"], "fail_before", times);
}

/** The processor charges an order's card without the service's knowledge, and that charge is to be returned. */
async function returnUnbooked(card: string): Promise<string> {
  const hash = await clinic.justPaid(card);
  const { card: kept, orderId } = await clinic.order(hash);
  const call = {
    providerId: clinic.clinic.provider.id,
    idempotencyKey: `${systemIds.uuid()}:charge`,
    at: world.bff.clock.now(),
  };
  await clinic.sandbox.cardProcessor.charge(call, {
    cardId: present(kept).id,
    amount: clp(12_000),
    orderHash: orderId,
    initiator: "patient",
    authenticationId: null,
    initialChargeId: null,
  });
  await days(1);
  expect(await exceptions()).toMatchObject([{ kind: "difference", facts: { kind: "charge_not_booked" } }]);
  await resolve("return_charge");
  await world.bff.runDue();
  return hash;
}

test("an unbooked charge is shown as returned once it is, and is no difference meanwhile", async () => {
  const hash = await returnUnbooked(CARDS.returnPending);
  await days(1);
  const returned = "Devolvimos a tu tarjeta un cobro que no correspondía";
  expect([await exceptions(), await clinic.mailTexts(returned)]).toEqual([[], []]);
  await days(2);
  expect([await exceptions(), await listed("return")]).toEqual([[], [12_000]]);
  expect(await clinic.mailTexts(returned)).toHaveLength(1);
  await days(1);
  expect(await exceptions()).toEqual([]);
  const shown = (await timeline(hash)).happened.map(({ what }) => what).filter((what) => /^charge_return/.test(what));
  expect(shown).toEqual(["charge_return.requested", "charge_return.taken", "charge_return.ended"]);
});

test("the return of an unbooked charge is inquired about after 10 minutes, one hour and three hours", async () => {
  await returnUnbooked(CARDS.returnPending);
  const { db } = world.bff.database;
  const ofClinic = db.selectFrom("charge_returns").where("provider_id", "=", clinic.clinic.provider.id);
  const inquiries = async () => (await ofClinic.select("inquiries").executeTakeFirstOrThrow()).inquiries;
  const minutes: number[] = [];
  for (let minute = 1; minute <= 300; minute += 1) {
    const before = await inquiries();
    await world.bff.advance(MINUTE_MS);
    if ((await inquiries()) > before) minutes.push(minute);
  }
  expect(minutes).toEqual([10, 70, 250]);
});

test("a return that is too old is listed again with the cause, and the hint to pay by transfer", async () => {
  await returnUnbooked(RETURN_REFUSED.tooOld);
  expect(await exceptions()).toMatchObject([
    { kind: "difference", facts: { return: "refused", refused_because: "too_old" } },
  ]);
  await expect(resolve("return_charge")).rejects.toThrow("by bank transfer");
});
