import { patientClaims, stopClaimsOfPatient } from "../claims/operations.ts";
import { revokeMandate } from "../collection/mandate.ts";
import type { ConsentPurpose } from "../contract/orders.ts";
import type { WithdrawConsentResponse } from "../contract/patient-rights.ts";
import { removeSavedCards, savedCardsOf } from "../orders/saved-cards.ts";
import { type Beneficiary, providerOfTenant } from "../patients/beneficiary.ts";
import { withdrawConsents } from "../patients/consents.ts";
import { destroyInsurerAccess } from "../patients/patients.ts";
import { recordAudit } from "../platform/audit-store.ts";
import type { Clock } from "../platform/clock.ts";
import { type Database, inTransaction, type Transaction } from "../platform/database/transaction.ts";
import { ApiError } from "../platform/http/api-error.ts";
import type { Ids } from "../platform/ids.ts";
import { lockPatient } from "./my-data/lock-patient.ts";
import { factsOf, ordersInSight, type PatientOrderRecord } from "./my-data/patient-orders.ts";
import { effectsOf, isOfOrder, owedOf, proofOf } from "./my-data/rights.ts";
import type { RightsAct } from "./see-data.ts";

export interface WithdrawDependencies {
  readonly db: Database;
  readonly ids: Ids;
  /** Real time. */
  readonly clock: Clock;
}

/** The states of claims that a withdrawal can still stop. */
const STOPPABLE: readonly string[] = ["ready", "held", "access_missing", "access_blocked"];

/**
 * Withdraws a patient's consent for one purpose at all clinics and applies the effects at once. Consents for orders are
 * withdrawn for the orders that the actor may see. Debts remain: withdrawing the consent to the later charge revokes
 * the mandate, and the debt must be paid by another method. A repeat changes nothing. Throws 409
 * `consent_not_withdrawable` for a concluded contract.
 */
export function withdrawConsent(
  { db, ids, clock }: WithdrawDependencies,
  act: RightsAct,
  purpose: ConsentPurpose,
): Promise<WithdrawConsentResponse> {
  return inTransaction(db, async (tx) => {
    const patient = await lockPatient(tx, act.patient);
    const orders = await ordersInSight(tx, patient, proofOf(act.actor));
    const orderIds = orders.map(({ order }) => order.orderId);
    const facts = orders.map(factsOf);
    const owed = owedOf(facts);
    const isBusy = facts.some((order) => order.isBusy);
    const claims = (await patientClaims(tx, patient.id)).filter(({ orderId }) => orderIds.includes(orderId));
    const openClaims = claims.filter(({ state }) => STOPPABLE.includes(state)).length;
    const hasAccess = patient.sealedInsurerAccess !== null;
    const hasSavedCards = (await savedCardsOf(tx, patient)).length > 0;
    const effects = effectsOf(purpose, { owed, isBusy, hasAccess, hasSavedCards, openClaims });
    if (effects === null) throw new ApiError("consent_not_withdrawable");
    const withdrawn = isOfOrder(purpose)
      ? await withdrawConsents(tx, { ...consentsOf(patient), orderIds }, [purpose], act.now)
      : await withdrawSignUp(tx, { clock }, patient, { purposes: [purpose], at: act.now });
    // A card that was registered later is a mandate without a separate consent.
    const revoked = purpose === "later_charge" && (await revokeMandates(tx, { ids, clock }, orders, act.now));
    if (withdrawn || revoked) {
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

/** Revokes the mandate to charge the cards of these orders later. Returns whether there was any. */
export async function revokeMandates(
  tx: Transaction,
  dependencies: Pick<WithdrawDependencies, "ids" | "clock">,
  orders: readonly PatientOrderRecord[],
  at: Date,
): Promise<boolean> {
  let areRevoked = false;
  for (const { order } of orders) areRevoked = (await revokeMandate(tx, dependencies, order, at)) || areRevoked;
  return areRevoked;
}

/** Withdraws these purposes of the sign-up and applies the effects. Returns whether anything was withdrawn or ended. */
export async function withdrawSignUp(
  tx: Transaction,
  dependencies: Pick<WithdrawDependencies, "clock">,
  patient: Beneficiary,
  { purposes, at }: { readonly purposes: readonly ConsentPurpose[]; readonly at: Date },
): Promise<boolean> {
  const held = await withdrawConsents(tx, consentsOf(patient), purposes, at);
  const endsClaims = purposes.includes("claim_mandate") || purposes.includes("health_data");
  const endsAccess = endsClaims || purposes.includes("insurer_access");
  const destroyed = endsAccess && (await destroyInsurerAccess(tx, patient, at));
  const stopped = endsClaims && (await stopClaimsOfPatient(tx, patient.id, at));
  const removed =
    purposes.includes("saved_card") &&
    (await removeSavedCards(tx, dependencies, { beneficiaryId: patient.id, id: null, at }));
  return held || destroyed || stopped || removed;
}

function consentsOf({ rut, tenant }: Beneficiary): { readonly rut: string; readonly providerId: string | null } {
  return { rut, providerId: providerOfTenant(tenant) };
}
