import { type RawBuilder, type Selectable, sql } from "kysely";
import { ACCOUNT_REFUSALS } from "../contract/vocabulary/banks.ts";
import { type Clp, clp } from "../contract/vocabulary/clp.ts";
import type { FeeRegime } from "../contract/vocabulary/commission-tax.ts";
import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import type { PayoutsRow } from "../platform/database/tables.ts";
import type { Database, Transaction } from "../platform/database/transaction.ts";
import type { CalendarDay } from "../platform/santiago-time.ts";
import type { MadePayout, PayableOrder, PayoutItem } from "./payout.ts";
import { lenderOf, ownersOf, type Payee, type Payout, type PayoutKey } from "./payouts/payout-record.ts";

export interface PayoutTerms {
  readonly feeBasisPoints: number;
  readonly feeRegime: FeeRegime;
  readonly sealedBankAccount: string | null;
}

export async function readTerms(db: Database, providerId: string): Promise<PayoutTerms | null> {
  const row = await db.selectFrom("payout_terms").selectAll().where("provider_id", "=", providerId).executeTakeFirst();
  return row === undefined
    ? null
    : {
        feeBasisPoints: row.fee_basis_points,
        feeRegime: row.fee_regime,
        sealedBankAccount: row.sealed_bank_account,
      };
}

/** Records the agreed terms. Without an account in them, the recorded one stays. */
export async function writeTerms(tx: Transaction, providerId: string, terms: PayoutTerms, at: Date): Promise<void> {
  const { feeBasisPoints, feeRegime, sealedBankAccount } = terms;
  const agreed = { fee_basis_points: feeBasisPoints, fee_regime: feeRegime, updated_at: at };
  await tx
    .insertInto("payout_terms")
    .values({ provider_id: providerId, sealed_bank_account: sealedBankAccount, ...agreed })
    .onConflict((conflict) =>
      conflict
        .column("provider_id")
        // The account is written only if the caller gave one: a value that was read earlier may be out of date.
        .doUpdateSet({ ...agreed, ...(sealedBankAccount === null ? {} : { sealed_bank_account: sealedBankAccount }) }),
    )
    .execute();
}

/** Records a paid order and its payee, unless they are already recorded. */
export async function insertPayable(
  tx: Transaction,
  payee: Payee,
  payable: Pick<PayoutTerms, "feeBasisPoints" | "feeRegime"> & { readonly orderId: OrderId; readonly movedAt: Date },
): Promise<void> {
  await tx
    .insertInto("payees")
    .values({ provider_id: payee.providerId, id: payee.id, kind: payee.kind })
    .onConflict((conflict) => conflict.columns(["provider_id", "id"]).doNothing())
    .execute();
  await tx
    .insertInto("payable_orders")
    .values({
      provider_id: payee.providerId,
      order_id: payable.orderId,
      payee_id: payee.id,
      fee_basis_points: payable.feeBasisPoints,
      fee_regime: payable.feeRegime,
      moved_at: payable.movedAt,
    })
    .onConflict((conflict) => conflict.columns(["provider_id", "order_id"]).doNothing())
    .execute();
}

/** Records that a part of these orders was collected for the lender, so that its next payout includes it. */
export async function insertCollected(
  tx: Transaction,
  { providerId, id, kind }: Payee,
  collected: { readonly orderIds: readonly OrderId[]; readonly at: Date },
): Promise<void> {
  await tx
    .insertInto("payees")
    .values({ provider_id: providerId, id, kind })
    .onConflict((conflict) => conflict.columns(["provider_id", "id"]).doNothing())
    .execute();
  await sql`
    insert into collected_orders as c (provider_id, order_id, payee_id, moved_at)
    select ${providerId}::uuid, order_id, ${id}::uuid, ${collected.at}::timestamptz
    from unnest(${collected.orderIds}::uuid[]) as given (order_id)
    on conflict (provider_id, order_id) do update
      set moved_at = greatest(coalesce(c.moved_at, excluded.moved_at), excluded.moved_at)
  `.execute(tx);
}

/** The table of orders that wait for a payout: to clinics, or of collections to the lender. */
function waitingOrders(of: PayoutsAsked["of"]): RawBuilder<unknown> {
  return sql.table(of === "lender" ? "collected_orders" : "payable_orders");
}

