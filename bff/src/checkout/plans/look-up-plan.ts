import type { SubscriptionStatus } from "../../contract/onboarding.ts";
import type { Beneficiary } from "../../patients/beneficiary.ts";
import type { Database } from "../../platform/database/transaction.ts";
import type { Provider } from "../../platform/provider.ts";
import { planStatus } from "./plan-status.ts";
import { readPlan } from "./plan-store.ts";

/** A patient's plan as the requesting provider may see it. Plans with other providers are never included. */
export interface LookedUpPlan {
  /** The patient with this RUT; null if none is registered. */
  readonly patient: Beneficiary | null;
  readonly status: SubscriptionStatus;
  /** Whether the requesting provider pays for the plan. */
  readonly isPaidByProvider: boolean;
}

export interface LookUpPlanDependencies {
  readonly db: Database;
  /** The number of expenses ever sent for a patient. It limits the free trial. */
  readonly countExpensesSent: (db: Database, beneficiaryId: string) => Promise<number>;
}

/**
 * The plan status of an already loaded patient. An unregistered RUT is not an error; it is reported as not subscribed.
 */
export async function lookUpPlanOf(
  { db, countExpensesSent }: LookUpPlanDependencies,
  { provider, patient }: { readonly provider: Pick<Provider, "id">; readonly patient: Beneficiary | null },
  now: Date,
): Promise<LookedUpPlan> {
  if (patient === null) return { patient, status: planStatus(null, now), isPaidByProvider: false };
  const plan = await readPlan(db, { beneficiaryId: patient.id, providerId: provider.id });
  const expensesSent = plan === null ? await countExpensesSent(db, patient.id) : 0;
  return {
    patient,
    status: planStatus({ plan, expensesSent }, now),
    isPaidByProvider: plan?.paidBy === "provider",
  };
}
