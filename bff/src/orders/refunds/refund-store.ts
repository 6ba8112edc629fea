import { sql } from "kysely";
import type { RefundRefusal } from "../../contract/errors.ts";
import type { Clp } from "../../contract/vocabulary/clp.ts";
import type { Voucher } from "../../contract/vocabulary/voucher.ts";
import type { Database, Transaction } from "../../platform/database/transaction.ts";
import type { Lease } from "../../platform/lease.ts";
import { dueAtWith } from "../../platform/timers/timer-store.ts";
import type { AttemptConnectors } from "../dependencies.ts";
import type { KeptMovement, Movement } from "../order-record.ts";
import { type OrderKey, toMovement } from "../order-store.ts";

export interface RefundKey extends OrderKey {
  readonly refundId: string;
}

export interface NewRefund {
  readonly key: RefundKey;
  /** The refund's number within its order. */
  readonly number: number;
  readonly amount: Clp;
  readonly wholeRest: boolean;
  readonly allocated: boolean;
  readonly reason: string | null;
  readonly refundReference: string | null;
  readonly keyHash: string | null;
  readonly createdBy: string;
  readonly lease: Lease | null;
  /** The connectors that take its calls; null before the first one. */
  readonly connectors: AttemptConnectors | null;
  readonly at: Date;
}

/** Inserts a refund. The caller must add its amount to the claims on the order's row. */
export async function insertRefund(tx: Transaction, refund: NewRefund): Promise<void> {
  await tx
    .insertInto("order_refunds")
    .values({
      provider_id: refund.key.providerId,
      order_id: refund.key.orderId,
      id: refund.key.refundId,
      number: refund.number,
      amount: refund.amount,
      whole_rest: refund.wholeRest,
      status: "processing",
      allocated: refund.allocated,
      reason: refund.reason,
      refund_reference: refund.refundReference,
      key_hash: refund.keyHash,
      inquiries: 0,
      processor_connector: refund.connectors?.cardProcessor ?? null,
      lender_connector: refund.connectors?.financingProvider ?? null,
      lease_id: refund.lease?.id ?? null,
      lease_until: refund.lease?.until ?? null,
      created_by: refund.createdBy,
      created_at: refund.at,
      updated_at: refund.at,
    })
    .execute();
}

/** A movement when it is inserted. */
export type NewMovement = Movement & Pick<KeptMovement, "id" | "status">;

/** Inserts the movements of a refund, and claims on each charge the amount to return. */
export async function insertMovements(
  tx: Transaction,
  key: RefundKey,
  movements: readonly NewMovement[],
  at: Date,
): Promise<void> {
  await tx
    .insertInto("refund_movements")
    .values(
      movements.map((movement, position) => ({
        provider_id: key.providerId,
        order_id: key.orderId,
        refund_id: key.refundId,
        id: movement.id,
        position,
        kind: movement.kind,
        payment_id: movement.paymentId,
        amount: movement.amount,
        commission: movement.commission,
        status: movement.status,
        return_id: null,
        updated_at: at,
      })),
    )
    .execute();
  await tx
    .updateTable("order_refunds")
    .set({ allocated: true, updated_at: at })
    .where("provider_id", "=", key.providerId)
    .where("order_id", "=", key.orderId)
    .where("id", "=", key.refundId)
    .execute();
  for (const { kind, paymentId, amount, commission } of movements) {
    if (paymentId !== null) await claimReturn(tx, key, { kind, paymentId, amount, commission }, at);
    else if (kind === "bank_transfer") await claimOfPaidOtherwise(tx, key, { amount, commission }, at);
  }
}

/** Adds to the amount that refunds have claimed of a payment by another method. */
async function claimOfPaidOtherwise(
  tx: Transaction,
  key: OrderKey,
  claim: { readonly amount: number; readonly commission: number },
  at: Date,
): Promise<void> {
  await sql`
    update payments_otherwise set return_accepted = return_accepted + ${claim.amount + claim.commission},
      commission_return_accepted = commission_return_accepted + ${claim.commission}, updated_at = ${at}
    where provider_id = ${key.providerId} and order_id = ${key.orderId}
  `.execute(tx);
}

