import { consentPurposeSchema } from "../../contract/orders.ts";
import type { PatientData } from "../../contract/patient-rights.ts";
import { type Beneficiary, providerOfTenant } from "../../patients/beneficiary.ts";
import { findConsents } from "../../patients/consents.ts";
import type { Database } from "../../platform/database/transaction.ts";
import type { PatientOrderRecord } from "./patient-orders.ts";
import { isOfOrder, type Proof } from "./rights.ts";

type Consents = PatientData["consents"];

/**
 * The consents that the requester may see, oldest first. With a proof of identity these are all consents under the RUT.
 * With a proof of the mailbox they are those of the visible orders, and sign-up consents since this record was created:
 * earlier ones may belong to an erased record.
 */
export async function consentsInSight(
  db: Database,
  patient: Pick<Beneficiary, "tenant" | "rut" | "createdAt">,
  sight: { readonly proof: Proof; readonly orders: readonly PatientOrderRecord[] },
): Promise<Consents> {
  const seen = new Set(sight.orders.map(({ order }) => String(order.orderId)));
  const all = await findConsents(db, { rut: patient.rut, providerId: providerOfTenant(patient.tenant) });
  const shown: Consents = [];
  for (const consent of all) {
    const purpose = consentPurposeSchema.parse(consent.purpose);
    const isOfOrderInSight = consent.orderId !== null && seen.has(consent.orderId);
    const isOfSignUp = !isOfOrder(purpose) && consent.acceptedAt >= patient.createdAt;
    if (sight.proof === "mailbox" && !isOfOrderInSight && !isOfSignUp) continue;
    shown.push({
      purpose,
      text_version: consent.textVersion,
      text: consent.text,
      order_token: sight.proof === "identity" || isOfOrderInSight ? consent.orderId : null,
      shown_at: consent.shownAt?.toISOString() ?? null,
      accepted_at: consent.acceptedAt.toISOString(),
      withdrawn_at: consent.withdrawnAt?.toISOString() ?? null,
    });
  }
  return shown;
}
