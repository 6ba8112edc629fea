import type { Rut } from "../contract/vocabulary/rut.ts";
import { tenantOf } from "../patients/beneficiary.ts";
import { findAndLockBeneficiary, noteIdentityMatch } from "../patients/patients.ts";
import type { Transaction } from "../platform/database/transaction.ts";
import type { Provider } from "../platform/provider.ts";
import { askToRemove } from "./card-removals.ts";
import type { OrdersDependencies } from "./dependencies.ts";
import { writeRecognised, writeUnrecognised } from "./identity/identity-store.ts";
import { findOrder, lockOrder } from "./order-reads.ts";
import type { OrderRecord } from "./order-record.ts";
import { requireFound } from "./order-store.ts";
import { refuseUnlessAwaitingPayment } from "./refuse-unless-awaiting-payment.ts";
import { takeSavedCardOff } from "./saved-cards/saved-card-store.ts";

/**
 * Validates the identity of an order by an earlier match of the registry, because its patient was recognised. Returns
 * the order.
 */
export async function recogniseIdentity(tx: Transaction, order: OrderRecord, at: Date): Promise<OrderRecord> {
  return (await writeRecognised(tx, order, at)) ?? requireFound(await findOrder(tx, order));
}

/**
 * Reverts the effects of a recognition on an order: the patient's identity and the saved card. Returns the order.
 * Throws `payment_in_progress` or `order_not_payable` unless the order awaits its payment.
 */
export async function disownIdentity(
  tx: Transaction,
  { clock }: Pick<OrdersDependencies, "clock">,
  { providerId, orderId }: OrderRecord,
  at: Date,
): Promise<OrderRecord> {
  const key = { providerId, orderId };
  await refuseUnlessAwaitingPayment(tx, await lockOrder(tx, key));
  await writeUnrecognised(tx, key, at);
  const takenOff = await takeSavedCardOff(tx, key, at);
  if (takenOff !== null) await askToRemove(tx, { clock }, key, { cardIds: [takenOff], at });
  return requireFound(await findOrder(tx, key));
}

/**
 * Ends an earlier match, because the registry reports that the person's document is not valid. At the next recognition
 * they are asked for their document. Saved cards stay.
 */
export async function loseMatch(
  tx: Transaction,
  { provider, rut }: { readonly provider: Provider; readonly rut: Rut },
): Promise<void> {
  const patient = await findAndLockBeneficiary(tx, { tenant: tenantOf(provider), rut });
  if (patient !== null) await noteIdentityMatch(tx, patient, null);
}
