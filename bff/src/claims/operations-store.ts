import { type RawBuilder, sql } from "kysely";
import { CLAIM_WAITING_DAYS_MAX, UNKNOWN_OUTCOME_HOURS_MAX } from "../contract/terms.ts";
import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import type { Database, Transaction } from "../platform/database/transaction.ts";
import type { ExceptionQuery, ExceptionRow } from "../platform/exceptions.ts";
import { otherConnector } from "../platform/party-connector-store.ts";
import type { TimelineOrder, TimelineRow, TimerName } from "../platform/timeline.ts";
import { handWorkedQueries } from "./by-hand/hand-claim-store.ts";
import { BY_HAND } from "./claim.ts";
import { FILE_CLAIM_TIMER } from "./consider-claim.ts";
import { POLL_CLAIM_TIMER } from "./poll-claim.ts";
import { REMIND_UNFILED_TIMER } from "./remind-unfiled.ts";

/**
 * Exceptions about claims: claims that wait too long or do not end, and claims of orders refunded in full or in part.
 * `refundedOrders` selects `provider_id, id, updated_at`; `partlyRefundedOrders` also `refunded`.
 */
export function claimExceptionQueries(
  refundedOrders: RawBuilder<unknown>,
  partlyRefundedOrders: RawBuilder<unknown>,
): readonly ExceptionQuery[] {
  return [
    { rows: waitingClaims, afterHours: CLAIM_WAITING_DAYS_MAX * 24 },
    { rows: waitingExpenses(refundedOrders), afterHours: CLAIM_WAITING_DAYS_MAX * 24 },
    { rows: missingReceipts(refundedOrders) },
    { rows: claimsOfRefundedOrders(refundedOrders) },
    { rows: claimsOfPartlyRefundedOrders(partlyRefundedOrders) },
    { rows: unreadTotals },
    { rows: unknownFilings, afterHours: UNKNOWN_OUTCOME_HOURS_MAX },
    { rows: filedElsewhere },
    ...handWorkedQueries(),
  ];
}

/** Each state has a separate index. */
const waitingClaims: RawBuilder<ExceptionRow> = sql`
  select 'claim_held' as kind, provider_id, id::text as subject, order_id, updated_at as since,
    jsonb_build_object('reason', reason) as facts
  from claims where state = 'held'
  union all
  select 'claim_without_access', provider_id, id::text, order_id, updated_at, jsonb_build_object('reason', reason)
  from claims where state = 'access_missing'`;

/** Expenses that lack a document by our own rules. They have no claim yet. */
function waitingExpenses(refundedOrders: RawBuilder<unknown>): RawBuilder<ExceptionRow> {
  return sql`
    select 'claim_held' as kind, e.provider_id, e.id::text as subject, e.order_id, e.updated_at as since,
      jsonb_build_object('reason', 'documents_missing') as facts
    from expenses e
    where e.status = 'held' and e.order_id is not null
      and not exists (select from (${refundedOrders}) as o where o.provider_id = e.provider_id and o.id = e.order_id)
      and not exists (select from claims c where c.provider_id = e.provider_id and c.order_id = e.order_id)`;
}

function missingReceipts(refundedOrders: RawBuilder<unknown>): RawBuilder<ExceptionRow> {
  return sql`
    select 'receipt_missing' as kind, m.provider_id, m.order_id::text as subject, m.order_id, m.noticed_at as since,
      '{}'::jsonb as facts
    from missing_receipts m
    where not exists (select from expenses e where e.provider_id = m.provider_id and e.order_id = m.order_id)
      and not exists (select from (${refundedOrders}) as o where o.provider_id = m.provider_id and o.id = m.order_id)`;
}

/** If the receipt's total is unreadable, the insurer gets the order's total. PostgreSQL can estimate this condition. */
const unreadTotals: RawBuilder<ExceptionRow> = sql`
  select 'receipt_unread' as kind, provider_id, id::text as subject, order_id, updated_at as since,
    jsonb_build_object('unread_fields', unread_fields) as facts
  from expenses where order_id is not null and unread_fields <> '{}'::jsonb and unread_fields->>'total' is not null`;

function claimsOfRefundedOrders(refundedOrders: RawBuilder<unknown>): RawBuilder<ExceptionRow> {
  return sql`
    select 'claim_of_refunded_order' as kind, c.provider_id, c.id::text as subject, c.order_id, o.updated_at as since,
      jsonb_build_object('claim_state', c.state, 'insurer_claim_id', c.insurer_claim_id) as facts
    from claims c join (${refundedOrders}) as o on o.provider_id = c.provider_id and o.id = c.order_id
    where c.state in ('filing', 'filed', 'approved')`;
}

