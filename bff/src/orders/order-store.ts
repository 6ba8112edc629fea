import { CompiledQuery, type RawBuilder, type Selectable, sql } from "kysely";
import type { RefundRefusal } from "../contract/errors.ts";
import type { Clp } from "../contract/vocabulary/clp.ts";
import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import type { Rut } from "../contract/vocabulary/rut.ts";
import {
  caller,
  columnsTogether,
  NO_COLUMN,
  type PresentColumn,
  type ReadColumn,
} from "../platform/database/read-column.ts";
import type {
  OrderPaymentsRow,
  OrderRefundsRow,
  OrdersRow,
  PaymentsOtherwiseRow,
  RefundMovementsRow,
  TaxDocumentsRow,
} from "../platform/database/tables.ts";
import type { Database, StatementPart, Transaction } from "../platform/database/transaction.ts";
import { type KeptAnswer, keepingAnswers } from "../platform/kept-answer.ts";
import type { Environment } from "../platform/provider.ts";
import type { OrderState } from "./order.ts";
import type {
  KeptMovement,
  OrderCard,
  OrderDetails,
  OrderRecord,
  PaidOtherwise,
  PaymentRecord,
  RefundRecord,
  TaxDocument,
} from "./order-record.ts";
import { toVoucher } from "./payments/voucher-columns.ts";
import { askedDeletedWith } from "./saved-cards/saved-card-store.ts";

/** Key of an order: its provider and its hash. */
export interface OrderKey {
  readonly providerId: string;
  readonly orderId: OrderId;
}

/** A newly created order, with the environment and credential that created it. */
export interface NewOrder {
  readonly order: OrderRecord;
  readonly environment: Environment;
  readonly createdBy: string;
  /** The timer of its expiry (real time); null if the order never expires. */
  readonly expiry: { readonly kind: string; readonly dueAt: Date } | null;
}

/** An order to insert, with the answer to store for replays. */
export interface Insertion {
  readonly created: NewOrder;
  readonly kept: KeptAnswer | null;
}

/** A value of a new order: its name and type in the statement. */
type Given = readonly [name: string, type: string, read: (insertion: Insertion) => unknown];

/**
 * The column of each detail, with its name, and the column's type. A time is not among the types, because it would not
 * be read back as it was sent.
 */
const DETAIL_COLUMNS: Readonly<Record<keyof OrderDetails, "text" | "date" | "int" | "bigint" | "boolean" | "jsonb">> = {
  items: "jsonb",
};

export const DETAIL_NAMES = Object.keys(DETAIL_COLUMNS) as (keyof OrderDetails)[];

function detailColumn(name: keyof OrderDetails): Given {
  const type = DETAIL_COLUMNS[name];
  const write = (detail: unknown) => (type === "jsonb" && detail !== undefined ? JSON.stringify(detail) : detail);
  return [name, type, ({ created }) => write(created.order.details[name])];
}

/** The columns of a new order, each with its value. */
const ORDER_COLUMNS: readonly Given[] = [
  ["provider_id", "uuid", ({ created }) => created.order.providerId],
  ["id", "uuid", ({ created }) => created.order.orderId],
  ["environment", "text", ({ created }) => created.environment],
  ["reference", "text", ({ created }) => created.order.reference],
  ["state", "text", ({ created }) => created.order.state],
  ["total", "bigint", ({ created }) => created.order.total],
  ["first_part", "bigint", ({ created }) => created.order.first],
  ["deferred_part", "bigint", ({ created }) => created.order.deferred],
  ["commission_basis_points", "int", ({ created }) => created.order.commissionBasisPoints],
  ["commission_tax", "jsonb", ({ created }) => JSON.stringify(created.order.commissionTax)],
  ...DETAIL_NAMES.map(detailColumn),
  ["center_id", "uuid", ({ created }) => created.order.center?.id],
  ["center_rut", "text", ({ created }) => created.order.center?.rut],
  ["customer_rut", "text", ({ created }) => created.order.customer.rut],
  ["customer_first_name", "text", ({ created }) => created.order.customer.firstName],
  ["customer_last_name", "text", ({ created }) => created.order.customer.lastName],
  ["customer_email", "text", ({ created }) => created.order.customer.email],
  ["customer_phone", "text", ({ created }) => created.order.customer.phoneNumber],
  ["traceparent", "text", ({ created }) => created.order.traceparent],
  ["created_by", "uuid", ({ created }) => created.createdBy],
  ["created_at", "timestamptz", ({ created }) => created.order.createdAt],
  ["updated_at", "timestamptz", ({ created }) => created.order.createdAt],
];

