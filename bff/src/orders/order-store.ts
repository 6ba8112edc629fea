import { type Selectable, sql } from "kysely";
import type { Clp } from "../contract/vocabulary/clp.ts";
import type { OrderHash } from "../contract/vocabulary/identifiers.ts";
import type { Rut } from "../contract/vocabulary/rut.ts";
import type { Json } from "../platform/database/tables.ts";
import type { Database, Transaction } from "../platform/database/transaction.ts";
import type { OrderState } from "./order.ts";
import type { OrderCard, OrderRecord, PaymentRecord, RefundRecord } from "./order-record.ts";

interface OrderRow {
  provider_id: string;
  id: string;
  environment: string;
  reference: string;
  state: OrderState;
  total: number;
  first_part: number;
  deferred_part: number;
  commission_basis_points: number;
  center_id: string | null;
  center_rut: string | null;
  customer_rut: string;
  customer_first_name: string;
  customer_last_name: string;
  customer_email: string;
  customer_phone: string;
  identity_validated_at: Date | null;
  card: Json<OrderCard | null, string | null, string | null>;
  loan_id: string | null;
  paid_at: Date | null;
  refund_accepted: number;
  refunded: number;
  deferred_cancelled: number;
  deferred_collected: number;
  deferred_failed_at: Date | null;
  event_sequence: number;
  created_by: string;
  created_at: Date;
  updated_at: Date;
}

interface OrderPaymentRow {
  provider_id: string;
  order_id: string;
  id: string;
  number: number;
  kind: PaymentRecord["kind"];
  status: PaymentRecord["status"];
  amount: number;
  commission: number;
  return_accepted: number;
  commission_return_accepted: number;
  returned: number;
  card: Json<OrderCard, string, string>;
  charge_id: string | null;
  decline_reason: string | null;
  created_at: Date;
  updated_at: Date;
}

interface OrderRefundRow {
  provider_id: string;
  order_id: string;
  id: string;
  number: number;
  amount: number;
  whole_rest: boolean;
  status: RefundRecord["status"];
  allocated: boolean;
  reason: string | null;
  refund_reference: string | null;
  key_hash: string | null;
  inquiries: number;
  lease_id: string | null;
  lease_until: Date | null;
  created_by: string;
  created_at: Date;
  updated_at: Date;
}

declare module "../platform/database/tables.ts" {
  interface Tables {
    orders: OrderRow;
    order_payments: OrderPaymentRow;
    order_refunds: OrderRefundRow;
  }
}

/** Which order: the provider's own, by its hash. */
export interface OrderKey {
  readonly providerId: string;
  readonly id: OrderHash;
}

/** An order that has just been made, and who made it where. */
export interface NewOrder {
  readonly order: OrderRecord;
  readonly environment: string;
  readonly createdBy: string;
}

/**
 * Writes a new order, unless the provider has one with this reference: then nothing is written and that one's hash comes
 * back. One round trip, but for the rare case of two at the same moment.
 */
export async function insertOrder(db: Database, created: NewOrder): Promise<{ duplicateOf: OrderHash | null }> {
  const { order, environment } = created;
  for (;;) {
    const { rows } = await sql<{ id: OrderHash; is_new: boolean }>`
      with inserted as (
        insert into orders (provider_id, id, environment, reference, state, total, first_part, deferred_part,
          commission_basis_points, center_id, center_rut, customer_rut, customer_first_name, customer_last_name,
          customer_email, customer_phone, created_by, created_at, updated_at)
        values (${order.providerId}, ${order.id}, ${environment}, ${order.reference}, ${order.state}, ${order.total},
          ${order.first}, ${order.deferred}, ${order.commissionBasisPoints}, ${order.center?.id ?? null},
          ${order.center?.rut ?? null}, ${order.customer.rut}, ${order.customer.firstName}, ${order.customer.lastName},
          ${order.customer.email}, ${order.customer.phoneNumber}, ${created.createdBy}, ${order.createdAt}, ${order.updatedAt})
        on conflict (provider_id, environment, reference) do nothing
        returning id
      )
      select id, true as is_new from inserted
      union all
      select id, false from orders
      where provider_id = ${order.providerId} and environment = ${environment} and reference = ${order.reference}
    `.execute(db);
    const row = rows[0];
    // Nothing at all: another order with this reference was committed while this one waited. Now it can be seen.
    if (row !== undefined) return { duplicateOf: row.is_new ? null : row.id };
  }
}

/** Reads an order with its payments and refunds; `null` where the provider has none with this hash. */
export async function readOrder(db: Database, key: OrderKey): Promise<OrderRecord | null> {
  const { rows } = await sql<OrderWithParts>`
    select orders.*,
      coalesce((select json_agg(p order by p.number) from order_payments p
        where p.provider_id = orders.provider_id and p.order_id = orders.id), '[]') as payments,
      coalesce((select json_agg(r order by r.number) from order_refunds r
        where r.provider_id = orders.provider_id and r.order_id = orders.id), '[]') as refunds
    from orders
    where provider_id = ${key.providerId} and id = ${key.id}
  `.execute(db);
  return rows[0] === undefined ? null : toOrder(rows[0]);
}

