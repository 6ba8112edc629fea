import { type OpenedWidgetToken, requireLive } from "../../checkout/open-widget-token.ts";
import { isClaimOver } from "../../claims/claim-reads.ts";
import { hasRevokedMandate } from "../../collection/mandate.ts";
import { dueNow } from "../../collection/upcoming-charge.ts";
import type { Insurer } from "../../contract/onboarding.ts";
import type { Due } from "../../contract/self-service-links.ts";
import type { Rut } from "../../contract/vocabulary/rut.ts";
import { type Beneficiary, tenantOf } from "../../patients/beneficiary.ts";
import { findBeneficiary, findBeneficiaryById } from "../../patients/patients.ts";
import type { Database } from "../../platform/database/transaction.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import { isPaymentPageOver } from "../payment-page-end.ts";

/**
 * The purposes of links that ask for a code. Objections need none, because any reader of the old mailbox may object.
 */
export const CODED_PURPOSES = ["insurer_access", "card_change", "pay_early", "my_data", "payment"] as const;

/** The patient whom a link is for: as registered, or as the order names them if they are not registered. */
export interface LinkPatient {
  readonly tenant: string;
  readonly rut: Rut;
  readonly firstName: string;
  readonly email: string;
  readonly insurer: Insurer | null;
  readonly beneficiary: Beneficiary | null;
}

/** The patient whom a link is for. Throws 404 if the record was erased after the link was sent. */
export async function patientOfLink(db: Database, opened: OpenedWidgetToken): Promise<LinkPatient> {
  const { token, provider, order } = opened;
  const tenant = tenantOf(provider);
  const beneficiary =
    token.beneficiaryId !== null
      ? await findBeneficiaryById(db, token.beneficiaryId)
      : order === null
        ? null
        : await findBeneficiary(db, { tenant, rut: order.customer.rut });
  if (beneficiary !== null) {
    const { rut, firstName, email, insurer } = beneficiary;
    return { tenant, rut, firstName, email, insurer, beneficiary };
  }
  if (order === null) throw new ApiError("widget_token_not_found");
  const { rut, firstName, email } = order.customer;
  return { tenant, rut, firstName, email, insurer: null, beneficiary: null };
}

/**
 * Requires a link that has not ended. A payment page ends some time after everything about its order has ended. Throws
 * the 410s.
 */
export async function requireLiveLink(db: Database, opened: OpenedWidgetToken): Promise<void> {
  requireLive(opened);
  const { token, order, now } = opened;
  if (token.purpose === "payment" && order !== null && (await isPaymentPageOver(db, order, now)))
    throw new ApiError("widget_token_expired");
}

/**
 * The amount left to charge for the order of a link. `null` if the link is not about an order, or would charge a card
 * whose mandate the patient has revoked since it was sent.
 */
export async function dueOfLink(db: Database, { order, token, now: at }: OpenedWidgetToken): Promise<Due | null> {
  const charges = token.purpose === "pay_early" || token.purpose === "payment";
  if (order === null || (charges && (await hasRevokedMandate(db, order)))) return null;
  const purpose = token.purpose === "card_change" || token.purpose === "payment" ? "card_change" : null;
  return dueNow(db, { providerId: order.providerId, orderId: order.orderId }, { at, purpose, claimEnded: isClaimOver });
}
