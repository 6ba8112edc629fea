import type { SubscriptionStatus } from "../../contract/onboarding.ts";
import type { BeneficiaryKey } from "../../patients/beneficiary.ts";
import { findBeneficiary } from "../../patients/patients.ts";
import type { Database } from "../../platform/database/transaction.ts";
import { planStatus } from "./plan-status.ts";
import { readPlan } from "./plan-store.ts";

/** What is known of a patient's plan. */
export interface LookedUpPlan {
  /** True if a patient with this RUT is registered. */
  readonly known: boolean;
  readonly status: SubscriptionStatus;
  /** The provider that pays for the patient's plan; null if none does. */
  readonly paidByProviderId: string | null;
}

export interface LookUpPlanDependencies {
  readonly db: Database;
  /** The number of expenses ever sent for a patient, which limits the free trial. */
  readonly countExpensesSent: (db: Database, beneficiaryId: string) => Promise<number>;
}

/** An unregistered RUT is not an error; it is reported as not subscribed. */
export async function lookUpPlan(
  { db, countExpensesSent }: LookUpPlanDependencies,
  key: BeneficiaryKey,
  now: Date,
): Promise<LookedUpPlan> {
  const beneficiary = await findBeneficiary(db, key);
  if (beneficiary === null) return { known: false, status: planStatus(null, now), paidByProviderId: null };
  const plan = await readPlan(db, beneficiary.id);
  const expensesSent = plan === null ? await countExpensesSent(db, beneficiary.id) : 0;
  return {
    known: true,
    status: planStatus({ plan, expensesSent }, now),
    paidByProviderId: plan?.paidBy === "provider" ? plan.providerId : null,
  };
}
