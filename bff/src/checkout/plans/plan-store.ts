import type { Database } from "../../platform/database/transaction.ts";

interface PlanRow {
  beneficiary_id: string;
  plan: string;
  status: "active" | "cancelled";
  paid_by: "patient" | "provider";
  provider_id: string;
  valid_until: Date | null;
  updated_at: Date;
}

declare module "../../platform/database/tables.ts" {
  interface Tables {
    subscriptions: PlanRow;
  }
}

/** A patient's plan. */
export interface Subscription {
  readonly beneficiaryId: string;
  readonly plan: string;
  readonly status: "active" | "cancelled";
  readonly paidBy: "patient" | "provider";
  /** Who set it. */
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

/** Writes a patient's plan in place of the one before. */
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

function toPlan(row: PlanRow): Subscription {
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
