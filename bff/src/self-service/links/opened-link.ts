import type { OpenedWidgetToken } from "../../checkout/tokens/open-widget-token.ts";
import type { Insurer } from "../../contract/onboarding.ts";
import type { Rut } from "../../contract/vocabulary/rut.ts";
import type { Beneficiary } from "../../patients/beneficiary.ts";
import { findBeneficiary, findBeneficiaryById } from "../../patients/patients.ts";
import { tenantOf } from "../../patients/tenant.ts";
import type { Database } from "../../platform/database/transaction.ts";
import { ApiError } from "../../platform/http/api-error.ts";

/** What a link can be for that asks for a code. An objection does not: who reads the old mailbox may object. */
export const CODED_PURPOSES = ["insurer_access", "card_change", "pay_early", "my_data"] as const;

/** Whom a link is for, as they are registered; without a registration, as the order names them. */
export interface LinkPatient {
  readonly tenant: string;
  readonly rut: Rut;
  readonly firstName: string;
  readonly email: string;
  readonly insurer: Insurer | null;
  readonly beneficiary: Beneficiary | null;
}

/** Whom a link is for. Throws 404 where the record has been erased since the link was sent. */
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
