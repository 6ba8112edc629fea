import type * as z from "zod/mini";
import { type OpenedWidgetToken, requireShowable, spendToken } from "../../checkout/open-widget-token.ts";
import { shownTexts } from "../../checkout/page-state.ts";
import { readAccessFacts } from "../../claims/claim-reads.ts";
import type { giveInsurerAccessRequestSchema } from "../../contract/insurer-access.ts";
import { isSupportedInsurer } from "../../contract/onboarding.ts";
import { wasPaid } from "../../orders/order.ts";
import type { Beneficiary } from "../../patients/beneficiary.ts";
import { consentsMissing, recordConsents } from "../../patients/consents.ts";
import { replaceInsurerAccess } from "../../patients/patients.ts";
import { recordAudit } from "../../platform/audit-store.ts";
import { type Database, inTransaction } from "../../platform/database/transaction.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import type { Ids } from "../../platform/ids.ts";
import { requireOpenLink } from "./answer-code.ts";

export interface GiveInsurerAccessDependencies {
  readonly db: Database;
  readonly ids: Ids;
}

export interface AccessGiving {
  readonly opened: OpenedWidgetToken;
  readonly body: z.output<typeof giveInsurerAccessRequestSchema>;
  readonly ip: string;
  readonly userAgent: string | null;
}

/**
 * Replaces the patient's access to the insurer, after they have answered the code, and resumes every claim that waits
 * for it. Uses the link up. A checkout that has paid an order may add the missing access of its claim without a code,
 * since the patient was matched in it; a repeat changes nothing. Throws `ApiError`: `insurer_not_supported`,
 * `consents_missing`, `patient_code_required`, `widget_token_not_found`, the 410s.
 */
export async function giveInsurerAccess(
  { db, ids }: GiveInsurerAccessDependencies,
  { opened, body, ip, userAgent }: AccessGiving,
): Promise<void> {
  const { insurer, sealed_insurer_access: sealed, consents } = body;
  if (!isSupportedInsurer(insurer)) throw new ApiError("insurer_not_supported");
  // The other consents hold since the sign-up; only the consent to keep the new password is needed now.
  if (consentsMissing("onboarding", consents, ["insurer_access"]).includes("insurer_access"))
    throw new ApiError("consents_missing");
  const { token, provider, now } = opened;
  const isCheckout = token.purpose === "checkout";
  const giving = isCheckout
    ? await patientOfPaidCheckout(db, opened)
    : await patientBehindCode(db, opened, body.access);
  if (giving === "given") return;
  const { beneficiary } = giving;
  await inTransaction(db, async (tx) => {
    if (!isCheckout) await spendToken(tx, token.id, now);
    await replaceInsurerAccess(tx, ids, beneficiary, { providerId: provider.id, sealed, insurer, at: now });
    await recordConsents(tx, ids, consents, {
      providerId: provider.id,
      rut: beneficiary.rut,
      orderId: token.orderId,
      shown: shownTexts(token),
      acceptedAt: now,
      ip,
      userAgent,
    });
    await recordAudit(tx, {
      id: ids.uuid(),
      providerId: provider.id,
      actor: "patient",
      credentialId: null,
      act: "beneficiary.insurer_access_given",
      subject: { kind: "beneficiary", id: beneficiary.id },
      details: { widget_token: token.id },
      at: now,
    });
  });
}

type Giving = "given" | { readonly beneficiary: Beneficiary };

async function patientBehindCode(db: Database, opened: OpenedWidgetToken, access: string | undefined): Promise<Giving> {
  if (access === undefined) throw new ApiError("patient_code_required");
  const { beneficiary } = await requireOpenLink({ db }, opened, access);
  if (beneficiary === null) throw new ApiError("widget_token_not_found");
  return { beneficiary };
}

/**
 * The patient of the order that a checkout has paid and whose claim lacks the access; `given` if it no longer lacks it.
 */
async function patientOfPaidCheckout(db: Database, opened: OpenedWidgetToken): Promise<Giving> {
  requireShowable(opened);
  const { order } = opened;
  if (order === null || !wasPaid(order.state)) throw new ApiError("widget_token_not_found");
  const { patient, isMissing } = await readAccessFacts(db, order, { takesInsurerAccess: true });
  if (patient === null) throw new ApiError("widget_token_not_found");
  if (isMissing) return { beneficiary: patient };
  if (patient.sealedInsurerAccess !== null) return "given";
  throw new ApiError("widget_token_used");
}