/** Adds to the amount that refunds have claimed of a charge; a negative amount releases it. */
async function claimReturn(
  tx: Transaction,
  key: OrderKey,
  claim: {
    readonly kind: KeptMovement["kind"];
    readonly paymentId: string;
    readonly amount: number;
    readonly commission: number;
  },
  at: Date,
): Promise<void> {
  const sum = claim.amount + claim.commission;
  await sql`
    update order_payments set return_accepted = return_accepted + ${sum},
      recovery_accepted = recovery_accepted + ${claim.kind === "loss_recovery" ? sum : 0},
      commission_return_accepted = commission_return_accepted + ${claim.commission}, updated_at = ${at}
    where provider_id = ${key.providerId} and order_id = ${key.orderId} and id = ${claim.paymentId}
  `.execute(tx);
}

export async function readMovements(db: Database, key: RefundKey): Promise<KeptMovement[]> {
  const rows = await db
    .selectFrom("refund_movements")
    .select([
      "id",
      "kind",
      "payment_id",
      "amount",
      "commission",
      "status",
      "return_taken_at",
      "return_refusal",
      "transferred_at",
    ])
    .where("provider_id", "=", key.providerId)
    .where("order_id", "=", key.orderId)
    .where("refund_id", "=", key.refundId)
    .orderBy("position")
    .execute();
  return rows.map(toMovement);
}

/**
 * Leases a processing refund to the caller, unless another worker holds it. Returns the connectors that take its calls,
 * by default `connectors`. `busyUntil` is the end of the other lease; null if the refund has ended.
 */
export async function claimRefund(
  db: Database,
  key: RefundKey,
  lease: Lease,
  { connectors, realNow }: { readonly connectors: AttemptConnectors; readonly realNow: Date },
): Promise<{ readonly connectors: AttemptConnectors } | { readonly busyUntil: Date | null }> {
  const { rows } = await sql<AttemptConnectors>`
    update order_refunds set lease_id = ${lease.id}, lease_until = ${lease.until},
      processor_connector = coalesce(processor_connector, ${connectors.cardProcessor}),
      lender_connector = coalesce(lender_connector, ${connectors.financingProvider})
    where ${isRefund(key)} and status = 'processing' and (lease_until is null or lease_until <= ${realNow})
    returning processor_connector as "cardProcessor", lender_connector as "financingProvider"
  `.execute(db);
  if (rows[0] !== undefined) return { connectors: rows[0] };
  const { rows: held } = await sql<{ lease_until: Date | null }>`
    select lease_until from order_refunds where ${isRefund(key)} and status = 'processing'
  `.execute(db);
  return { busyUntil: held[0] === undefined ? null : (held[0].lease_until ?? realNow) };
}

/** Releases a refund whose call got no answer yet. Returns the number of inquiries since the last progress. */
export async function releaseRefund(
  db: Database,
  key: RefundKey,
  lease: Lease,
  { isInquiry, at }: { readonly isInquiry: boolean; readonly at: Date },
): Promise<number> {
  const {
    rows: [released],
  } = await sql<{ inquiries: number }>`
    update order_refunds set lease_id = null, lease_until = null, inquiries = inquiries + ${isInquiry ? 1 : 0}, updated_at = ${at}
    where ${isRefund(key)} and lease_id = ${lease.id}
    returning inquiries
  `.execute(db);
  return released?.inquiries ?? 0;
}

/**
 * Stores the outcome of a movement, if the caller still holds the lease. Returns whether it does. The same statement
 * adds an amount returned to a card to its charge.
 */
export async function writeMovement(
  tx: Database,
  key: RefundKey,
  movement: KeptMovement,
  written: {
    readonly status: "done" | "refused";
    readonly returnId: string | null;
    readonly refusal: RefundRefusal | null;
    readonly voucher: Voucher;
    readonly lease: Lease;
    readonly at: Date;
  },
): Promise<boolean> {
  const { status, returnId, refusal, voucher, lease, at } = written;
  const back = status === "done" ? movement.amount + movement.commission : 0;
  const { rows } = await sql`
    with held as (
      update order_refunds set inquiries = 0, lease_until = ${lease.until}, updated_at = ${at}
      where ${isRefund(key)} and lease_id = ${lease.id} and status = 'processing'
      returning id
    ), moved as (
      update refund_movements as m set status = ${status}, return_id = coalesce(${returnId}, return_id), return_refusal = ${refusal},
        buy_order = ${voucher.buyOrder ?? null}, store_code = ${voucher.storeCode ?? null},
        authorisation_code = ${voucher.authorisationCode ?? null}, updated_at = ${at}
      from held
      where m.provider_id = ${key.providerId} and m.order_id = ${key.orderId} and m.refund_id = held.id and m.id = ${movement.id}
        and m.status = 'pending'
      returning m.payment_id
    ), returned as (
      update order_payments as p set returned = returned + ${back}, updated_at = ${at}
      from moved
      where p.provider_id = ${key.providerId} and p.order_id = ${key.orderId} and p.id = moved.payment_id
    )
    select 1 from moved
  `.execute(tx);
  return rows.length === 1;
}