/** Marks orders whose money has moved again, so that the next payout includes them. */
export async function markMoved(
  tx: Transaction,
  {
    providerId,
    of,
    orderIds,
    at,
  }: Pick<PayoutsAsked, "providerId" | "of"> & { orderIds: readonly OrderId[]; at: Date },
): Promise<void> {
  await sql`
    update ${waitingOrders(of)} set moved_at = greatest(coalesce(moved_at, ${at}), ${at})
    where provider_id = ${providerId} and order_id = any(${orderIds}::uuid[])
  `.execute(tx);
}

/** A provider's payees with money that moved before `before` and is in no payout. */
export async function selectPayeesToPay(
  db: Database,
  { providerId, before }: { providerId: string; before: Date },
): Promise<Payee[]> {
  const { rows } = await sql<{ id: string; kind: Payee["kind"] }>`
    select id, kind from payees
    where provider_id = ${providerId} and (
      exists (select 1 from payable_orders o
        where o.provider_id = payees.provider_id and o.payee_id = payees.id and o.moved_at < ${before})
      or exists (select 1 from collected_orders c
        where c.provider_id = payees.provider_id and c.payee_id = payees.id and c.moved_at < ${before}))
    order by id
  `.execute(db);
  return rows.map(({ id, kind }) => ({ providerId, id, kind }));
}

/** The ids of all payees of a provider's orders. */
export async function selectPayeeIds(db: Database, providerId: string): Promise<string[]> {
  const rows = await db.selectFrom("payees").select("id").where("provider_id", "=", providerId).execute();
  return rows.map(({ id }) => id);
}

/** Locks a payee, so that two concurrent runs pay it one after another. */
export async function lockPayee(tx: Transaction, { providerId, id }: Pick<Payee, "providerId" | "id">): Promise<void> {
  await sql`select 1 from payees where provider_id = ${providerId} and id = ${id} for update`.execute(tx);
}

/**
 * Whether a payout to this payee is in progress or was made for this day. Also the account's hash, if the payout that
 * ended last was refused or returned because of its account.
 */
export async function readEarlierPayouts(
  tx: Transaction,
  { providerId, id }: Pick<Payee, "providerId" | "id">,
  day: CalendarDay,
): Promise<{ isBusy: boolean; refusedAccountHash: string | null }> {
  const { rows } = await sql<{ busy: boolean; refused: string | null }>`
    select exists (select 1 from payouts where provider_id = ${providerId} and payee_id = ${id}
        and (state = 'sending' or day = ${day}::date)) as busy,
      (select case when refusal = any(${[...ACCOUNT_REFUSALS]}::text[]) then account_hash end from payouts
        where provider_id = ${providerId} and payee_id = ${id}
        order by coalesce(returned_at, settled_at, created_at) desc limit 1) as refused
  `.execute(tx);
  return { isBusy: rows[0]?.busy ?? false, refusedAccountHash: rows[0]?.refused ?? null };
}

/**
 * A payee's orders whose money moved before `before`, with each order's sums in its payouts that were not refused. The
 * lender's collections carry no fee.
 */
export async function selectPayableOrders(
  tx: Transaction,
  payee: Payee,
  before: Date,
): Promise<Omit<PayableOrder, "owed">[]> {
  const { providerId, id } = payee;
  const [fee, regime] =
    payee.kind === "lender" ? [sql`0`, sql`'exempt'`] : [sql`max(o.fee_basis_points)`, sql`max(o.fee_regime)`];
  const { rows } = await sql<PayableRow>`
    select o.order_id, ${fee} as fee_basis_points, ${regime} as fee_regime,
      coalesce(sum(i.net) filter (where p.state <> 'refused'), 0) as net,
      coalesce(sum(i.fee) filter (where p.state <> 'refused'), 0) as fee
    from ${waitingOrders(ownersOf(payee))} o
    left join payout_items i on i.provider_id = o.provider_id and i.order_id = o.order_id
    left join payouts p on p.provider_id = i.provider_id and p.id = i.payout_id and p.payee_id = o.payee_id
    where o.provider_id = ${providerId} and o.payee_id = ${id} and o.moved_at < ${before}
    group by o.order_id
    order by o.order_id
  `.execute(tx);
  return rows.map((row) => ({
    orderId: row.order_id,
    feeBasisPoints: row.fee_basis_points,
    feeRegime: row.fee_regime,
    paidNet: clp(row.net),
    paidFee: clp(row.fee),
  }));
}

