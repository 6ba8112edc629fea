import { expect, test } from "vitest";
import { exceptionId } from "../../../src/back-office/exceptions/exception.ts";
import { resolveAll } from "../../../src/back-office/exceptions/resolve-all.ts";
import { resolveException } from "../../../src/back-office/exceptions/resolve-exception.ts";
import { listExceptions } from "../../../src/back-office/list-exceptions.ts";
import { showOrder } from "../../../src/back-office/timeline/order-timeline.ts";
import { clp } from "../../../src/contract/vocabulary/clp.ts";
import { balancesOf } from "../../../src/orders/book-reads.ts";
import { deferredChargeId } from "../../../src/orders/derived-ids.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { type AfterPaidWorld, beginEach, type Clinic, DAY_MS, START } from "../after-paid/after-paid-world.ts";
import { present } from "../orders/orders-world.ts";

/*
 * A charge that the card processor has and the books do not, as after a restore. It is returned to the card once, and
 * only if its order can no longer find it.
 */

let world: AfterPaidWorld;
let clinic: Clinic;
beginEach({ at: START }, (beginning) => {
  ({ world, clinic } = beginning);
});

const RETURNED_MAIL = "Devolvimos a tu tarjeta un cobro que no correspondía";
const providerId = () => clinic.clinic.provider.id;
const dependencies = () => {
  const { database, clock } = world.bff;
  return { db: database.db, clock, ids: systemIds, environment: "staging" as const };
};
const advance = () => world.bff.advance(DAY_MS);

/** The processor charges an order's card without the service's knowledge. */
async function chargeTwice(hash: string, amount = 12_000, id: string = systemIds.uuid()): Promise<string> {
  const { card, orderId } = await clinic.order(hash);
  const call = { providerId: providerId(), idempotencyKey: `${id}:charge`, at: world.bff.clock.now() };
  const charged = await clinic.sandbox.cardProcessor.charge(call, {
    cardId: present(card).id,
    amount: clp(amount),
    orderHash: orderId,
    initiator: "patient",
    authenticationId: null,
    initialChargeId: null,
  });
  expect(charged.outcome).toBe("captured");
  return id;
}

const exceptions = async () =>
  (await listExceptions(dependencies(), providerId())).filter(({ kind }) => kind !== "receipt_missing");
const returnIt = async (actor = "operator:camila") => {
  const [difference, ...others] = await exceptions();
  expect(others).toEqual([]);
  const doing = { resolution: "return_charge", actor, note: null } as const;
  return resolveException(dependencies(), exceptionId(present(difference)), doing);
};
async function returns(): Promise<number[]> {
  const period = [new Date(START.getTime() - DAY_MS), new Date(world.bff.clock.now().getTime() + DAY_MS)] as const;
  const listed = await clinic.sandbox.cardProcessor.listMovements(providerId(), ...period);
  return listed.filter(({ kind }) => kind === "return").map(({ amount }) => amount);
}
const books = () => balancesOf(world.bff.database.db, providerId());

/** A paid order whose card was charged once too often, with the difference listed. */
async function doublyCharged(amount?: number): Promise<string> {
  const hash = await clinic.justPaid();
  await chargeTwice(hash, amount);
  await advance();
  expect(await exceptions()).toMatchObject([
    { kind: "difference", orderId: hash, facts: { kind: "charge_not_booked", found: amount ?? 12_000 } },
  ]);
  return hash;
}

test("a doubled charge is returned in full and reported, and the books agree with the list without a ledger row", async () => {
  const hash = await doublyCharged();
  const before = await books();
  expect(await returnIt()).toEqual({ isDone: true, outcome: "$12.000 go back to the card." });
  expect(await exceptions()).toEqual([]);
  await world.bff.runDue();
  expect(await returns()).toEqual([12_000]);
  expect(await clinic.mailTexts(RETURNED_MAIL)).toEqual([expect.stringContaining("$12.000")]);
  expect(await books()).toEqual(before);
  await advance();
  await advance();
  expect([await exceptions(), await returns()]).toEqual([[], [12_000]]);
  expect(await clinic.order(hash)).toMatchObject({ state: "paid", refunded: 0 });
  const { orderId } = await clinic.order(hash);
  const look = { orderId, providers: [clinic.clinic.provider], actor: "operator:camila", isRevealed: false };
  const { happened } = present(await showOrder(dependencies(), look));
  const shown = happened.map(({ what }) => what).filter((what) => what.startsWith("charge_return."));
  expect(shown).toEqual(["charge_return.requested", "charge_return.ended"]);
});

