import { type RawBuilder, type Selectable, sql } from "kysely";
import { type Clp, clp } from "../contract/vocabulary/clp.ts";
import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import { type ReadColumn, type RowInColumn, rowInColumn } from "../platform/database/read-column.ts";
import type { ClaimsRow } from "../platform/database/tables.ts";
import type { Database, StatementPart, Transaction } from "../platform/database/transaction.ts";
import type { ClaimState } from "./claim.ts";

export interface ClaimRecord {
  readonly providerId: string;
  readonly id: string;
  readonly orderId: OrderId;
  readonly expenseId: string;
  readonly beneficiaryId: string;
  readonly state: ClaimState;
  /** Counts the calls that file this claim. Each call's idempotency key contains it. */
  readonly attempt: number;
  /** The connector that took the last of these calls; null if there was none, or an earlier version made it. */
  readonly connector: string | null;
  /** The number of inquiries about the call in progress. */
  readonly inquiries: number;
  readonly insurerClaimId: string | null;
  readonly reason: string | null;
  /** The insurer's code for a rejection, if it gave one. */
  readonly rejectionCode: string | null;
  /** When the insurer's gateway took the claim to file it later; null if it did not. */
  readonly queuedAt: Date | null;
  readonly filedAt: Date | null;
  readonly blockedSince: Date | null;
  /** When the patient gave the access that the insurer received after the filing; null if it received none. */
  readonly renewedAccessAt: Date | null;
  /**
   * When the service found that it may not inquire about the claim, or not file it. Blocked access observed before this
   * does not count.
   */
  readonly unfollowedAt: Date | null;
  readonly reimbursed: Clp | null;
  /** While the claim is being filed: when the call, or its last inquiry, was recorded. */
  readonly updatedAt: Date;
}

export interface ClaimKey {
  readonly providerId: string;
  readonly id: string;
}

/** Inserts the claim of an order unless the order has one. Returns whether it was inserted. */
export async function insertClaim(
  tx: Transaction,
  claim: Pick<ClaimRecord, "providerId" | "id" | "orderId" | "expenseId" | "beneficiaryId"> & { readonly at: Date },
): Promise<boolean> {
  const result = await tx
    .insertInto("claims")
    .values({
      provider_id: claim.providerId,
      id: claim.id,
      order_id: claim.orderId,
      expense_id: claim.expenseId,
      beneficiary_id: claim.beneficiaryId,
      state: "ready",
      attempt: 0,
      connector: null,
      inquiries: 0,
      insurer_claim_id: null,
      reason: null,
      rejection_code: null,
      created_at: claim.at,
      updated_at: claim.at,
      queued_at: null,
      filed_at: null,
      blocked_since: null,
      renewed_access_at: null,
      unfollowed_at: null,
      reimbursed: null,
    })
    .onConflict((conflict) => conflict.constraint("claims_order_key").doNothing())
    .executeTakeFirst();
  return result.numInsertedOrUpdatedRows === 1n;
}

export async function readClaim(db: Database, key: ClaimKey): Promise<ClaimRecord | null> {
  const row = await db
    .selectFrom("claims")
    .selectAll()
    .where("provider_id", "=", key.providerId)
    .where("id", "=", key.id)
    .executeTakeFirst();
  return row === undefined ? null : toClaim(row);
}

/** The claim of an order; `null` if the order has none. */
export async function readClaimOfOrder(
  db: Database,
  order: { readonly providerId: string; readonly orderId: OrderId },
): Promise<ClaimRecord | null> {
  const row = await db
    .selectFrom("claims")
    .selectAll()
    .where("provider_id", "=", order.providerId)
    .where("order_id", "=", order.orderId)
    .executeTakeFirst();
  return row === undefined ? null : toClaim(row);
}