interface PayableRow {
  order_id: OrderId;
  fee_basis_points: number;
  fee_regime: FeeRegime;
  net: number;
  fee: number;
}

/** Records a payout with its items before the bank is called, and unmarks its orders. */
export async function insertPayout(
  tx: Transaction,
  payout: Omit<Payout, "state" | "connector" | "refusal" | "inquiries">,
  items: readonly PayoutItem[],
  { before, at }: { readonly before: Date; readonly at: Date },
): Promise<void> {
  const { providerId, id, payeeId, account } = payout;
  await tx
    .insertInto("payouts")
    .values({
      provider_id: providerId,
      id,
      payee_id: payeeId,
      day: payout.day,
      amount: payout.amount,
      state: "sending",
      sealed_bank_account: account.sealed,
      account_hash: account.hash,
      transfer_id: null,
      taken_at: null,
      ends_by: null,
      returned_at: null,
      refusal: null,
      inquiries: 0,
      created_at: at,
      settled_at: null,
    })
    .execute();
  await sql`
    insert into payout_items (provider_id, payout_id, order_id, net, fee, fee_vat)
    select ${providerId}::uuid, ${id}::uuid, * from unnest(
      ${items.map(({ orderId }) => orderId)}::uuid[], ${items.map(({ net }) => net)}::bigint[],
      ${items.map(({ fee }) => fee)}::bigint[], ${items.map(({ feeVat }) => feeVat)}::bigint[])
  `.execute(tx);
  await sql`
    update ${waitingOrders(ownersOf({ providerId, id: payeeId }))} set moved_at = null
    where provider_id = ${providerId} and payee_id = ${payeeId} and moved_at < ${before}
  `.execute(tx);
}

/** Reads a payout, and records `connector` as the one that takes its call if none is recorded. */
export async function takeUpPayout(
  db: Database,
  { providerId, id }: PayoutKey,
  connector: string,
): Promise<Payout | null> {
  const row = await db
    .updateTable("payouts")
    .set({ connector: sql`coalesce(connector, ${connector})` })
    .where("provider_id", "=", providerId)
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirst();
  return row === undefined ? null : toPayout(row);
}

export async function readPayout(db: Database, key: PayoutKey): Promise<Payout | null> {
  const row = await selectPayout(db, key);
  return row === undefined ? null : toPayout(row);
}

function selectPayout(db: Database, { providerId, id }: PayoutKey): Promise<Selectable<PayoutsRow> | undefined> {
  return db
    .selectFrom("payouts")
    .selectAll()
    .where("provider_id", "=", providerId)
    .where("id", "=", id)
    .executeTakeFirst();
}

export interface PayoutsAsked {
  readonly providerId: string;
  readonly from: CalendarDay;
  readonly to: CalendarDay;
  /** The payouts of the provider and its centres, or those of the lender. */
  readonly of: "clinics" | "lender";
}

/** The payouts of the days from `from` to `to`, both included, oldest first. */
export async function selectPayouts(db: Database, { providerId, from, to, of }: PayoutsAsked): Promise<MadePayout[]> {
  const rows = await db
    .selectFrom("payouts")
    .selectAll()
    .where("provider_id", "=", providerId)
    .where("day", ">=", from)
    .where("day", "<=", to)
    .where("payee_id", of === "lender" ? "=" : "<>", lenderOf(providerId).id)
    .orderBy("day")
    .orderBy("id")
    .execute();
  return rows.map(toMadePayout);
}

/** One payout of a provider; null if it has none with this id. */
export async function readMadePayout(db: Database, key: PayoutKey): Promise<MadePayout | null> {
  const row = await selectPayout(db, key);
  return row === undefined ? null : toMadePayout(row);
}

