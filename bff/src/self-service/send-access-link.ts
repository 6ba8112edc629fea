import type { MintSelfServiceTokenDependencies } from "../checkout/mint-self-service-token.ts";
import { linkToGiveAccess } from "../claims/notify-claim.ts";
import type { Rut } from "../contract/vocabulary/rut.ts";
import { type NotifyPatientDependencies, notifyPatient } from "../notifications/notify-patient.ts";
import { findBeneficiary } from "../patients/patients.ts";
import { tenantOf } from "../patients/tenant.ts";
import { recordAudit } from "../platform/audit-store.ts";
import { type Database, inTransaction } from "../platform/database/transaction.ts";
import type { Provider } from "../platform/provider.ts";

export interface SendAccessLinkDependencies extends NotifyPatientDependencies, MintSelfServiceTokenDependencies {
  readonly db: Database;
}

/**
 * Sends a patient the link to add access to their insurer, at the request that they made to an operator. It goes to the
 * registered address, is valid for 30 days, and is protected by a code. Returns false and sends nothing if the RUT is
 * not registered, or the provider has no widget. `now` is in the provider's time.
 */
export async function sendAccessLink(
  dependencies: SendAccessLinkDependencies,
  {
    provider,
    rut,
    actor,
    now,
  }: {
    readonly provider: Provider;
    readonly rut: Rut;
    /** `operator:<name>` */
    readonly actor: string;
    readonly now: Date;
  },
): Promise<boolean> {
  const { db, ids } = dependencies;
  return inTransaction(db, async (tx) => {
    const patient = await findBeneficiary(tx, { tenant: tenantOf(provider), rut });
    if (patient === null) return false;
    const claimant = { providerId: provider.id, beneficiaryId: patient.id, rut };
    const link = await linkToGiveAccess(dependencies, tx, claimant);
    if (link === null) return false;
    await recordAudit(tx, {
      id: ids.uuid(),
      providerId: provider.id,
      actor,
      credentialId: null,
      act: "patient_link.sent",
      subject: { kind: "beneficiary", id: patient.id },
      details: { purpose: "insurer_access", widget_token: link.id },
      at: now,
    });
    await notifyPatient(dependencies, tx, {
      provider,
      cause: `access_link:${link.id}`,
      to: patient.email,
      rut: patient.rut,
      beneficiaryId: patient.id,
      notification: {
        kind: "access_link",
        firstName: patient.firstName,
        clinic: provider.name,
        accessUrl: link.url,
      },
    });
    return true;
  });
}
