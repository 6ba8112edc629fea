import { sql } from "kysely";
import type { OrderHash } from "../../contract/vocabulary/identifiers.ts";
import type { Database } from "../../platform/database/transaction.ts";

/*
 * Reads other features' tables, and changes none of them: a patient sees everything that is kept, wherever that is.
 */

/** Whose data: a person within a tenant. `everybody` is production's (see `tenantOf`). */
export interface PersonKey {
  readonly tenant: string;
  readonly rut: string;
}

/** Rows of this tenant's providers alone. */
function ofTenant(column: string, tenant: string) {
  return tenant === "everybody" ? sql<boolean>`true` : sql<boolean>`${sql.ref(column)} = ${tenant}::uuid`;
}

/** A credit that was refused, with the reasons that the law has kept. */
export interface CreditRefusal {
  readonly reasons: readonly string[];
  readonly at: Date;
}

/**
 * Every order under a RUT, oldest first, with whose it is, and whether its credit was refused. That is told by how an attempt
 * to pay it has ended: the order itself may have been cancelled since.
 */
export async function readOrderKeys(
  db: Database,
  { tenant, rut }: PersonKey,
): Promise<{ providerId: string; providerName: string; id: OrderHash; creditRefusal: CreditRefusal | null }[]> {
  const rows = await db
    .selectFrom("orders as o")
    .innerJoin("providers as p", "p.id", "o.provider_id")
    .leftJoin("payment_attempts as a", (join) =>
      join.onRef("a.provider_id", "=", "o.provider_id").onRef("a.order_id", "=", "o.id").on("a.state", "=", "failed"),
    )
    .select(["o.provider_id", "o.id", "p.name", "a.ended_at"])
    .select(
      sql<readonly string[] | null>`case a.ending ->> 'as' when 'failed' then a.ending -> 'reasons' end`.as("reasons"),
    )
    .where("o.customer_rut", "=", sql<never>`${rut}`)
    .where(ofTenant("o.provider_id", tenant))
    .orderBy("o.created_at")
    .orderBy("o.id")
    .execute();
  return rows.map(({ provider_id, id, name, reasons, ended_at: at }) => ({
    providerId: provider_id,
    providerName: name,
    id: id as OrderHash,
    creditRefusal: at === null || reasons === null ? null : { reasons, at },
  }));
}

export interface ClaimSummary {
  readonly orderId: OrderHash;
  readonly state: string;
  readonly filedAt: Date | null;
  readonly reason: string | null;
  readonly reimbursed: number | null;
}

export async function readClaims(db: Database, beneficiaryId: string): Promise<ClaimSummary[]> {
  const rows = await claims(db).where("beneficiary_id", "=", beneficiaryId).execute();
  return rows.map(toClaim);
}

/** The claims of orders, whoever's record they hang on. */
export async function readClaimsOfOrders(db: Database, orderIds: readonly OrderHash[]): Promise<ClaimSummary[]> {
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
  order_id: OrderHash;
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
  readonly providerName: string;
  readonly orderId: OrderHash | null;
  readonly status: string;
  readonly name: string | null;
  readonly serviceDate: string | null;
  readonly receiptId: string | null;
  readonly receiptRut: string | null;
  readonly doctorRut: string | null;
  readonly total: number | null;
  readonly receivedAt: Date;
  readonly files: readonly { readonly name: string; readonly type: string; readonly bytes: number }[];
}

/** Every expense of a patient with its files, oldest first. */
export async function readExpenses(db: Database, beneficiaryId: string): Promise<ExpenseSummary[]> {
  const rows = await db
    .selectFrom("expenses as e")
    .innerJoin("providers as p", "p.id", "e.provider_id")
    .select(["e.provider_id", "e.id", "p.name as provider_name", "e.order_id", "e.status", "e.name"])
    .select(["e.receipt_id", "e.receipt_rut", "e.doctor_rut", "e.total", "e.created_at"])
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
    providerName: row.provider_name,
    orderId: row.order_id,
    status: row.status,
    name: row.name,
    serviceDate: row.service_date,
    receiptId: row.receipt_id,
    receiptRut: row.receipt_rut,
    doctorRut: row.doctor_rut,
    total: row.total,
    receivedAt: row.created_at,
    files: files
      .filter(({ expense_id }) => expense_id === row.id)
      .map(({ name, type, bytes }) => ({ name, type, bytes })),
  }));
}

export async function readEmailChanges(
  db: Database,
  beneficiaryId: string,
): Promise<{ changedAt: Date; objectedAt: Date | null }[]> {
  const rows = await db
    .selectFrom("email_changes")
    .select(["changed_at", "objected_at"])
    .where("beneficiary_id", "=", beneficiaryId)
    .orderBy("changed_at")
    .execute();
  return rows.map(({ changed_at, objected_at }) => ({ changedAt: changed_at, objectedAt: objected_at }));
}

/** Until when the last of a patient's changes of address may be objected to; `null`: none may, any more. */
export async function readObjectionEnd(db: Database, beneficiaryId: string, now: Date): Promise<Date | null> {
  const row = await db
    .selectFrom("email_changes")
    .select("objection_until")
    .where("beneficiary_id", "=", beneficiaryId)
    .where("objected_at", "is", null)
    .where("objection_until", ">", now)
    .orderBy("objection_until", "desc")
    .executeTakeFirst();
  return row?.objection_until ?? null;
}

export async function readPlan(
  db: Database,
  beneficiaryId: string,
): Promise<{
  plan: string;
  status: "active" | "cancelled";
  validUntil: Date | null;
  paidBy: "patient" | "provider";
} | null> {
  const row = await db
    .selectFrom("subscriptions")
    .select(["plan", "status", "valid_until", "paid_by"])
    .where("beneficiary_id", "=", beneficiaryId)
    .executeTakeFirst();
  if (row === undefined) return null;
  return { plan: row.plan, status: row.status, validUntil: row.valid_until, paidBy: row.paid_by };
}