/** The claims of the given orders of a provider, by order. */
export async function readClaimsOfOrders(
  db: Database,
  { providerId, orderIds }: { readonly providerId: string; readonly orderIds: readonly OrderId[] },
): Promise<ReadonlyMap<OrderId, ClaimRecord>> {
  const rows = await db
    .selectFrom("claims")
    .selectAll()
    .where("provider_id", "=", providerId)
    .where(sql<boolean>`order_id = any(${[...orderIds]}::uuid[])`)
    .execute();
  return new Map(rows.map((row) => [row.order_id, toClaim(row)]));
}

/** The claim of an order as a column of a statement. */
export function claimColumn({
  providerId,
  orderId,
}: {
  readonly providerId: StatementPart;
  readonly orderId: StatementPart;
}): ReadColumn<ClaimRecord> {
  return {
    column: sql`(select to_json(claims) from claims
      where provider_id = ${providerId}::uuid and order_id = ${orderId}::uuid)`,
    read: (column) =>
      column === null
        ? null
        : toClaim(rowInColumn<Selectable<ClaimsRow>>(column as RowInColumn<Selectable<ClaimsRow>>, CLAIM_MOMENTS)),
  };
}

const CLAIM_MOMENTS = [
  "created_at",
  "updated_at",
  "queued_at",
  "filed_at",
  "blocked_since",
  "renewed_access_at",
  "unfollowed_at",
] as const;

/** Locks the claim of an order and reads it; `null` if the order has none. */
export async function lockClaimOfOrder(
  tx: Transaction,
  order: { readonly providerId: string; readonly orderId: OrderId },
): Promise<ClaimRecord | null> {
  const row = await tx
    .selectFrom("claims")
    .selectAll()
    .where("provider_id", "=", order.providerId)
    .where("order_id", "=", order.orderId)
    .forUpdate()
    .executeTakeFirst();
  return row === undefined ? null : toClaim(row);
}

/** The orders of a patient whose claims may be waiting for access to the insurer. */
export async function readOrdersWithoutAccess(
  db: Database,
  beneficiaryId: string,
): Promise<{ providerId: string; orderId: OrderId }[]> {
  const rows = await db
    .selectFrom("claims")
    .select(["provider_id", "order_id"])
    .where("beneficiary_id", "=", beneficiaryId)
    // A claim that is being filed counts too: the insurer may answer that it lacks the access that was just given.
    .where("state", "in", ["filing", "access_missing", "access_blocked"])
    .orderBy("created_at")
    .execute();
  return rows.map((row) => ({ providerId: row.provider_id, orderId: row.order_id }));
}

/** The orders of a patient whose claims have not ended. */
export async function readOrdersOfOpenClaims(
  db: Database,
  beneficiaryId: string,
): Promise<{ providerId: string; orderId: OrderId }[]> {
  const rows = await db
    .selectFrom("claims")
    .select(["provider_id", "order_id"])
    .where("beneficiary_id", "=", beneficiaryId)
    .where("state", "in", ["ready", "filing", "held", "access_missing", "access_blocked"])
    .orderBy("created_at")
    .execute();
  return rows.map((row) => ({ providerId: row.provider_id, orderId: row.order_id }));
}

/** The claims of a patient that were filed and wait for an answer. */
export async function readFiledClaims(db: Database, beneficiaryId: string): Promise<ClaimKey[]> {
  const rows = await db
    .selectFrom("claims")
    .select(["provider_id", "id"])
    .where("beneficiary_id", "=", beneficiaryId)
    .where("state", "=", "filed")
    .execute();
  return rows.map(({ provider_id, id }) => ({ providerId: provider_id, id }));
}

/** Our ids of the claims that the insurer knows under a given id. */
export async function readClaimIdsOfInsurer(
  db: Database,
  { providerId, insurerClaimId }: { readonly providerId: string; readonly insurerClaimId: string },
): Promise<string[]> {
  const rows = await db
    .selectFrom("claims")
    .select("id")
    .where("provider_id", "=", providerId)
    .where("insurer_claim_id", "=", insurerClaimId)
    .execute();
  return rows.map(({ id }) => id);
}

const CLAIMS_AT_ONCE_MAX = 1_000;

