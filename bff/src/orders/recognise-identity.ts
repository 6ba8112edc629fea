import type { Rut } from "../contract/vocabulary/rut.ts";
import { findAndLockBeneficiary, noteIdentityMatch } from "../patients/patients.ts";
import { tenantOf } from "../patients/tenant.ts";
import type { Transaction } from "../platform/database/transaction.ts";
import { ApiError } from "../platform/http/api-error.ts";
import type { Provider } from "../platform/provider.ts";
import { askToRemove } from "./card-removals.ts";
import type { OrdersDependencies } from "./dependencies.ts";
import { writeRecognised, writeUnrecognised } from "./identity-store.ts";
import { lockOrder } from "./order-reads.ts";
import type { OrderRecord } from "./order-record.ts";
import { requireOrder } from "./order-store.ts";
import { refuseUnlessAwaitingPayment } from "./payments/refuse-unless-awaiting-payment.ts";
import { takeSavedCardOff } from "./saved-cards/saved-card-store.ts";

/** An earlier match of the registry counts for this order, because its patient was recognised. Returns the order. */
export async function recogniseIdentity(tx: Transaction, order: OrderRecord, at: Date): Promise<OrderRecord> {
  return (await writeRecognised(tx, order, at)) ?? requireOrder(tx, order);
}

/**
 * Takes off an order what came of a recognition: its patient's identity and the saved card. Returns the order. Throws
 * `payment_in_progress` and `order_not_payable` where it does not wait for its payment.
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
  return requireOrder(tx, key);
}

/**
 * Looks, where an order's identity stands on a recognition, whether that holds still. If not, the order's identity is
 * to be proved as for anybody, and it throws `processor_customer_identity_not_validated`.
 */
export async function requireRecognised(
  { db, patient }: Pick<OrdersDependencies, "db" | "patient">,
  { provider, order, now }: { readonly provider: Provider; readonly order: OrderRecord; readonly now: Date },
): Promise<void> {
  if (!order.identityRecognised) return;
  const recognised = await patient.recognised(db, { provider, order, now });
  if (recognised?.isTrusted === true) return;
  await writeUnrecognised(db, order, now);
  throw new ApiError("processor_customer_identity_not_validated");
}

/**
 * Ends an earlier match, because the registry has said that the person's document is not valid. When they are
 * recognised the next time, they are asked for their document. The saved cards stay.
 */
export async function loseMatch(
  tx: Transaction,
  { provider, rut }: { readonly provider: Provider; readonly rut: Rut },
): Promise<void> {
  const patient = await findAndLockBeneficiary(tx, { tenant: tenantOf(provider), rut });
  if (patient !== null) await noteIdentityMatch(tx, patient, null);
}