/** Values stored with the order: its expiry timer and its stored answer, as `keepingAnswers` reads it. */
const GIVEN_BESIDE: readonly Given[] = [
  ["expiry_kind", "text", ({ created }) => created.expiry?.kind],
  ["expiry_due_at", "timestamptz", ({ created }) => created.expiry?.dueAt],
  ["method", "text", ({ kept }) => kept?.method],
  ["path", "text", ({ kept }) => kept?.path],
  ["key_hash", "text", ({ kept }) => kept?.keyHash],
  ["body_hash", "text", ({ kept }) => kept?.bodyHash],
  ["status", "int", ({ kept }) => kept?.status],
  ["body_sealed", "text", ({ kept }) => kept?.bodySealed],
  ["expires_at", "timestamptz", ({ kept }) => kept?.expiresAt],
  ["answered_at", "timestamptz", ({ kept }) => kept?.answeredAt],
];

const GIVEN = [...ORDER_COLUMNS, ...GIVEN_BESIDE];

/**
 * The statement that inserts `count` orders. Skips an order whose reference exists already. Stores answers and timers
 * only for inserted orders.
 */
function insertStatement(count: number): RawBuilder<{ id: OrderId }> {
  const namesOf = (given: readonly Given[]) => sql.join(given.map(([name]) => sql.ref(name)));
  const row = () => sql`(${sql.join(GIVEN.map(([, type]) => sql`${null}::${sql.raw(type)}`))})`;
  return sql`
    with given (${namesOf(GIVEN)}) as (values ${sql.join(Array.from({ length: count }, row))}),
    inserted as (
      insert into orders (${namesOf(ORDER_COLUMNS)})
      select ${namesOf(ORDER_COLUMNS)} from given
      on conflict (provider_id, environment, reference) do nothing
      returning id
    ),
    made as (select given.* from given join inserted on inserted.id = given.id),
    answers as (${keepingAnswers("made")}),
    expiries as (
      insert into timers (kind, key, provider_id, due_at, payload, traceparent)
      select expiry_kind, id::text, provider_id, expiry_due_at, jsonb_build_object('order_id', id), traceparent
      from made where expiry_kind is not null
    )
    select id from inserted`;
}

/** The maximum number of orders that one statement inserts. */
export const INSERTED_AT_ONCE_MAX = 16;

/** Statement texts of each database by number of orders, cached because building one takes as long as running it. */
const insertTexts = new WeakMap<Database, Map<number, string>>();

/**
 * The statement that inserts these orders, with its values. Exported for the benchmark, which runs it through other
 * clients.
 */
export function insertionOf(db: Database, insertions: readonly Insertion[]): { text: string; values: unknown[] } {
  const texts = insertTexts.get(db) ?? new Map<number, string>();
  const text = texts.get(insertions.length) ?? insertStatement(insertions.length).compile(db).sql;
  insertTexts.set(db, texts.set(insertions.length, text));
  return { text, values: insertions.flatMap((insertion) => GIVEN.map(([, , read]) => read(insertion))) };
}

/**
 * Inserts at most `INSERTED_AT_ONCE_MAX` orders in one round trip, each with its stored answer and expiry timer.
 * Returns for each order whether it was inserted: false if its provider already has an order with that reference. If
 * the key of a stored answer was used before, the statement fails and inserts nothing.
 */
export async function insertOrders(db: Database, insertions: readonly Insertion[]): Promise<boolean[]> {
  const { text, values } = insertionOf(db, inLockingOrder(insertions));
  const { rows } = await db.executeQuery<{ id: OrderId }>(CompiledQuery.raw(text, values));
  const written = new Set(rows.map(({ id }) => id));
  return insertions.map(({ created }) => written.has(created.order.orderId));
}

