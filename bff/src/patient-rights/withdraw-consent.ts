import { withdrawConsents } from "../consents/consents.ts";
import type { ConsentPurpose } from "../contract/orders.ts";
import type { WithdrawConsentResponse } from "../contract/patient-rights.ts";
import type { Beneficiary } from "../people/beneficiary.ts";
import { destroyInsurerAccess } from "../people/people.ts";
import { providerOfTenant } from "../people/tenant.ts";
import { recordAudit } from "../platform/audit-store.ts";
import { type Database, inTransaction, type Transaction } from "../platform/database/transaction.ts";
import { ApiError } from "../platform/http/api-error.ts";
import type { Ids } from "../platform/ids.ts";
import { stopClaimsOfPatient } from "../reimbursements/consider-claim.ts";
import { MANDATE_WITHDRAWN } from "../reimbursements/mandate.ts";
import { lockPatient } from "./lock-patient.ts";
import { readClaims } from "./patient-data-store.ts";
import { factsOf, patientOrders } from "./patient-orders.ts";
import { effectsOf, owedOf } from "./rights.ts";
import type { RightsAct } from "./see-data.ts";

export interface WithdrawDependencies {
  readonly db: Database;
  readonly ids: Ids;
}

/** Claims that a withdrawal still can stop. */
const STOPPABLE: readonly string[] = ["ready", "held", "access_missing", "access_blocked"];

/**
 * Withdraws what a patient has accepted for one purpose, at all clinics, and does what follows from it at once. What is owed
 * stays owed. Again, it changes nothing. Throws 409 `consent_not_withdrawable` for a contract that was closed, and for the
 * later charge while something is to be charged.
 */
export function withdrawConsent(
  { db, ids }: WithdrawDependencies,
  act: RightsAct,
  purpose: ConsentPurpose,
): Promise<WithdrawConsentResponse> {
  return inTransaction(db, async (tx) => {
    const patient = await lockPatient(tx, act.patient);
    const owed = owedOf((await patientOrders(tx, patient)).map(factsOf));
    const openClaims = (await readClaims(tx, patient.id)).filter(({ state }) => STOPPABLE.includes(state)).length;
    const hasAccess = patient.sealedInsurerAccess !== null;
    const effects = effectsOf(purpose, { owed, hasAccess, openClaims });
    if (effects === null) throw new ApiError("consent_not_withdrawable");
    const withdrawn = await withdrawNow(tx, patient, [purpose], act.now);
    if (withdrawn) {
      await recordAudit(tx, {
        id: ids.uuid(),
        providerId: act.providerId,
        actor: act.actor,
        credentialId: null,
        act: "patient_data.consent_withdrawn",
        subject: { kind: "beneficiary", id: patient.id },
        details: { purpose, effects },
        at: act.now,
      });
    }
    return { withdrawn: purpose, effects: [...effects], owed };
  });
}

/** Withdraws these purposes and does what follows. Says whether anything of it held. */
export async function withdrawNow(
  tx: Transaction,
  patient: Beneficiary,
  purposes: readonly ConsentPurpose[],
  at: Date,
): Promise<boolean> {
  const of = { rut: patient.rut, providerId: providerOfTenant(patient.tenant) };
  const held = await withdrawConsents(tx, of, purposes, at);
  const endsClaims = purposes.includes("claim_mandate") || purposes.includes("health_data");
  const endsAccess = endsClaims || purposes.includes("insurer_access");
  const destroyed = endsAccess && (await destroyInsurerAccess(tx, patient, at));
  const stopped = endsClaims ? await stopClaimsOfPatient(tx, patient.id, { reason: MANDATE_WITHDRAWN, at }) : 0;
  return held || destroyed || stopped > 0;
}
