import type { Insurer } from "../contract/onboarding.ts";
import type { Rut } from "../contract/vocabulary/rut.ts";
import { boundToken, loadBoundToken } from "../onboarding/bound-token.ts";
import type { Beneficiary } from "../people/beneficiary.ts";
import { findBeneficiary, findBeneficiaryById } from "../people/people.ts";
import { tenantOf } from "../people/tenant.ts";
import type { Database } from "../platform/database/transaction.ts";
import { ApiError } from "../platform/http/api-error.ts";
import type { ReceivedRequest } from "../platform/http/route.ts";
import type { Principal } from "../providers/provider.ts";
import type { OpenedWidgetToken, OpenWidgetTokenDependencies } from "../widget-tokens/open-widget-token.ts";
import type { WidgetTokenPurpose } from "../widget-tokens/widget-token.ts";

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

/**
 * The link that the body names, live or ended. Throws 404 `widget_token_not_found` for one of another purpose or provider,
 * as for none; `null` where the body will be refused for its shape.
 */
export function loadLink(
  dependencies: OpenWidgetTokenDependencies,
  received: ReceivedRequest<Principal>,
  purposes: readonly WidgetTokenPurpose[],
): Promise<OpenedWidgetToken | null> {
  return loadBoundToken(dependencies, received, purposes);
}

/** The link of a request whose body has been read. */
export function boundLink(opened: OpenedWidgetToken | null): OpenedWidgetToken {
  return boundToken(opened);
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