/** The sequence in which rows are inserted, so that two statements that insert the same orders cannot deadlock. */
export function inLockingOrder<
  Inserted extends { created: { order: { readonly providerId: string; readonly reference: string } } },
>(insertions: readonly Inserted[]): Inserted[] {
  const compare = (a: string, b: string) => (a === b ? 0 : a < b ? -1 : 1);
  return insertions.toSorted(({ created: { order: a } }, { created: { order: b } }) => {
    return compare(a.providerId, b.providerId) || compare(a.reference, b.reference);
  });
}

/** The hash of the order that already has the reference of a new one. Orders are never deleted. */
export async function findHashByReference(db: Database, { order, environment }: NewOrder): Promise<OrderId> {
  const { id } = await db
    .selectFrom("orders")
    .select("id")
    .where("provider_id", "=", order.providerId)
    .where("environment", "=", environment)
    .where("reference", "=", order.reference)
    .executeTakeFirstOrThrow();
  return id as OrderId;
}

/** The provider's own order with its payments and refunds; `null` if the provider has none with this hash. */
export async function selectOrder(db: Database, key: OrderKey): Promise<OrderRecord | null> {
  const { rows } = await sql<OrderWithParts>`
    select ${orderWithParts} from orders where provider_id = ${key.providerId} and id = ${key.orderId}`.execute(db);
  return rows[0] === undefined ? null : toOrder(rows[0]);
}

/** Several orders in the sequence of `keys`, without those that do not exist. */
export async function selectOrders(db: Database, keys: readonly OrderKey[]): Promise<OrderRecord[]> {
  const { rows } = await sql<OrderWithParts>`
    select ${orderWithParts}
    from unnest(${keys.map(({ providerId }) => providerId)}::uuid[], ${keys.map(({ orderId }) => orderId)}::uuid[])
      with ordinality as named (provider_id, order_id, number)
    join orders on orders.provider_id = named.provider_id and orders.id = named.order_id
    order by named.number`.execute(db);
  return rows.map(toOrder);
}

/** An order in a statement, for columns of other features. */
export interface OrderInStatement {
  readonly providerId: StatementPart;
  readonly orderId: StatementPart;
  readonly rut: StatementPart;
}

/** Reads a column for each of these orders, in their sequence, by one statement. */
export async function selectForOrders<Value>(
  db: Database,
  orders: readonly Pick<OrderRecord, "providerId" | "orderId" | "customer">[],
  columnOf: (order: OrderInStatement) => PresentColumn<Value>,
): Promise<Value[]> {
  const { column, read } = columnOf({
    providerId: sql.ref("named.provider_id"),
    orderId: sql.ref("named.order_id"),
    rut: sql.ref("named.rut"),
  });
  const { rows } = await sql<{ found: unknown }>`
    select ${column} as found
    from unnest(${orders.map(({ providerId }) => providerId)}::uuid[], ${orders.map(({ orderId }) => orderId)}::uuid[],
      ${orders.map(({ customer }) => customer.rut)}::text[]) with ordinality as named (provider_id, order_id, rut, number)
    order by number`.execute(db);
  return rows.map(({ found }) => read(found));
}

/** The columns of an order with its payments and refunds, for a statement on `orders`; `toOrder` parses them. */
export const orderWithParts = sql`orders.*,
  coalesce((select json_agg(p order by p.number) from order_payments p
    where p.provider_id = orders.provider_id and p.order_id = orders.id), '[]') as payments,
  (select to_json(o) from payments_otherwise o
    where o.provider_id = orders.provider_id and o.order_id = orders.id) as paid_otherwise,
  coalesce((select json_agg(r order by r.number) from order_refunds r
    where r.provider_id = orders.provider_id and r.order_id = orders.id), '[]') as refunds,
  coalesce((select json_agg(m order by m.position) from refund_movements m
    where m.provider_id = orders.provider_id and m.order_id = orders.id), '[]') as movements,
  coalesce((select json_agg(d order by d.number) from tax_documents d
    where d.provider_id = orders.provider_id and d.order_id = orders.id), '[]') as tax_documents`;

