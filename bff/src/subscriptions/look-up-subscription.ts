import type { SubscriptionStatus } from "../contract/onboarding.ts";
import { countExpensesSent } from "../expenses/expense-reads.ts";
import type { BeneficiaryKey } from "../people/beneficiary.ts";
import { findBeneficiary } from "../people/people.ts";
import type { Database } from "../platform/database/transaction.ts";
import { subscriptionStatus } from "./subscription-status.ts";
import { readSubscription } from "./subscription-store.ts";

/** What is known of a patient's plan. */
export interface LookedUpSubscription {
  /** Is there a patient with this RUT at all? */
  readonly known: boolean;
  readonly status: SubscriptionStatus;
  /** The provider that pays for the patient's plan, where one does. */
  readonly paidByProviderId: string | null;
}

/** Interface, sections 2.4 and 4.2. A RUT that nobody registered is no error: it is not subscribed. */
export async function lookUpSubscription(db: Database, key: BeneficiaryKey, now: Date): Promise<LookedUpSubscription> {
  const beneficiary = await findBeneficiary(db, key);
  if (beneficiary === null) return { known: false, status: subscriptionStatus(null, now), paidByProviderId: null };
  const plan = await readSubscription(db, beneficiary.id);
  const expensesSent = plan === null ? await countExpensesSent(db, beneficiary.id) : 0;
  return {
    known: true,
    status: subscriptionStatus({ plan, expensesSent }, now),
    paidByProviderId: plan?.paidBy === "provider" ? plan.providerId : null,
  };
}
