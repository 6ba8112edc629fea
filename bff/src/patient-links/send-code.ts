import { RECOVERY_CODE_DIGITS, RECOVERY_CODE_MINUTES } from "../contract/onboarding.ts";
import type { SendLinkCodeResponse } from "../contract/patient-links.ts";
import { maskEmail } from "../contract/vocabulary/email.ts";
import { type TellPatientDependencies, tellPatient } from "../notices/tell-patient.ts";
import { COUNTED_MS, codeExpiry, nextCodeAt, RESEND_PAUSE_MS } from "../onboarding/recovery.ts";
import { type Database, inTransaction, type Transaction } from "../platform/database/transaction.ts";
import { ApiError } from "../platform/http/api-error.ts";
import type { Keyring } from "../platform/keyring.ts";
import { type OpenedWidgetToken, requireLive } from "../widget-tokens/open-widget-token.ts";
import { insertLinkCode, lockPatientCodes, readLinkCodesSent } from "./link-code-store.ts";
import { type LinkPatient, patientOfLink } from "./opened-link.ts";

export interface SendCodeDependencies extends TellPatientDependencies {
  readonly db: Database;
  readonly keyring: Pick<Keyring, "hmac" | "seal">;
}

/** The keyring's purpose for the hash of a link's code. */
export const LINK_CODE_HASH = "patient_links.code";
const PATIENT_HASH = "patient_links.patient";

/**
 * Sends a one-time code to the registered address of whom a link is for; it replaces the one before. Codes for one patient
 * keep their distance, whichever link asks. Throws `ApiError`: the 410s, `rate_limited` between codes, 404.
 */
export async function sendCode(
  dependencies: SendCodeDependencies,
  opened: OpenedWidgetToken,
): Promise<SendLinkCodeResponse> {
  requireLive(opened);
  const { db, keyring } = dependencies;
  const patient = await patientOfLink(db, opened);
  const patientHash = keyring.hmac(PATIENT_HASH, `${patient.tenant} ${patient.rut}`);
  await inTransaction(db, async (tx) => {
    await lockPatientCodes(tx, patientHash);
    await requirePause(tx, patientHash, opened.now);
    await writeCode(dependencies, tx, opened, { patient, patientHash });
  });
  return {
    sent_to: maskEmail(patient.email),
    expires_at: codeExpiry(opened.now).toISOString(),
    resend_after: new Date(opened.now.getTime() + RESEND_PAUSE_MS).toISOString(),
  };
}

async function requirePause(tx: Transaction, patientHash: string, now: Date): Promise<void> {
  const sent = await readLinkCodesSent(tx, patientHash, new Date(now.getTime() - COUNTED_MS));
  const next = nextCodeAt(sent, now);
  if (next === null) return;
  const seconds = Math.ceil((next.getTime() - now.getTime()) / 1_000);
  throw new ApiError("rate_limited", { retry_after_seconds: Math.max(1, seconds) });
}

async function writeCode(
  dependencies: SendCodeDependencies,
  tx: Transaction,
  { provider, token, now }: OpenedWidgetToken,
  { patient, patientHash }: { readonly patient: LinkPatient; readonly patientHash: string },
): Promise<void> {
  const { ids, keyring } = dependencies;
  const id = ids.uuid();
  const code = ids.digits(RECOVERY_CODE_DIGITS);
  await insertLinkCode(tx, {
    id,
    patientHash,
    providerId: provider.id,
    widgetTokenId: token.id,
    codeHash: keyring.hmac(LINK_CODE_HASH, `${id}:${code}`),
    tries: 0,
    createdAt: now,
    expiresAt: codeExpiry(now),
  });
  await tellPatient(dependencies, tx, {
    provider,
    cause: `link_code:${id}`,
    to: patient.email,
    notice: { kind: "recovery_code", code, minutes: RECOVERY_CODE_MINUTES },
    usefulForMs: RECOVERY_CODE_MINUTES * 60_000,
  });
}