/**
 * Stores that the card processor accepted a movement's return, and releases the refund, if the caller still holds the
 * lease. Returns whether it does. The same statement moves `timer`; null if the caller holds it.
 */
export async function writeAcceptedReturn(
  tx: Database,
  key: RefundKey,
  movement: KeptMovement,
  taken: {
    readonly returnId: string;
    readonly takenAt: Date;
    readonly endsBy: Date;
    readonly leaseId: string;
    readonly timer: { readonly kind: string; readonly key: string; readonly dueAt: Date } | null;
  },
): Promise<boolean> {
  const { returnId, takenAt, endsBy, leaseId, timer } = taken;
  const { rows } = await sql`
    with held as (
      update order_refunds set inquiries = 0, lease_id = null, lease_until = null, updated_at = ${takenAt}
      where ${isRefund(key)} and lease_id = ${leaseId} and status = 'processing'
      returning id
    ), timer as (${timer === null ? sql`select 1` : dueAtWith("held", timer)})
    update refund_movements as m set return_id = ${returnId}, return_taken_at = ${takenAt}, return_ends_by = ${endsBy},
      updated_at = ${takenAt}
    from held
    where m.provider_id = ${key.providerId} and m.order_id = ${key.orderId} and m.refund_id = held.id and m.id = ${movement.id}
      and m.status = 'pending'
    returning 1
  `.execute(tx);
  return rows.length === 1;
}

/** Ends a refund, if the caller holds the lease. Returns whether it does. */
export async function endRefund(
  tx: Transaction,
  key: RefundKey,
  { status, leaseId, at }: { readonly status: "succeeded" | "failed"; readonly leaseId: string; readonly at: Date },
): Promise<boolean> {
  const { rows } = await sql`
    update order_refunds set status = ${status}, lease_id = null, lease_until = null, updated_at = ${at}
    where ${isRefund(key)} and lease_id = ${leaseId} and status = 'processing'
    returning id
  `.execute(tx);
  return rows.length === 1;
}

/** Ends a waiting refund that could not be allocated and that no worker holds. */
export async function failWaitingRefund(tx: Transaction, key: RefundKey, at: Date): Promise<void> {
  await sql`
    update order_refunds set status = 'failed', lease_id = null, lease_until = null, updated_at = ${at}
    where ${isRefund(key)} and status = 'processing' and not allocated
  `.execute(tx);
}

/** Releases the claims of movements that were not made. */
export async function dropMovements(
  tx: Transaction,
  key: RefundKey,
  movements: readonly KeptMovement[],
  at: Date,
): Promise<void> {
  await sql`
    update refund_movements set status = 'dropped', updated_at = ${at}
    where provider_id = ${key.providerId} and order_id = ${key.orderId} and refund_id = ${key.refundId} and status = 'pending'
  `.execute(tx);
  for (const { kind, paymentId, amount, commission } of movements) {
    if (paymentId !== null)
      await claimReturn(tx, key, { kind, paymentId, amount: -amount, commission: -commission }, at);
  }
}

/** Marks a movement that owes a bank transfer as paid. */
export async function writeTransferred(tx: Transaction, key: OrderKey, movementId: string, at: Date): Promise<void> {
  await sql`
    update refund_movements set transferred_at = ${at}, updated_at = ${at}
    where provider_id = ${key.providerId} and order_id = ${key.orderId} and id = ${movementId}
  `.execute(tx);
}

function isRefund(key: RefundKey) {
  return sql`provider_id = ${key.providerId} and order_id = ${key.orderId} and id = ${key.refundId}`;
}