/** A column with an order, its payments and its refunds, for a statement on a row that refers to the order. */
export function orderColumn(key: {
  readonly providerId: StatementPart;
  readonly id: StatementPart;
}): ReadColumn<OrderRecord> {
  return {
    column: sql`(select to_json(found) from (
      select ${orderWithParts} from orders where orders.provider_id = ${key.providerId} and orders.id = ${key.id}) as found)`,
    read: (column) => (column === null ? null : orderInColumn(column as Aggregated<OrderWithParts>)),
  };
}

/** The caller's own order as a column of the statement that authorises a request; null if `id` is null. */
export function ownOrderColumn(id: OrderId | null): ReadColumn<OrderRecord> {
  return id === null ? NO_COLUMN : orderColumn({ providerId: caller.providerId, id: sql`${id}::uuid` });
}

/**
 * The caller's own order with further columns (`more`, as expressions over the order), as a column of the statement
 * that admits a request.
 */
export function ownOrderWith<More extends object>(
  id: OrderId | null,
  more: (order: { readonly providerId: StatementPart; readonly rut: StatementPart }) => PresentColumn<More>,
): ReadColumn<More & { readonly order: OrderRecord }> {
  if (id === null) return NO_COLUMN;
  const { providerId } = caller;
  const { column, read } = columnsTogether({
    order: orderColumn({ providerId, id: sql.ref("own.id") }),
    more: more({ providerId, rut: sql.ref("own.customer_rut") }),
  });
  return {
    column: sql`(select ${column} from orders as own where own.provider_id = ${providerId} and own.id = ${id}::uuid)`,
    read(found) {
      const { order, more: rest } = read(found);
      return order === null ? null : { ...rest, order };
    },
  };
}

function orderInColumn(column: Aggregated<OrderWithParts>): OrderRecord {
  const moment = (text: string | null) => (text === null ? null : new Date(text));
  return toOrder({
    ...column,
    identity_validated_at: moment(column.identity_validated_at),
    paid_at: moment(column.paid_at),
    deferred_failed_at: moment(column.deferred_failed_at),
    deferred_written_off_at: moment(column.deferred_written_off_at),
    created_at: new Date(column.created_at),
    updated_at: new Date(column.updated_at),
  });
}

/** Locks an order until the end of the transaction. Returns its state; null if there is no such order. */
export async function lockOrderState(tx: Transaction, key: OrderKey): Promise<OrderState | null> {
  const { rows } = await sql<{ state: OrderState }>`
    select state from orders where provider_id = ${key.providerId} and id = ${key.orderId} for update`.execute(tx);
  return rows[0]?.state ?? null;
}

/** The order, or its state, if it was found. Throws otherwise: another row refers to it, so it must exist. */
export function requireFound<Found>(found: Found | null): Found {
  if (found === null) throw new OrderMissing("Order not found (data integrity error: another row refers to it).");
  return found;
}

/** Thrown when an order that must exist does not: a defect. */
class OrderMissing extends Error {
  override readonly name = "OrderMissing";
  readonly code = "order_missing";
}

/** The columns of an order that may change. */
export type OrderChanges = Partial<
  Pick<
    Selectable<OrdersRow>,
    | "loan_id"
    | "paid_at"
    | "refund_accepted"
    | "refunded"
    | "deferred_cancelled"
    | "deferred_collected"
    | "deferred_failed_at"
    | "deferred_written_off_at"
  >
>;

/**
 * Changes a locked order. Throws if its state changed since it was read, because the new sums were computed from that
 * state.
 */
export async function updateOrder(
  tx: Transaction,
  { providerId, orderId, state }: OrderKey & { readonly state: OrderState },
  changes: OrderChanges,
  at: Date,
): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable("orders")
    .set({ ...changes, updated_at: at })
    .where("provider_id", "=", providerId)
    .where("id", "=", orderId)
    .where("state", "=", state)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows !== 1n) throw new Error(`The order ${orderId} is no longer ${state}.`);
}

export interface StateChange {
  readonly from: OrderState;
  readonly to: OrderState;
  /** The number of events of the change. Each takes one sequence number. */
  readonly events: number;
  readonly changes: OrderChanges;
}

/** The columns that a state change sets. */
export function columnsOfChange({ to, events, changes }: StateChange, at: Date): StatementPart {
  const others = Object.entries(changes).map(([column, value]) => sql`${sql.ref(column)} = ${value}, `);
  return sql`${sql.join(others, sql``)} state = ${to}, event_sequence = event_sequence + ${events}::int, updated_at = ${at}`;
}

