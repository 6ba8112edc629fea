import { expect, test } from "vitest";
import { insertAttempt, selectOverdue } from "../../../src/collection/collection-store.ts";
import {
  countReportInquiry,
  insertReport,
  takeUpReports,
  writeReported,
} from "../../../src/collection/loan-reports/loan-report-store.ts";
import { clp } from "../../../src/contract/vocabulary/clp.ts";
import { MINUTE_MS } from "../../../src/contract/vocabulary/durations.ts";
import { inTransaction, type Transaction } from "../../../src/platform/database/transaction.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import {
  type AfterPaidWorld,
  beginEach,
  type Clinic,
  DAY_MS,
  START,
  WITHOUT_CLINICS_MONEY,
} from "../after-paid/after-paid-world.ts";

/* Statements of the collection whose effect no request shows: who takes up what, and in which order. */

let world: AfterPaidWorld;
let clinic: Clinic;
beginEach({ at: START, options: () => WITHOUT_CLINICS_MONEY }, (beginning) => {
  ({ world, clinic } = beginning);
});

const now = () => world.bff.clock.now();

/** An order of $40.000 that was just paid: $12.000 now, $28.000 and a commission of $2.800 later. */
const paidOrder = (card?: string) => clinic.justPaid(card);

test("the database rejects a charge by mandate that was not announced, or announced for another day or too late", async () => {
  const hash = await paidOrder();
  const { db } = world.bff.database;
  const charge = {
    cardId: "card",
    connector: null,
    initiator: "merchant",
    authenticationId: null,
    initialNetworkTransactionId: null,
  } as const;
  const refused = async (announced_for: Date, announced_at: Date | null) => {
    const announced = { announced_for, announced_at, announced_by: "notification", announced_amount: 1 } as const;
    await db.updateTable("collections").set(announced).where("order_id", "=", clinic.key(hash).orderId).execute();
    const inserted = inTransaction(db, (tx) =>
      insertAttempt(tx, clinic.key(hash), { id: systemIds.uuid(), ...charge }, now()),
    );
    await expect(inserted).rejects.toThrow("the patient was not told of a charge on this day");
  };
  const before = new Date(now().getTime() - DAY_MS);
  await refused(now(), null);
  await refused(before, new Date(now().getTime() - 2 * DAY_MS));
  await refused(new Date(now().getTime() + 1_000), before);
});

test("selectOverdue finds the clinic's own due collections, oldest first, up to the limit", async () => {
  const other = await world.newClinic();
  const theirs = await other.justPaid();
  const [waiting, later, sooner] = [await paidOrder(), await paidOrder(), await paidOrder()];
  await other.approve(theirs);
  for (const hash of [sooner, later]) {
    await clinic.approve(hash);
    world.bff.clock.advance(MINUTE_MS);
  }
  const { providerId } = clinic.key(waiting);
  const found = async (limit: number) => {
    const overdue = await selectOverdue(world.bff.database.db, { providerId, dueBefore: now(), limit });
    return overdue.map(({ orderId }) => orderId);
  };
  expect(await found(9)).toEqual([sooner, later]);
  expect(await found(1)).toEqual([sooner]);
});

test("the lender gets each report about a loan once and in sequence, and unanswered ones lead to inquiries", async () => {
  const [hash, otherOrder] = [await paidOrder(), await paidOrder()];
  const { db } = world.bff.database;
  const write = <Result>(run: (tx: Transaction) => Promise<Result>) => inTransaction(db, run);
  const add = (of: string, end: "in_arrears" | "collected" | "refunded") =>
    write((tx) => insertReport(tx, clinic.key(of), { end, amount: clp(1), at: now() }));
  const take = async (of: string) => {
    const { reports, mayHaveArrived } = await write((tx) => takeUpReports(tx, clinic.key(of), now()));
    return [mayHaveArrived, ...reports.map(({ number, end }) => `${number} ${end}`)];
  };
  const confirm = (of: string, number: number) => write((tx) => writeReported(tx, clinic.key(of), number, now()));
  await add(hash, "in_arrears");
  await add(otherOrder, "refunded");
  await add(hash, "collected");
  expect(await take(hash)).toEqual([false, "1 in_arrears", "2 collected"]);
  expect([await confirm(hash, 1), await confirm(hash, 1)]).toEqual([true, false]);
  await add(hash, "refunded");
  expect(await take(hash)).toEqual([true, "2 collected", "3 refunded"]);
  const counted = [
    await countReportInquiry(db, clinic.key(hash), 3),
    await countReportInquiry(db, clinic.key(hash), 2),
    await countReportInquiry(db, clinic.key(otherOrder), 1),
  ];
  expect(counted).toEqual([1, 1, 1]);
  expect([await confirm(hash, 2), await confirm(hash, 3), await take(hash)]).toEqual([true, true, [false]]);
  expect(await take(otherOrder)).toEqual([false, "1 refunded"]);
});
