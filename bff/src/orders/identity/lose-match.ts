import type { Rut } from "../../contract/vocabulary/rut.ts";
import { findAndLockBeneficiary, noteIdentityMatch } from "../../patients/patients.ts";
import { tenantOf } from "../../patients/tenant.ts";
import type { Transaction } from "../../platform/database/transaction.ts";
import type { Provider } from "../../platform/provider.ts";

/**
 * The registry has said that a document of the person is not valid: an earlier match does not count any more, and whoever is
 * recognised is asked for the document that is valid now. The saved cards stay.
 */
export async function loseMatch(
  tx: Transaction,
  { provider, rut }: { readonly provider: Provider; readonly rut: Rut },
): Promise<void> {
  const patient = await findAndLockBeneficiary(tx, { tenant: tenantOf(provider), rut });
  if (patient !== null) await noteIdentityMatch(tx, patient, null);
}