/**
 * Changes an order's state if it is still the expected one. Returns the order after the change, otherwise null. Lock
 * the order first if its payments or refunds may be written concurrently: the returned ones are read as of the
 * statement's start.
 */
export async function changeState(
  tx: Transaction,
  key: OrderKey,
  move: StateChange,
  at: Date,
): Promise<OrderRecord | null> {
  const { rows } = await sql<OrderWithParts>`
    update orders set ${columnsOfChange(move, at)}
    where provider_id = ${key.providerId} and id = ${key.orderId} and state = ${move.from}
    returning ${orderWithParts}
  `.execute(tx);
  return rows[0] === undefined ? null : toOrder(rows[0]);
}

/** The next sequence number of an order's events. */
export async function takeSequence(tx: Transaction, key: OrderKey): Promise<number> {
  const { rows } = await sql<{ event_sequence: number }>`
    update orders set event_sequence = event_sequence + 1
    where provider_id = ${key.providerId} and id = ${key.orderId}
    returning event_sequence
  `.execute(tx);
  const [row] = rows;
  if (row === undefined) throw new OrderMissing("an order that was read no longer exists");
  return row.event_sequence;
}

/**
 * Stores the card that will pay the order, replacing any earlier card and the request to save it. Returns the updated
 * order and the id of the card that it replaced; null if the order is no longer payable. The caller has locked the
 * order, so that one stored by a concurrent call is seen.
 */
export async function replaceCard(
  db: Database,
  key: OrderKey,
  card: OrderCard,
  at: Date,
): Promise<{ readonly order: OrderRecord; readonly replacedId: string | null } | null> {
  const { rows } = await sql<OrderWithParts & { replaced_id: string | null }>`
    with before as (
      select card ->> 'id' as card_id from orders
      where provider_id = ${key.providerId} and id = ${key.orderId} and state = 'awaiting_payment' for update
    ),
    ${askedDeletedWith("before", key)}
    update orders set card = ${JSON.stringify(card)}::jsonb, updated_at = ${at}
    from before
    where provider_id = ${key.providerId} and id = ${key.orderId} and state = 'awaiting_payment'
    returning ${orderWithParts}, nullif(before.card_id, ${card.id}) as replaced_id
  `.execute(db);
  return rows[0] === undefined ? null : { order: toOrder(rows[0]), replacedId: rows[0].replaced_id };
}

/** A row as `json_agg` returns it: timestamps are text. */
type Aggregated<Row> = {
  [Column in keyof Row]: Row[Column] extends Date | null ? Exclude<Row[Column], Date> | string : Row[Column];
};
export type OrderWithParts = Selectable<OrdersRow> & {
  payments: Aggregated<Selectable<OrderPaymentsRow>>[];
  paid_otherwise: Aggregated<Selectable<PaymentsOtherwiseRow>> | null;
  refunds: Aggregated<Selectable<OrderRefundsRow>>[];
  movements: Aggregated<Selectable<RefundMovementsRow>>[];
  tax_documents: Aggregated<Selectable<TaxDocumentsRow>>[];
};

export function toOrder(row: OrderWithParts): OrderRecord {
  return {
    providerId: row.provider_id,
    orderId: row.id as OrderId,
    reference: row.reference,
    state: row.state,
    total: row.total as Clp,
    first: row.first_part as Clp,
    deferred: row.deferred_part as Clp,
    commissionBasisPoints: row.commission_basis_points,
    commissionTax: row.commission_tax,
    details: toDetails(row),
    center: row.center_id === null ? null : { id: row.center_id, rut: row.center_rut as Rut },
    customer: {
      rut: row.customer_rut as Rut,
      firstName: row.customer_first_name,
      lastName: row.customer_last_name,
      email: row.customer_email,
      phoneNumber: row.customer_phone,
    },
    identityValidatedAt: row.identity_validated_at,
    identityRecognised: row.identity_recognised,
    card: row.card as OrderCard | null,
    loanId: row.loan_id,
    paidAt: row.paid_at,
    refundAccepted: row.refund_accepted as Clp,
    refunded: row.refunded as Clp,
    deferredCancelled: row.deferred_cancelled as Clp,
    deferredCollected: row.deferred_collected as Clp,
    deferredFailedAt: row.deferred_failed_at,
    deferredWrittenOffAt: row.deferred_written_off_at,
    eventSequence: row.event_sequence,
    traceparent: row.traceparent,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    payments: row.payments.map(toPayment),
    paidOtherwise: row.paid_otherwise === null ? null : toPaidOtherwise(row.paid_otherwise),
    refunds: row.refunds.map((refund) => toRefund(refund, row.movements)),
    taxDocuments: row.tax_documents.map(toTaxDocument),
  };
}

