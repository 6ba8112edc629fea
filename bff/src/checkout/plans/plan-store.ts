import type { SubscriptionsRow } from "../../platform/database/tables.ts";
import type { Database } from "../../platform/database/transaction.ts";

/** A patient's plan. */
export interface Subscription {
  readonly beneficiaryId: string;
  readonly plan: string;
  readonly status: "active" | "cancelled";
  readonly paidBy: "patient" | "provider";
  /** The provider that set the plan. */
  readonly providerId: string;
  readonly validUntil: Date | null;
  readonly updatedAt: Date;
}

export async function readPlan(db: Database, beneficiaryId: string): Promise<Subscription | null> {
  const row = await db
    .selectFrom("subscriptions")
    .selectAll()
    .where("beneficiary_id", "=", beneficiaryId)
    .executeTakeFirst();
  return row === undefined ? null : toPlan(row);
}

/** Stores a patient's plan, replacing the previous one. */
export async function writePlan(db: Database, subscription: Subscription): Promise<void> {
  const { plan, status } = subscription;
  const values = {
    plan,
    status,
    paid_by: subscription.paidBy,
    provider_id: subscription.providerId,
    valid_until: subscription.validUntil,
    updated_at: subscription.updatedAt,
  };
  await db
    .insertInto("subscriptions")
    .values({ beneficiary_id: subscription.beneficiaryId, ...values })
    .onConflict((conflict) => conflict.column("beneficiary_id").doUpdateSet(values))
    .execute();
}

function toPlan(row: SubscriptionsRow): Subscription {
  const { plan, status } = row;
  return {
    beneficiaryId: row.beneficiary_id,
    plan,
    status,
    paidBy: row.paid_by,
    providerId: row.provider_id,
    validUntil: row.valid_until,
    updatedAt: row.updated_at,
  };
}