/** Records that the bank has accepted a payout in progress. Returns whether it was in progress and not yet accepted. */
export async function writeTaken(
  tx: Transaction,
  key: PayoutKey,
  { transferId, takenAt, endsBy }: { readonly transferId: string; readonly takenAt: Date; readonly endsBy: Date },
): Promise<boolean> {
  const result = await tx
    .updateTable("payouts")
    .set({ transfer_id: transferId, taken_at: takenAt, ends_by: endsBy, inquiries: 0 })
    .where("provider_id", "=", key.providerId)
    .where("id", "=", key.id)
    .where("state", "=", "sending")
    .where("taken_at", "is", null)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Records that a paid payout came back. Returns whether it was paid until then. */
export async function writeReturned(
  tx: Transaction,
  key: PayoutKey,
  { reason, returnedAt }: { readonly reason: string; readonly returnedAt: Date },
): Promise<boolean> {
  const result = await tx
    .updateTable("payouts")
    .set({ state: "refused", refusal: reason, returned_at: returnedAt })
    .where("provider_id", "=", key.providerId)
    .where("id", "=", key.id)
    .where("state", "=", "paid")
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** The payouts that came back in [from, to), by the bank's date. */
export async function selectReturnedPayouts(
  tx: Transaction,
  { providerId, from, to }: { readonly providerId: string; readonly from: Date; readonly to: Date },
): Promise<{ readonly id: string; readonly amount: Clp; readonly returnedAt: Date }[]> {
  const { rows } = await sql<{ id: string; amount: number; returned_at: Date }>`
    select id, amount, returned_at from payouts
    where provider_id = ${providerId} and state = 'refused' and returned_at >= ${from} and returned_at < ${to}
  `.execute(tx);
  return rows.map((row) => ({ id: row.id, amount: clp(row.amount), returnedAt: row.returned_at }));
}

/** The amounts of those of these payouts that are paid. */
export async function selectPaidPayouts(
  tx: Transaction,
  { providerId, ids }: { readonly providerId: string; readonly ids: readonly string[] },
): Promise<ReadonlyMap<string, Clp>> {
  const { rows } = await sql<{ id: string; amount: number }>`
    select id, amount from payouts
    where provider_id = ${providerId} and id::text = any(${ids}::text[]) and state = 'paid' and returned_at is null
  `.execute(tx);
  return new Map(rows.map(({ id, amount }) => [id, clp(amount)]));
}

/** Ends a payout in progress. Returns whether it was in progress. */
export async function settlePayout(
  tx: Transaction,
  key: PayoutKey,
  ended: { readonly transferId: string } | { readonly refusal: string },
  at: Date,
): Promise<boolean> {
  const change =
    "transferId" in ended
      ? { state: "paid" as const, transfer_id: ended.transferId }
      : { state: "refused" as const, refusal: ended.refusal };
  const result = await tx
    .updateTable("payouts")
    .set({ ...change, settled_at: at })
    .where("provider_id", "=", key.providerId)
    .where("id", "=", key.id)
    .where("state", "=", "sending")
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Counts an inquiry without an answer. Returns the new count. */
export async function countInquiry(db: Database, key: PayoutKey): Promise<number> {
  const row = await db
    .updateTable("payouts")
    .set({ inquiries: sql`inquiries + 1` })
    .where("provider_id", "=", key.providerId)
    .where("id", "=", key.id)
    .returning("inquiries")
    .executeTakeFirst();
  return row?.inquiries ?? 0;
}

export async function readItems(db: Database, key: PayoutKey): Promise<PayoutItem[]> {
  const rows = await db
    .selectFrom("payout_items")
    .select(["order_id", "net", "fee", "fee_vat"])
    .where("provider_id", "=", key.providerId)
    .where("payout_id", "=", key.id)
    .orderBy("order_id")
    .execute();
  return rows.map(({ order_id, net, fee, fee_vat }) => {
    return { orderId: order_id, net: clp(net), fee: clp(fee), feeVat: clp(fee_vat) };
  });
}

function toMadePayout(row: Selectable<PayoutsRow>): MadePayout {
  const { providerId, id, payeeId, day, amount, state, refusal } = toPayout(row);
  const made = { providerId, id, payeeId, day, amount, state, refusal };
  return {
    ...made,
    transferId: row.transfer_id,
    settledAt: row.settled_at,
    endsBy: row.ends_by,
    returnedAt: row.returned_at,
  };
}

function toPayout(row: Selectable<PayoutsRow>): Payout {
  return {
    providerId: row.provider_id,
    id: row.id,
    payeeId: row.payee_id,
    day: row.day,
    amount: row.amount as Clp,
    state: stateOf(row),
    account: { sealed: row.sealed_bank_account, hash: row.account_hash },
    connector: row.connector,
    refusal: row.refusal,
    inquiries: row.inquiries,
  };
}

/** The table has two states as details of others, which an earlier build treats correctly. */
function stateOf({ state, taken_at, returned_at }: Selectable<PayoutsRow>): Payout["state"] {
  if (state === "sending" && taken_at !== null) return "pending";
  return returned_at === null ? state : "returned";
}
