import { COUNTED_MS, describeSent, issueCode, mailCode, requirePause } from "../../checkout/issue-code.ts";
import type { OpenedWidgetToken } from "../../checkout/open-widget-token.ts";
import { isClaimOver } from "../../claims/claim-reads.ts";
import { dueByLink } from "../../collection/upcoming-charge.ts";
import type { SendLinkCodeResponse } from "../../contract/self-service-links.ts";
import { clp } from "../../contract/vocabulary/clp.ts";
import type { CodeUse } from "../../notifications/kinds/recovery-code.ts";
import type { NotifyPatientDependencies } from "../../notifications/notify-patient.ts";
import { type Database, inTransaction, type Transaction } from "../../platform/database/transaction.ts";
import type { Keyring } from "../../platform/keyring.ts";
import { nameOfClinic } from "../../tenants/centers.ts";
import { insertLinkCode, type LinkCharge, lockPatientCodes, readLinkCodesSent } from "./link-code-store.ts";
import { dueOfLink, type LinkPatient, patientOfLink, requireLiveLink } from "./opened-link.ts";

export interface SendCodeDependencies extends NotifyPatientDependencies {
  readonly db: Database;
  readonly keyring: Pick<Keyring, "hmac" | "seal">;
}

/** The keyring's purpose for hashing the code of a link. */
export const LINK_CODE_HASH = "patient_links.code";
const PATIENT_HASH = "patient_links.patient";

/**
 * Sends a one-time code to the registered address of the link's patient; it replaces the previous code. The minimum
 * time between codes for one patient holds across all their links. Throws `ApiError`: the 410s, `rate_limited` if the
 * last code is too recent, 404.
 */
export async function sendCode(
  dependencies: SendCodeDependencies,
  opened: OpenedWidgetToken,
): Promise<SendLinkCodeResponse> {
  const { db, keyring } = dependencies;
  await requireLiveLink(db, opened);
  const patient = await patientOfLink(db, opened);
  const patientHash = keyring.hmac(PATIENT_HASH, `${patient.tenant} ${patient.rut}`);
  await inTransaction(db, async (tx) => {
    await lockPatientCodes(tx, patientHash);
    requirePause(await readLinkCodesSent(tx, patientHash, new Date(opened.now.getTime() - COUNTED_MS)), opened.now);
    await writeCode(dependencies, tx, opened, { patient, patientHash });
  });
  return describeSent(patient.email, opened.now);
}

async function writeCode(
  dependencies: SendCodeDependencies,
  tx: Transaction,
  opened: OpenedWidgetToken,
  { patient, patientHash }: { readonly patient: LinkPatient; readonly patientHash: string },
): Promise<void> {
  const { provider, token, now } = opened;
  const { code, kept } = issueCode(dependencies, LINK_CODE_HASH, now);
  const userId = patient.beneficiary?.userId ?? null;
  const use = await codeUseOf(tx, opened);
  const charge = "charge" in use ? use.charge : null;
  await insertLinkCode(tx, { ...kept, userId, patientHash, charge, providerId: provider.id, widgetTokenId: token.id });
  await mailCode(dependencies, tx, {
    provider,
    cause: `link_code:${kept.id}`,
    to: patient.email,
    rut: patient.rut,
    locale: token.locale,
    code,
    use,
  });
}

/** The purpose of a link's code, stated in its mail. */
async function codeUseOf(tx: Transaction, opened: OpenedWidgetToken): Promise<CodeUse> {
  const { provider, token, order } = opened;
  const clinic = await nameOfClinic(tx, provider, order?.center ?? null);
  switch (token.purpose) {
    case "insurer_access":
      return { kind: "give_access", clinic };
    case "card_change":
      return { kind: "change_card", clinic };
    case "pay_early":
      return { kind: "pay_early", clinic, charge: await chargeOf(tx, opened) };
    case "payment":
      return { kind: "open_payment", clinic, charge: await earlyChargeOf(tx, opened) };
    default:
      return { kind: "open_data" };
  }
}

/** The charge that a payment page offers; null for a card that is never charged again. */
async function earlyChargeOf(tx: Transaction, opened: OpenedWidgetToken): Promise<LinkCharge | null> {
  const { order, now: at } = opened;
  const wish = { at, purpose: "pay_early", claimEnded: isClaimOver } as const;
  return order === null || (await dueByLink(tx, order, wish)) === null ? null : chargeOf(tx, opened);
}

/** The charge that the page behind the link could make now. */
async function chargeOf(tx: Transaction, opened: OpenedWidgetToken): Promise<LinkCharge | null> {
  const due = await dueOfLink(tx, opened);
  return due === null || due.amount === 0 ? null : { amount: clp(due.amount), cardEnding: due.card.last4 };
}