/** Reads an order that is there because something hangs on it, after locking it against any other writer. */
export async function lockOrder(tx: Transaction, key: OrderKey): Promise<OrderRecord> {
  // Two statements: what a statement reads beside the row that it waited for would be as old as its beginning.
  await sql`select 1 from orders where provider_id = ${key.providerId} and id = ${key.id} for update`.execute(tx);
  return requireOrder(tx, key);
}

export async function requireOrder(db: Database, key: OrderKey): Promise<OrderRecord> {
  const order = await readOrder(db, key);
  if (order === null) throw new OrderMissing("An order that something hangs on is not there.");
  return order;
}

/** Thrown when an order that must exist does not: a defect. */
class OrderMissing extends Error {
  override readonly name = "OrderMissing";
  readonly code = "order_missing";
}

/** What may change of an order. */
export type OrderChanges = Partial<
  Pick<
    Selectable<OrderRow>,
    | "state"
    | "identity_validated_at"
    | "loan_id"
    | "paid_at"
    | "refund_accepted"
    | "refunded"
    | "deferred_cancelled"
    | "deferred_collected"
    | "deferred_failed_at"
    | "event_sequence"
  >
>;

/** Changes an order if it is (still) in one of these states. Says whether it was. */
export async function updateOrder(
  db: Database,
  key: OrderKey,
  from: readonly OrderState[],
  changes: OrderChanges,
  at: Date,
): Promise<boolean> {
  const result = await db
    .updateTable("orders")
    .set({ ...changes, updated_at: at })
    .where("provider_id", "=", key.providerId)
    .where("id", "=", key.id)
    .where("state", "in", from)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Keeps the card with which the order is to be paid, in the place of any other. False once it is not payable any more. */
export async function replaceCard(db: Database, key: OrderKey, card: OrderCard, at: Date): Promise<boolean> {
  const result = await db
    .updateTable("orders")
    .set({ card: JSON.stringify(card), updated_at: at })
    .where("provider_id", "=", key.providerId)
    .where("id", "=", key.id)
    .where("state", "=", "awaiting_payment")
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** A row of a table as `json_agg` gives it: moments are text. */
type Aggregated<Row> = { [Column in keyof Row]: Row[Column] extends Date ? string : Row[Column] };
type OrderWithParts = Selectable<OrderRow> & {
  payments: Aggregated<Selectable<OrderPaymentRow>>[];
  refunds: Aggregated<Selectable<OrderRefundRow>>[];
};

function toOrder(row: OrderWithParts): OrderRecord {
  return {
    providerId: row.provider_id,
    id: row.id as OrderHash,
    reference: row.reference,
    state: row.state,
    total: row.total as Clp,
    first: row.first_part as Clp,
    deferred: row.deferred_part as Clp,
    commissionBasisPoints: row.commission_basis_points,
    center: row.center_id === null ? null : { id: row.center_id, rut: row.center_rut as Rut },
    customer: {
      rut: row.customer_rut as Rut,
      firstName: row.customer_first_name,
      lastName: row.customer_last_name,
      email: row.customer_email,
      phoneNumber: row.customer_phone,
    },
    identityValidatedAt: row.identity_validated_at,
    card: row.card,
    loanId: row.loan_id,
    paidAt: row.paid_at,
    refundAccepted: row.refund_accepted as Clp,
    refunded: row.refunded as Clp,
    deferredCancelled: row.deferred_cancelled as Clp,
    deferredCollected: row.deferred_collected as Clp,
    deferredFailedAt: row.deferred_failed_at,
    eventSequence: row.event_sequence,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    payments: row.payments.map(toPayment),
    refunds: row.refunds.map(toRefund),
  };
}

function toPayment(row: Aggregated<Selectable<OrderPaymentRow>>): PaymentRecord {
  return {
    id: row.id,
    kind: row.kind,
    status: row.status,
    amount: row.amount as Clp,
    commission: row.commission as Clp,
    returnAccepted: row.return_accepted as Clp,
    commissionReturnAccepted: row.commission_return_accepted as Clp,
    returned: row.returned as Clp,
    card: row.card,
    chargeId: row.charge_id,
    declineReason: row.decline_reason as PaymentRecord["declineReason"],
    createdAt: new Date(row.created_at),
  };
}

function toRefund(row: Aggregated<Selectable<OrderRefundRow>>): RefundRecord {
  return {
    id: row.id,
    amount: row.amount as Clp,
    wholeRest: row.whole_rest,
    status: row.status,
    allocated: row.allocated,
    reason: row.reason,
    refundReference: row.refund_reference,
    keyHash: row.key_hash,
    createdAt: new Date(row.created_at),
  };
}
