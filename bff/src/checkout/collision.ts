import type { ErrorAdditions } from "../contract/errors.ts";
import { maskEmail, sameEmail } from "../contract/vocabulary/email.ts";
import type { OrderRecord } from "../orders/order-record.ts";
import type { Beneficiary } from "../patients/beneficiary.ts";
import type { Database } from "../platform/database/transaction.ts";
import { ApiError } from "../platform/http/api-error.ts";
import { isPatientOfOrder } from "./tokens/proven-visits.ts";

/**
 * Whether an order names an e-mail address other than its patient's record. One of them is wrong or a stranger's, so
 * the patient must prove their identity before any payment. A proof in a visit of the order settles it.
 */
export async function collides(db: Database, order: OrderRecord, record: Beneficiary): Promise<boolean> {
  if (sameEmail(order.customer.email, record.email)) return false;
  return !(await isPatientOfOrder(db, order, record.id));
}

/** Throws 409 `RUT_OTHER_EMAIL` if an order about to be paid collides with the record of its patient. */
export async function refuseCollision(
  db: Database,
  { order, record }: { readonly order: OrderRecord; readonly record: Beneficiary | null },
): Promise<void> {
  if (record !== null && (await collides(db, order, record))) throw otherMailbox(record);
}

/** The hint lets the owner recognise the address and reveals almost nothing to a stranger. */
export function otherMailbox({ email }: Beneficiary): ApiError {
  const additions: ErrorAdditions = { email_hint: maskEmail(email), recovery: ["email_code", "identity"] };
  return new ApiError("RUT_OTHER_EMAIL", additions);
}
