import type { SubscriptionsRow } from "../../platform/database/tables.ts";
import type { Database } from "../../platform/database/transaction.ts";

/** A patient's plan with one provider. */
export interface Subscription {
  readonly beneficiaryId: string;
  readonly plan: string;
  readonly status: "active" | "cancelled";
  readonly paidBy: "patient" | "provider";
  /** The provider that set the plan. The plan counts only for this provider. */
  readonly providerId: string;
  readonly validUntil: Date | null;
  readonly updatedAt: Date;
}

export async function readPlan(
  db: Database,
  { beneficiaryId, providerId }: Pick<Subscription, "beneficiaryId" | "providerId">,
): Promise<Subscription | null> {
  const row = await db
    .selectFrom("subscriptions")
    .selectAll()
    .where("beneficiary_id", "=", beneficiaryId)
    .where("provider_id", "=", providerId)
    .executeTakeFirst();
  return row === undefined ? null : toPlan(row);
}

/** Stores a patient's plan with a provider, replacing the previous one of that provider. */
export async function writePlan(db: Database, subscription: Subscription): Promise<void> {
  const { plan, status } = subscription;
  const values = {
    plan,
    status,
    paid_by: subscription.paidBy,
    valid_until: subscription.validUntil,
    updated_at: subscription.updatedAt,
  };
  await db
    .insertInto("subscriptions")
    .values({ beneficiary_id: subscription.beneficiaryId, provider_id: subscription.providerId, ...values })
    .onConflict((conflict) => conflict.columns(["beneficiary_id", "provider_id"]).doUpdateSet(values))
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