function claimsOfPartlyRefundedOrders(partlyRefundedOrders: RawBuilder<unknown>): RawBuilder<ExceptionRow> {
  return sql`
    select 'claim_of_partly_refunded_order' as kind, c.provider_id, c.id::text as subject, c.order_id,
      o.updated_at as since,
      jsonb_build_object('claim_state', c.state, 'insurer_claim_id', c.insurer_claim_id, 'refunded', o.refunded) as facts
    from claims c join (${partlyRefundedOrders}) as o on o.provider_id = c.provider_id and o.id = c.order_id
    where c.state in ('filing', 'filed', 'approved')`;
}

/** The connector that took a claim, if it is neither the present one nor the operators, who finish theirs. */
const otherTaker = otherConnector(sql`nullif(claims.connector, ${BY_HAND})`, "insurer");

/** A claim that its connector has queued is listed only once that connector is not configured any more. */
const unknownFilings: RawBuilder<ExceptionRow> = sql`
  select 'outcome_unknown' as kind, provider_id, id::text as subject, order_id, updated_at as since,
    jsonb_strip_nulls(jsonb_build_object('of', 'filing', 'connector', elsewhere)) as facts
  from (select *, ${otherTaker} as elsewhere from claims where state = 'filing') as c
  where queued_at is null or elsewhere is not null`;

/** Claims whose connector is not configured any more, so that only an operator learns the isapre's answer. */
const filedElsewhere: RawBuilder<ExceptionRow> = sql`
  select 'claim_to_answer' as kind, provider_id, id::text as subject, order_id, filed_at as since,
    jsonb_build_object('insurer_claim_id', insurer_claim_id, 'connector', elsewhere) as facts
  from (select *, ${otherTaker} as elsewhere from claims where state = 'filed') as c
  where elsewhere is not null`;

const ofOrder = ({ providerId, orderId }: TimelineOrder) =>
  sql<boolean>`provider_id = ${providerId}::uuid and order_id = ${orderId}::uuid`;

export function claimEntries(order: TimelineOrder): readonly RawBuilder<TimelineRow>[] {
  return [
    sql`
      select 'expense.received' as what, created_at as at, id::text as subject, null::bigint as amount,
        '{}'::jsonb as facts
      from expenses where ${ofOrder(order)}`,
    sql`
      select 'receipt.missed', noticed_at, null::text, null::bigint, '{}'::jsonb
      from missing_receipts where ${ofOrder(order)}`,
    sql`
      select moment.what, moment.at, c.id::text, null::bigint, moment.facts
      from claims c cross join lateral (values
        ('claim.made', c.created_at, '{}'::jsonb),
        ('claim.filed', c.filed_at, jsonb_strip_nulls(jsonb_build_object('at_insurer', c.insurer_claim_id))),
        ('claim.access_blocked', c.blocked_since, '{}'::jsonb),
        ('claim.access_renewed', c.renewed_access_at, '{}'::jsonb),
        ('claim.ended', case when c.state in ('approved', 'rejected', 'stopped') then c.updated_at end,
          jsonb_strip_nulls(jsonb_build_object('state', c.state, 'reimbursed', c.reimbursed)))
        ) as moment (what, at, facts)
      where ${ofOrder(order)} and moment.at is not null`,
  ];
}

export function claimWaits(order: TimelineOrder): readonly RawBuilder<TimelineRow>[] {
  return [
    sql`
      select 'waits.receipt' as what, noticed_at as at, null::text as subject, null::bigint as amount,
        '{}'::jsonb as facts
      from missing_receipts m where ${ofOrder(order)}
        and not exists (select from expenses e where e.provider_id = m.provider_id and e.order_id = m.order_id)`,
    sql`
      select 'waits.claim', updated_at, id::text, null::bigint,
        jsonb_strip_nulls(jsonb_build_object('state', state, 'reason', reason, 'inquiries', inquiries))
      from claims where ${ofOrder(order)} and state not in ('approved', 'rejected', 'stopped')`,
  ];
}

export function claimTimers(order: TimelineOrder): readonly RawBuilder<TimerName>[] {
  return [
    sql`select ${REMIND_UNFILED_TIMER}::text as kind, ${order.orderId}::text as key`,
    sql`select ${POLL_CLAIM_TIMER}, id::text from claims where ${ofOrder(order)}`,
    sql`select ${FILE_CLAIM_TIMER}, id::text || ':' || attempt::text from claims where ${ofOrder(order)}`,
  ];
}

export interface ClaimSummary {
  readonly orderId: OrderId;
  readonly state: string;
  readonly filedAt: Date | null;
  readonly reason: string | null;
  readonly reimbursed: number | null;
}

export async function selectClaims(db: Database, beneficiaryId: string): Promise<ClaimSummary[]> {
  const rows = await claims(db).where("beneficiary_id", "=", beneficiaryId).execute();
  return rows.map(toClaim);
}

