import { objectionEndOf } from "../../checkout/patient-data.ts";
import type { Beneficiary } from "../../patients/beneficiary.ts";
import type { Database } from "../../platform/database/transaction.ts";
import { ApiError } from "../../platform/http/api-error.ts";

/**
 * Requires that the time to object to a change of this patient's address is over. Somebody who moved a RUT with an
 * identity document alone must not read or end anything of the owner before. Throws 409 `email_change_unsettled`.
 */
export async function requireSettledAddress(db: Database, { id }: Pick<Beneficiary, "id">, now: Date): Promise<void> {
  const end = await objectionEndOf(db, id, now);
  if (end === null) return;
  const seconds = Math.ceil((end.getTime() - now.getTime()) / 1_000);
  throw new ApiError("email_change_unsettled", { retry_after_seconds: Math.max(1, seconds) });
}