/** A provider's filed claims by the insurers' ids, and whether each is still only waiting. */
export async function readAwaitedClaims(
  db: Database,
  providerId: string,
): Promise<{ readonly id: string; readonly insurerClaimId: string | null; readonly onlyWaits: boolean }[]> {
  const rows = await db
    .selectFrom("claims")
    .select(["id", "insurer_claim_id", "blocked_since", "unfollowed_at"])
    .where("provider_id", "=", providerId)
    .where("state", "=", "filed")
    .execute();
  return rows.map((row) => ({
    id: row.id,
    insurerClaimId: row.insurer_claim_id,
    onlyWaits: row.blocked_since === null && row.unfollowed_at === null,
  }));
}

/** The ids of a provider's filed claims that wait for an answer: at most `limit`, after the id `after`. */
export async function readFiledClaimIds(
  db: Database,
  { providerId, after }: { readonly providerId: string; readonly after: string | null },
): Promise<string[]> {
  const rows = await db
    .selectFrom("claims")
    .select("id")
    .where("provider_id", "=", providerId)
    .where("state", "=", "filed")
    .$if(after !== null, (query) => query.where("id", ">", after))
    .orderBy("id")
    .limit(CLAIMS_AT_ONCE_MAX)
    .execute();
  return rows.map(({ id }) => id);
}

/** The new values of a claim. Absent ones stay unchanged. */
interface ClaimChange {
  readonly state: ClaimState;
  readonly at: Date;
  readonly attempt?: number;
  readonly connector?: string;
  readonly inquiries?: number;
  readonly insurerClaimId?: string;
  readonly reason?: string | null;
  readonly rejectionCode?: string | null;
  readonly queuedAt?: Date | null;
  readonly filedAt?: Date;
  readonly blockedSince?: Date | null;
  readonly reimbursed?: Clp;
}