export async function selectClaimsOfOrders(db: Database, orderIds: readonly OrderId[]): Promise<ClaimSummary[]> {
  if (orderIds.length === 0) return [];
  const rows = await claims(db)
    .where("order_id", "in", [...orderIds])
    .execute();
  return rows.map(toClaim);
}

function claims(db: Database) {
  return db.selectFrom("claims").select(["order_id", "state", "filed_at", "reason", "reimbursed"]);
}

function toClaim(row: {
  order_id: OrderId;
  state: string;
  filed_at: Date | null;
  reason: string | null;
  reimbursed: number | null;
}): ClaimSummary {
  const { order_id: orderId, state, filed_at: filedAt, reason, reimbursed } = row;
  return { orderId, state, filedAt, reason, reimbursed };
}

export interface ExpenseSummary {
  readonly id: string;
  readonly providerId: string;
  readonly orderId: OrderId | null;
  readonly status: string;
  readonly name: string | null;
  readonly serviceDate: string | null;
  readonly receiptId: string | null;
  readonly receiptRut: string | null;
  readonly doctorRut: string | null;
  readonly total: number | null;
  /** Unreadable texts, by field name. */
  readonly unread: Readonly<Record<string, string>>;
  readonly receivedAt: Date;
  readonly files: readonly { readonly name: string; readonly type: string; readonly bytes: number }[];
}

/** Every expense of a patient with its files, oldest first. */
export async function selectExpenses(db: Database, beneficiaryId: string): Promise<ExpenseSummary[]> {
  const rows = await db
    .selectFrom("expenses as e")
    .select(["e.provider_id", "e.id", "e.order_id", "e.status", "e.name"])
    .select(["e.receipt_id", "e.receipt_rut", "e.doctor_rut", "e.total", "e.unread_fields", "e.created_at"])
    .select(sql<string | null>`e.service_date::text`.as("service_date"))
    .where("e.beneficiary_id", "=", beneficiaryId)
    .orderBy("e.created_at")
    .orderBy("e.id")
    .execute();
  const files = await db
    .selectFrom("expense_files as f")
    .innerJoin("expenses as e", (join) =>
      join.onRef("e.provider_id", "=", "f.provider_id").onRef("e.id", "=", "f.expense_id"),
    )
    .select(["f.expense_id", "f.name", "f.type", "f.bytes"])
    .where("e.beneficiary_id", "=", beneficiaryId)
    .orderBy("f.position")
    .execute();
  return rows.map((row) => ({
    id: row.id,
    providerId: row.provider_id,
    orderId: row.order_id,
    status: row.status,
    name: row.name,
    serviceDate: row.service_date,
    receiptId: row.receipt_id,
    receiptRut: row.receipt_rut,
    doctorRut: row.doctor_rut,
    total: row.total,
    unread: row.unread_fields as Readonly<Record<string, string>>,
    receivedAt: row.created_at,
    files: files
      .filter(({ expense_id }) => expense_id === row.id)
      .map(({ name, type, bytes }) => ({ name, type, bytes })),
  }));
}

/** Deletes the files of a patient's expenses. Returns their names in the storage. */
export async function deleteExpenseFiles(tx: Transaction, beneficiaryId: string): Promise<string[]> {
  const files = await tx
    .deleteFrom("expense_files")
    .using("expenses")
    .whereRef("expenses.provider_id", "=", "expense_files.provider_id")
    .whereRef("expenses.id", "=", "expense_files.expense_id")
    .where("expenses.beneficiary_id", "=", beneficiaryId)
    .returning("expense_files.storage_name")
    .execute();
  return files.map(({ storage_name }) => storage_name);
}

/** Clears the data read from a patient's documents. */
export async function emptyExpenses(tx: Transaction, beneficiaryId: string): Promise<void> {
  await tx
    .updateTable("expenses")
    .set({ name: null, service_date: null, receipt_id: null, receipt_rut: null, doctor_rut: null })
    .set({ total: null, subtypes: [], unread_fields: "{}" })
    .where("beneficiary_id", "=", beneficiaryId)
    .execute();
}

/** Selects the orders of a patient's claims: `provider_id, order_id`. */
export function patientClaimKeys(beneficiaryId: string): RawBuilder<unknown> {
  return sql`select provider_id, order_id from claims where beneficiary_id = ${beneficiaryId}`;
}

/** Clears the answers and payments of insurers. */
export async function emptyClaims(tx: Transaction, beneficiaryId: string): Promise<void> {
  await sql`update claims set reimbursed = null, rejection_code = null, reason = case state when 'stopped' then reason end
    where beneficiary_id = ${beneficiaryId}`.execute(tx);
}
