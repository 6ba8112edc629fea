import { sql } from "kysely";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readOrderId } from "../../../src/contract/vocabulary/identifiers.ts";
import { inTransaction } from "../../../src/platform/database/transaction.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { differenceEntries, payoutTimers } from "../../../src/settlement/operations-store.ts";
import { PAYOUT_RUN_TIMER } from "../../../src/settlement/payouts/owe-payee.ts";
import {
  deleteWaiting,
  insertPayeeAccount,
  writeConfirmed,
} from "../../../src/settlement/payouts/payee-account-store.ts";
import { keepRun } from "../../../src/settlement/reconciliation/reconciliation-store.ts";
import { cancelledOrder } from "../../cancelled-order.ts";
import { startBff, type TestBff, type TestProvider } from "../../start-bff.ts";
import { present } from "../orders/orders-world.ts";

/* Statements of the settlement that must leave the rows of other days, accounts, clinics and orders alone. */

let bff: TestBff;
beforeAll(async () => {
  bff = await startBff();
});
afterAll(() => bff.close());

const FROM = new Date("2026-11-20T03:00:00Z");
const UNTIL = new Date("2026-11-21T03:00:00Z");
const NOW = new Date("2026-11-21T12:00:00Z");

it("a difference is gone only if its day was compared, its list was available and its outcome is known", async () => {
  const { db } = bff.database;
  const { id: providerId } = (await bff.createProvider()).provider;
  const at = (milliseconds: number) => new Date(FROM.getTime() + milliseconds);
  const difference = { kind: "charge_not_booked", orderId: null, expected: null, found: null } as const;
  const first = [
    { ...difference, party: "card_processor", reference: "before", at: at(-1) },
    { ...difference, party: "card_processor", reference: "begins", at: at(0) },
    { ...difference, party: "card_processor", reference: "after", at: UNTIL },
    { ...difference, party: "card_processor", reference: "unresolved", at: at(1) },
    { ...difference, party: "bank", reference: "unavailable", at: at(1) },
    { ...difference, party: "ledger", reference: "any age", at: at(-1) },
  ] as const;
  const run = { providerId, day: "2026-11-20", periods: [{ from: FROM, to: UNTIL }] } as const;
  await inTransaction(db, (tx) =>
    keepRun(tx, { ...run, at: UNTIL, differences: first, unavailable: [], unresolved: [] }),
  );
  const gone = { ...run, at: NOW, differences: [], unavailable: ["bank"], unresolved: ["unresolved"] } as const;
  await inTransaction(db, (tx) => keepRun(tx, gone));
  const open = db.selectFrom("reconciliation_differences").select("reference").where("provider_id", "=", providerId);
  const left = await open.where("gone_at", "is", null).execute();
  expect(left.map(({ reference }) => reference).sort()).toEqual(["after", "before", "unavailable", "unresolved"]);
});

it("a payee's waiting account is deleted without the confirmed one, which cannot be confirmed again", async () => {
  const { db } = bff.database;
  const { id: providerId } = (await bff.createProvider()).provider;
  await db.insertInto("payees").values({ provider_id: providerId, id: providerId, kind: "provider" }).execute();
  const [confirmed, waiting] = [systemIds.uuid(), systemIds.uuid()];
  const left = async () => {
    const accounts = db.selectFrom("payee_accounts").select("id").where("provider_id", "=", providerId);
    return (await accounts.execute()).map(({ id }) => id);
  };
  await inTransaction(db, async (tx) => {
    const payee = { providerId, id: providerId, kind: "provider" } as const;
    await insertPayeeAccount(tx, payee, { id: confirmed, sealed: "a", at: NOW, confirmedAt: NOW });
    await insertPayeeAccount(tx, payee, { id: waiting, sealed: "b", at: NOW, confirmedAt: null });
    await deleteWaiting(tx, payee);
    expect(await writeConfirmed(tx, { providerId, id: confirmed }, NOW)).toBe(false);
  });
  expect(await left()).toEqual([confirmed]);
});

/** The timers that an order's timeline names for its payouts. */
async function timersOf(clinic: TestProvider, hash: string) {
  const order = { providerId: clinic.provider.id, orderId: present(readOrderId(hash)), clockOffsetMs: 0 };
  const found = await Promise.all(payoutTimers(order).map((timers) => timers.execute(bff.database.db)));
  return found.flatMap(({ rows }) => rows);
}

it("a collected order waits for a remittance only if its own clinic's lender has an account", async () => {
  const { db } = bff.database;
  const [clinic, other] = [await bff.createProvider(), await bff.createProvider()];
  const { hash } = await cancelledOrder(bff, clinic);
  const [of, payee] = [clinic.provider.id, systemIds.uuid()];
  await db.insertInto("payees").values({ provider_id: of, id: payee, kind: "lender" }).execute();
  const collected = { provider_id: of, order_id: hash, payee_id: payee, moved_at: NOW };
  await db.insertInto("collected_orders").values(collected).execute();
  const account = (provider_id: string) =>
    db.insertInto("lender_accounts").values({ provider_id, sealed_bank_account: "sealed", updated_at: NOW }).execute();
  await account(other.provider.id);
  expect(await timersOf(clinic, hash)).toEqual([]);
  await account(of);
  expect(await timersOf(clinic, hash)).toEqual([{ kind: PAYOUT_RUN_TIMER, key: of }]);
});

it("an order's timeline shows the charges returned for it, and none returned for another order", async () => {
  const clinic = await bff.createProvider();
  const { db } = bff.database;
  const hashes = [(await cancelledOrder(bff, clinic)).hash, (await cancelledOrder(bff, clinic)).hash] as const;
  for (const [index, hash] of hashes.entries())
    await sql`
      insert into charge_returns (id, provider_id, reference, order_id, amount, charged_at, requested_at)
      values (${systemIds.uuid()}, ${clinic.provider.id}, ${`charge ${index}`}, ${hash}, 12000, ${FROM}, ${NOW})`.execute(
      db,
    );
  const order = { providerId: clinic.provider.id, orderId: present(readOrderId(hashes[0])), clockOffsetMs: 0 };
  const shown = await Promise.all(differenceEntries(order).map((entries) => entries.execute(db)));
  expect(shown.flatMap(({ rows }) => rows)).toMatchObject([{ what: "charge_return.requested", subject: "charge 0" }]);
});
