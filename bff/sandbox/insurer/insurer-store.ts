import { type Selectable, sql } from "kysely";
import { type Clp, clp } from "../../src/contract/vocabulary/clp.ts";
import type { OrderId } from "../../src/contract/vocabulary/identifiers.ts";
import type { Rut } from "../../src/contract/vocabulary/rut.ts";
import { caller, NO_COLUMN, type ReadColumn } from "../../src/platform/database/read-column.ts";
import type { SandboxClaimsRow } from "../../src/platform/database/tables.ts";
import type { Database, Transaction } from "../../src/platform/database/transaction.ts";
import type { InsurerBehaviour, StoredClaim } from "./claim.ts";

/** Records the first use of a person's portal; returns when that was and with which access. */
export async function enterPortal(
  tx: Transaction,
  { providerId, rut, at, accessSha256 }: { providerId: string; rut: Rut; at: Date; accessSha256: string },
): Promise<{ firstCalledAt: Date; firstAccessSha256: string }> {
  await tx
    .insertInto("sandbox_portals")
    .values({ provider_id: providerId, rut, first_called_at: at, first_access_sha256: accessSha256 })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const row = await tx
    .selectFrom("sandbox_portals")
    .select(["first_called_at", "first_access_sha256"])
    .where("provider_id", "=", providerId)
    .where("rut", "=", rut)
    .executeTakeFirstOrThrow();
  return { firstCalledAt: row.first_called_at, firstAccessSha256: row.first_access_sha256 };
}

export interface NewClaim {
  readonly id: string;
  readonly providerId: string;
  readonly orderHash: OrderId | null;
  readonly insurer: string;
  readonly total: Clp | null;
  readonly behaviour: InsurerBehaviour;
  readonly documents: number;
  readonly accessSha256: string;
  readonly filedAt: Date;
}

export async function insertClaim(tx: Transaction, claim: NewClaim): Promise<void> {
  await tx
    .insertInto("sandbox_claims")
    .values({
      id: claim.id,
      provider_id: claim.providerId,
      order_hash: claim.orderHash,
      insurer: claim.insurer,
      total: claim.total,
      behaviour: JSON.stringify(claim.behaviour),
      documents: claim.documents,
      access_sha256: claim.accessSha256,
      filed_at: claim.filedAt,
      asked_at: claim.filedAt,
    })
    .execute();
}

export async function findClaim(
  db: Database,
  { providerId, claimId }: { providerId: string; claimId: string },
): Promise<StoredClaim | undefined> {
  const row = await db
    .selectFrom("sandbox_claims")
    .selectAll()
    .where("id", "=", claimId)
    .where("provider_id", "=", providerId)
    .executeTakeFirst();
  return row && claimOf(row);
}

/**
 * Selects the caller's own order if a claim of it was filed, as part of the statement that admits a request. Nothing is
 * selected if the id is malformed.
 */
export function claimedOrderOfCaller(orderHash: OrderId | null): ReadColumn<OrderId> {
  if (orderHash === null) return NO_COLUMN;
  return {
    column: sql`(select to_json(order_hash) from sandbox_claims
      where provider_id = ${caller.providerId}::text and order_hash = ${orderHash} limit 1)`,
    read: (column) => (column === null ? null : orderHash),
  };
}

/** The claim of an order, locked until the end of the transaction. */
export async function lockClaimOfOrder(tx: Transaction, order: ClaimedOrder): Promise<StoredClaim | undefined> {
  const row = await claimsOfOrder(tx, order).forUpdate().executeTakeFirst();
  return row && claimOf(row);
}

interface ClaimedOrder {
  readonly providerId: string;
  readonly orderHash: OrderId;
}

function claimsOfOrder(db: Database, { providerId, orderHash }: ClaimedOrder) {
  return db
    .selectFrom("sandbox_claims")
    .selectAll()
    .where("provider_id", "=", providerId)
    .where("order_hash", "=", orderHash);
}

/** Records that the patient has given new access, which also ends a block. */
export async function renewAccess(tx: Transaction, claim: StoredClaim, accessSha256: string, at: Date): Promise<void> {
  await tx
    .updateTable("sandbox_claims")
    .set({
      access_sha256: accessSha256,
      access_renewed_at: at,
      ...(claim.blockedFrom !== null && claim.blockedUntil === null ? { blocked_until: at } : {}),
    })
    .where("id", "=", claim.id)
    .execute();
}

/**
 * Records an inquiry about a claim, or that its access was sent, which extends the time for which the password is kept.
 */
export async function writeAsked(db: Database, { id }: Pick<StoredClaim, "id">, at: Date): Promise<void> {
  await db.updateTable("sandbox_claims").set({ asked_at: at }).where("id", "=", id).execute();
}

export async function setVerdict(
  tx: Transaction,
  claimId: string,
  verdict: NonNullable<StoredClaim["verdict"]>,
): Promise<void> {
  await tx
    .updateTable("sandbox_claims")
    .set({
      verdict: verdict.kind,
      verdict_at: verdict.at,
      verdict_reimbursed: verdict.kind === "approved" ? verdict.reimbursed : null,
      verdict_reason: verdict.kind === "rejected" ? verdict.reason : null,
    })
    .where("id", "=", claimId)
    .execute();
}

/** Blocks the access from a moment on, or ends the block at a moment. */
export async function setBlocked(
  tx: Transaction,
  claimId: string,
  blocked: { readonly from: Date } | { readonly until: Date },
): Promise<void> {
  await tx
    .updateTable("sandbox_claims")
    .set("from" in blocked ? { blocked_from: blocked.from, blocked_until: null } : { blocked_until: blocked.until })
    .where("id", "=", claimId)
    .execute();
}

function claimOf(row: Selectable<SandboxClaimsRow>): StoredClaim {
  return {
    id: row.id,
    providerId: row.provider_id,
    orderHash: row.order_hash,
    total: row.total === null ? null : clp(row.total),
    behaviour: row.behaviour as InsurerBehaviour,
    accessSha256: row.access_sha256,
    filedAt: row.filed_at,
    accessRenewedAt: row.access_renewed_at,
    askedAt: row.asked_at,
    blockedFrom: row.blocked_from,
    blockedUntil: row.blocked_until,
    verdict: verdictOf(row),
  };
}

function verdictOf(row: Selectable<SandboxClaimsRow>): StoredClaim["verdict"] {
  if (row.verdict === null || row.verdict_at === null) return null;
  return row.verdict === "approved"
    ? { kind: "approved", at: row.verdict_at, reimbursed: clp(row.verdict_reimbursed ?? 0) }
    : { kind: "rejected", at: row.verdict_at, reason: row.verdict_reason ?? "" };
}