test.each([
  { fault: "fail_before", method: "returnCharge" },
  { fault: "fail_after", method: "returnCharge" },
  { fault: "twice", method: "returnCharge" },
  { fault: "fail_before", method: "listMovements" },
] as const)("a charge is returned once if $method has the fault $fault", async ({ fault, method }) => {
  await doublyCharged();
  await returnIt();
  await clinic.fault("card-processor", method, fault);
  await advance();
  expect([await returns(), await clinic.mailTexts(RETURNED_MAIL)]).toEqual([[12_000], [expect.any(String)]]);
  await advance();
  expect(await exceptions()).toEqual([]);
});

test("a return that the processor refuses is listed again with the reason", async () => {
  const hash = await doublyCharged();
  await returnIt();
  const { db } = world.bff.database;
  const { orderId } = await clinic.order(hash);
  await db.updateTable("sandbox_movements").set({ returned: 1 }).where("order_hash", "=", orderId).execute();
  await world.bff.runDue();
  expect(await exceptions()).toMatchObject([{ kind: "difference", facts: { return: "refused" } }]);
  await expect(returnIt()).rejects.toThrow("The processor refused");
  expect([await returns(), await clinic.mailTexts(RETURNED_MAIL)]).toEqual([[], []]);
});

test("returning a charge of 300,000 pesos or more needs two operators", async () => {
  await doublyCharged(300_000);
  expect(await returnIt("operator:camila")).toMatchObject({ isDone: false });
  await world.bff.runDue();
  expect(await returns()).toEqual([]);
  expect(await returnIt("operator:diego")).toMatchObject({ isDone: true });
});

test("a charge that the order may still find is not returned", async () => {
  const hash = await clinic.justPaid();
  const { orderId } = await clinic.order(hash);
  await chargeTwice(hash, 30_800, deferredChargeId(orderId, 2));
  await advance();
  await expect(returnIt()).rejects.toThrow("may still request this charge");
  await clinic.approve(hash);
  await world.bff.runDue();
  // The deferred part was charged as number 1. Number 2 is a second charge that no order looks up any more.
  expect(await clinic.tries(hash)).toEqual(["captured"]);
  expect(await returnIt()).toMatchObject({ isDone: true });
});

test("a charge that an unpaid order could still use stays, and is returned once the order cannot be paid", async () => {
  const hash = await clinic.readyOrder();
  const { orderId } = await clinic.order(hash);
  // A day is compared only after a payment at the clinic.
  await clinic.justPaid();
  await chargeTwice(hash, 30_800, deferredChargeId(orderId, 1));
  await advance();
  await expect(returnIt()).rejects.toThrow("may still request this charge");
  await clinic.call("cancelOrder", hash, { body: {} });
  expect(await returnIt()).toMatchObject({ isDone: true });
});

test("a difference about something else cannot be resolved this way", async () => {
  const hash = await clinic.justPaid();
  const { orderId } = await clinic.order(hash);
  const { db } = world.bff.database;
  await db.updateTable("sandbox_movements").set({ amount: 11_999 }).where("order_hash", "=", orderId).execute();
  await advance();
  await expect(returnIt()).rejects.toThrow("not about a charge");
});

test("all charges are returned by one request, each separately", async () => {
  const hashes = [await clinic.justPaid(), await clinic.justPaid(), await clinic.justPaid()];
  for (const hash of hashes) await chargeTwice(hash);
  await advance();
  const { resolved } = await resolveAll(
    dependencies(),
    { kind: "difference", providerId: providerId(), fact: { name: "kind", value: "charge_not_booked" } },
    { resolution: "return_charge", actor: "operator:camila", note: null },
  );
  expect(resolved.map(({ isDone }) => isDone)).toEqual([true, true, true]);
  await world.bff.runDue();
  expect(await returns()).toEqual([12_000, 12_000, 12_000]);
});