function toDetails(row: Pick<OrderWithParts, keyof OrderDetails>): OrderDetails {
  return Object.fromEntries(DETAIL_NAMES.filter((name) => row[name] !== null).map((name) => [name, row[name]]));
}

function toTaxDocument(row: Aggregated<Selectable<TaxDocumentsRow>>): TaxDocument {
  const { kind, source_id: sourceId, issued_number: number, issued_at: issuedAt, url } = row;
  const issued = number === null || issuedAt === null || url === null ? null : { number, url, at: new Date(issuedAt) };
  return { kind, sourceId, net: row.net as Clp, vat: row.vat as Clp, dueAt: new Date(row.due_at), issued };
}

function toPayment(row: Aggregated<Selectable<OrderPaymentsRow>>): PaymentRecord {
  return {
    id: row.id,
    kind: row.kind,
    status: row.status,
    amount: row.amount as Clp,
    commission: row.commission as Clp,
    returnAccepted: row.return_accepted as Clp,
    commissionReturnAccepted: row.commission_return_accepted as Clp,
    returned: row.returned as Clp,
    disputed: row.disputed as Clp,
    lost: row.lost as Clp,
    recoveryAccepted: row.recovery_accepted as Clp,
    card: row.card as OrderCard,
    chargeId: row.charge_id,
    voucher: toVoucher(row),
    declineReason: row.decline_reason as PaymentRecord["declineReason"],
    declineLimit: row.decline_limit as PaymentRecord["declineLimit"],
    createdAt: new Date(row.created_at),
  };
}

function toPaidOtherwise(row: Aggregated<Selectable<PaymentsOtherwiseRow>>): PaidOtherwise {
  return {
    id: row.id,
    amount: row.amount as Clp,
    commission: row.commission as Clp,
    returnAccepted: row.return_accepted as Clp,
    commissionReturnAccepted: row.commission_return_accepted as Clp,
    createdAt: new Date(row.created_at),
  };
}

function toRefund(
  row: Aggregated<Selectable<OrderRefundsRow>>,
  movements: readonly Aggregated<Selectable<RefundMovementsRow>>[],
): RefundRecord {
  return {
    id: row.id,
    amount: row.amount as Clp,
    wholeRest: row.whole_rest,
    status: row.status,
    allocated: row.allocated,
    reason: row.reason,
    refundReference: row.refund_reference,
    keyHash: row.key_hash,
    movements: movements.filter(({ refund_id }) => refund_id === row.id).map(toMovement),
    createdAt: new Date(row.created_at),
  };
}

type MovementColumns = Pick<
  Selectable<RefundMovementsRow>,
  "id" | "kind" | "payment_id" | "amount" | "commission" | "status" | "return_refusal"
> & { readonly return_taken_at: Date | string | null; readonly transferred_at: Date | string | null };

export function toMovement({
  id,
  kind,
  payment_id,
  amount,
  commission,
  status,
  ...stored
}: MovementColumns): KeptMovement {
  const common = {
    id,
    amount: amount as Clp,
    commission: commission as Clp,
    status,
    isTaken: stored.return_taken_at !== null,
    refusal: stored.return_refusal as RefundRefusal | null,
    isTransferred: stored.transferred_at !== null,
  };
  switch (kind) {
    case "loan_reduction":
      return { ...common, kind, paymentId: null };
    case "bank_transfer":
      return { ...common, kind, paymentId: payment_id };
    case "card_return":
    case "loss_recovery":
      return { ...common, kind, paymentId: payment_id as string };
  }
}
