import { type RawBuilder, sql } from "kysely";
import type { Database, Transaction } from "../platform/database/transaction.ts";
import { type ErasedPatient, ofTenant } from "../platform/personal-data.ts";
import type { TimelineOrder, TimelineRow, TimerName } from "../platform/timeline.ts";
import { SEND_RECOGNITION_TIMER } from "./recognition/start-recognition.ts";

export function checkoutEntries({ providerId, orderId }: TimelineOrder): readonly RawBuilder<TimelineRow>[] {
  return [
    sql`
      select moment.what, moment.at, t.id::text as subject, null::bigint as amount,
        jsonb_build_object('purpose', t.purpose) as facts
      from widget_tokens t cross join lateral (values
        ('token.minted', t.created_at), ('token.shown', t.shown_at), ('token.used', t.used_at),
        ('token.revoked', t.revoked_at)) as moment (what, at)
      where t.provider_id = ${providerId}::uuid and t.order_id = ${orderId}::uuid and moment.at is not null`,
    sql`
      select moment.what, moment.at, r.id::text, null::bigint, jsonb_build_object('number', r.number)
      from recognitions r cross join lateral (values
        ('recognition.asked', r.created_at), ('recognition.verified', r.verified_at)) as moment (what, at)
      where r.provider_id = ${providerId}::uuid and r.order_id = ${orderId}::uuid and moment.at is not null`,
  ];
}

export function checkoutTimers({ providerId, orderId }: TimelineOrder): readonly RawBuilder<TimerName>[] {
  return [
    sql`
      select ${SEND_RECOGNITION_TIMER}::text as kind, id::text as key
      from recognitions where provider_id = ${providerId}::uuid and order_id = ${orderId}::uuid`,
  ];
}

export interface PlanSummary {
  readonly providerId: string;
  readonly plan: string;
  readonly status: "active" | "cancelled";
  readonly validUntil: Date | null;
  readonly paidBy: "patient" | "provider";
}

export async function selectPlans(db: Database, beneficiaryId: string): Promise<PlanSummary[]> {
  const rows = await db
    .selectFrom("subscriptions")
    .select(["provider_id", "plan", "status", "valid_until", "paid_by"])
    .where("beneficiary_id", "=", beneficiaryId)
    .orderBy("updated_at", "desc")
    .execute();
  return rows.map(({ plan, status, provider_id: providerId, valid_until: validUntil, paid_by: paidBy }) => ({
    providerId,
    plan,
    status,
    validUntil,
    paidBy,
  }));
}

export interface EmailChangeSummary {
  readonly changedAt: Date;
  readonly objectedAt: Date | null;
}

/** A patient's e-mail address changes, oldest first. */
export async function selectEmailChanges(db: Database, beneficiaryId: string): Promise<EmailChangeSummary[]> {
  const rows = await db
    .selectFrom("email_changes")
    .select(["changed_at", "objected_at"])
    .where("beneficiary_id", "=", beneficiaryId)
    .orderBy("changed_at")
    .execute();
  return rows.map(({ changed_at, objected_at }) => ({ changedAt: changed_at, objectedAt: objected_at }));
}

export async function selectObjectionEnd(db: Database, beneficiaryId: string, now: Date): Promise<Date | null> {
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

export async function deletePlanAndRecoveries(tx: Transaction, beneficiaryId: string): Promise<void> {
  for (const table of ["subscriptions", "recoveries", "recovery_identity_checks"] as const)
    await tx.deleteFrom(table).where("beneficiary_id", "=", beneficiaryId).execute();
}

/** Deletes a patient's changes of e-mail address. Returns the users that they referred to. */
export async function deleteEmailChanges(tx: Transaction, beneficiaryId: string): Promise<string[]> {
  const changes = await tx
    .deleteFrom("email_changes")
    .where("beneficiary_id", "=", beneficiaryId)
    .returning(["old_user_id", "new_user_id"])
    .execute();
  return changes.flatMap(({ old_user_id, new_user_id }) => [old_user_id, new_user_id]);
}

export const emailChangeUserKeys: RawBuilder<unknown> = sql`
  select old_user_id as user_id from email_changes union all select new_user_id from email_changes`;

type RegisteredPatient = ErasedPatient & { readonly beneficiaryId: string };

export async function endLinks(tx: Transaction, { beneficiaryId, at }: RegisteredPatient): Promise<void> {
  await tx
    .updateTable("widget_tokens")
    .set({ used_at: at })
    .where("beneficiary_id", "=", beneficiaryId)
    .where("used_at", "is", null)
    .where("purpose", "not in", ["card_change", "pay_early", "objection"])
    .execute();
}

export async function endPaymentLinks(
  tx: Transaction,
  { beneficiaryId, at }: RegisteredPatient,
  orders: RawBuilder<unknown>,
): Promise<void> {
  const links = tx
    .updateTable("widget_tokens")
    .where("beneficiary_id", "=", beneficiaryId)
    .where("purpose", "in", ["card_change", "pay_early"])
    .where("used_at", "is", null);
  await links.set({ used_at: at }).where(sql<boolean>`(provider_id, order_id) in (${orders})`).execute();
  await links.set({ beneficiary_id: null }).execute();
  await endPaymentPages(tx, orders, at);
}

export async function endPaymentPages(tx: Transaction, orders: RawBuilder<unknown>, at: Date): Promise<void> {
  await tx
    .updateTable("widget_tokens")
    .set({ used_at: at, sealed_token: null })
    .where("purpose", "=", "payment")
    .where("sealed_token", "is not", null)
    .where(sql<boolean>`(provider_id, order_id) in (${orders})`)
    .execute();
}

export async function emptyTokens(
  tx: Transaction,
  { beneficiaryId, tenant, rut }: ErasedPatient,
  orders: RawBuilder<unknown>,
): Promise<void> {
  await tx
    .updateTable("widget_tokens")
    .set({ rut: null, user_data: "{}", provider_data: null })
    .where(sql<boolean>`(beneficiary_id = ${beneficiaryId}::uuid or (provider_id, order_id) in (${orders})
      or (order_id is null and (rut = ${rut} or user_data ->> 'rut' = ${rut})))`)
    .where(ofTenant("provider_id", tenant))
    .execute();
}
