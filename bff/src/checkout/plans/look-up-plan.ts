import type { SubscriptionStatus } from "../../contract/onboarding.ts";
import type { Rut } from "../../contract/vocabulary/rut.ts";
import { findBeneficiary } from "../../patients/patients.ts";
import { tenantOf } from "../../patients/tenant.ts";
import type { Database } from "../../platform/database/transaction.ts";
import type { Provider } from "../../platform/provider.ts";
import { planStatus } from "./plan-status.ts";
import { readPlan } from "./plan-store.ts";

/** What is known of a patient's plan with the provider that asks; other providers' plans are none of its business. */
export interface LookedUpPlan {
  /** True if a patient with this RUT is registered. */
  readonly known: boolean;
  readonly status: SubscriptionStatus;
  /** Whether the provider that asks pays for the plan. */
  readonly isPaidByProvider: boolean;
}

export interface LookUpPlanDependencies {
  readonly db: Database;
  /** The number of expenses ever sent for a patient, which limits the free trial. */
  readonly countExpensesSent: (db: Database, beneficiaryId: string) => Promise<number>;
}

/** An unregistered RUT is not an error; it is reported as not subscribed. */
export async function lookUpPlan(
  { db, countExpensesSent }: LookUpPlanDependencies,
  { provider, rut }: { readonly provider: Pick<Provider, "id" | "environment">; readonly rut: Rut },
  now: Date,
): Promise<LookedUpPlan> {
  const beneficiary = await findBeneficiary(db, { tenant: tenantOf(provider), rut });
  if (beneficiary === null) return { known: false, status: planStatus(null, now), isPaidByProvider: false };
  const plan = await readPlan(db, { beneficiaryId: beneficiary.id, providerId: provider.id });
  const expensesSent = plan === null ? await countExpensesSent(db, beneficiary.id) : 0;
  return {
    known: true,
    status: planStatus({ plan, expensesSent }, now),
    isPaidByProvider: plan?.paidBy === "provider",
  };
}
