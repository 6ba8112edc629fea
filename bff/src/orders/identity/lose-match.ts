import type { Rut } from "../../contract/vocabulary/rut.ts";
import { findAndLockBeneficiary, noteIdentityMatch } from "../../patients/patients.ts";
import { tenantOf } from "../../patients/tenant.ts";
import type { Transaction } from "../../platform/database/transaction.ts";
import type { Provider } from "../../platform/provider.ts";

/**
 * Ends an earlier match, because the registry has said that the person's document is not valid. When they are recognised the
 * next time, they are asked for their document. The saved cards stay.
 */
export async function loseMatch(
  tx: Transaction,
  { provider, rut }: { readonly provider: Provider; readonly rut: Rut },
): Promise<void> {
  const patient = await findAndLockBeneficiary(tx, { tenant: tenantOf(provider), rut });
  if (patient !== null) await noteIdentityMatch(tx, patient, null);
}