/** Changes a claim if its state and attempt are still those that were read. Returns whether they were. */
export async function changeClaim(tx: Database, claim: ClaimRecord, change: ClaimChange): Promise<boolean> {
  const result = await tx
    .updateTable("claims")
    .set({
      state: change.state,
      updated_at: change.at,
      attempt: change.attempt ?? claim.attempt,
      connector: change.connector,
      inquiries: change.inquiries ?? claim.inquiries,
      insurer_claim_id: change.insurerClaimId ?? claim.insurerClaimId,
      reason: change.reason === undefined ? claim.reason : change.reason,
      rejection_code: change.rejectionCode === undefined ? claim.rejectionCode : change.rejectionCode,
      queued_at: change.queuedAt === undefined ? claim.queuedAt : change.queuedAt,
      filed_at: change.filedAt ?? claim.filedAt,
      blocked_since: change.blockedSince === undefined ? claim.blockedSince : change.blockedSince,
      reimbursed: change.reimbursed ?? claim.reimbursed,
    })
    .where("provider_id", "=", claim.providerId)
    .where("id", "=", claim.id)
    .where("state", "=", claim.state)
    .where("attempt", "=", claim.attempt)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** A claim with the connector that took it. Records the present one if an earlier version recorded none. */
export async function withConnector(db: Database, claim: ClaimRecord, present: string): Promise<ClaimRecord> {
  if (claim.connector !== null) return claim;
  const { providerId, id } = claim;
  await db
    .updateTable("claims")
    .set({ connector: present })
    .where("provider_id", "=", providerId)
    .where("id", "=", id)
    .where("connector", "is", null)
    .execute();
  return { ...claim, connector: present };
}

/** Records that operators finish a claim. One that is filed gets the id by which they know it. */
export async function writeTakenByHand(
  tx: Transaction,
  { providerId, id, state }: ClaimRecord,
  { connector, insurerClaimId }: { readonly connector: string; readonly insurerClaimId: string },
): Promise<void> {
  await tx
    .updateTable("claims")
    .set({ connector, ...(state === "filed" && { insurer_claim_id: insurerClaimId }) })
    .where("provider_id", "=", providerId)
    .where("id", "=", id)
    .execute();
}

/** Records when the patient gave the access that the insurer has received for a filed claim. */
export async function writeRenewedAccess(tx: Transaction, { providerId, id }: ClaimKey, accessAt: Date): Promise<void> {
  await tx
    .updateTable("claims")
    .set({ renewed_access_at: accessAt })
    .where("provider_id", "=", providerId)
    .where("id", "=", id)
    .where("state", "=", "filed")
    .execute();
}

/**
 * Records that the service may not inquire about a claim, temporarily or permanently, if its state is still the one
 * that was read.
 */
export async function writeUnfollowed(
  db: Database,
  { providerId, id, state }: ClaimKey & Pick<ClaimRecord, "state">,
  at: Date,
): Promise<void> {
  await db
    .updateTable("claims")
    .set({ unfollowed_at: at })
    .where("provider_id", "=", providerId)
    .where("id", "=", id)
    .where("state", "=", state)
    .execute();
}

function toClaim(row: Selectable<ClaimsRow>): ClaimRecord {
  const { id, state, attempt, connector, inquiries, reason } = row;
  return {
    id,
    state,
    attempt,
    connector,
    inquiries,
    reason,
    rejectionCode: row.rejection_code,
    providerId: row.provider_id,
    orderId: row.order_id,
    expenseId: row.expense_id,
    beneficiaryId: row.beneficiary_id,
    insurerClaimId: row.insurer_claim_id,
    queuedAt: row.queued_at,
    filedAt: row.filed_at,
    blockedSince: row.blocked_since,
    renewedAccessAt: row.renewed_access_at,
    unfollowedAt: row.unfollowed_at,
    updatedAt: row.updated_at,
    reimbursed: row.reimbursed === null ? null : clp(row.reimbursed),
  };
}

/** Records once that the receipt of an order was missing when it was due. Returns whether this was the first time. */
export async function noteMissingReceipt(
  tx: Transaction,
  { providerId, orderId }: { readonly providerId: string; readonly orderId: OrderId },
  at: Date,
): Promise<boolean> {
  const result = await tx
    .insertInto("missing_receipts")
    .values({ provider_id: providerId, order_id: orderId, noticed_at: at })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return result.numInsertedOrUpdatedRows === 1n;
}

/** The claims filed with insurers on a day, until the present time of day. */
export interface FiledOnDay {
  readonly daysAgo: number;
  readonly count: number;
}

/** `days` selects `id, days_ago, since, until` of each provider's days. */
export async function selectFiledByDay(db: Database, days: RawBuilder<unknown>): Promise<FiledOnDay[]> {
  const { rows } = await filedByDayStatement(days).execute(db);
  return rows;
}

/** The statement of `selectFiledByDay`; exported so that a test can check its query plan. */
export function filedByDayStatement(days: RawBuilder<unknown>): RawBuilder<FiledOnDay> {
  return sql`select d.days_ago as "daysAgo", sum(c.count)::int as count
    from (${days}) as d cross join lateral (
      select count(*) as count from claims where provider_id = d.id and filed_at >= d.since and filed_at <= d.until
    ) as c
    group by d.days_ago`;
}

/** How many seconds ago the last claim was filed; null if none was. */
export async function selectLastFiled(db: Database, clocks: RawBuilder<unknown>): Promise<number | null> {
  const { rows } = await lastFiledStatement(clocks).execute(db);
  return rows[0]?.seconds ?? null;
}

/** The statement of `selectLastFiled`; exported so that a test can check its query plan. */
export function lastFiledStatement(clocks: RawBuilder<unknown>): RawBuilder<{ seconds: number | null }> {
  return sql`select min(extract(epoch from p.now - c.filed_at))::float8 as seconds
    from (${clocks}) as p cross join lateral (
      select filed_at from claims where provider_id = p.id and filed_at is not null order by filed_at desc limit 1
    ) as c`;
}
