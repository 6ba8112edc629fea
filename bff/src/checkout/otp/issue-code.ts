import type { StartRecoveryResponse } from "../../contract/onboarding.ts";
import { CODE_DIGITS, CODE_LIFETIME_MINUTES } from "../../contract/terms.ts";
import { MINUTE_MS } from "../../contract/vocabulary/durations.ts";
import { maskEmail } from "../../contract/vocabulary/email.ts";
import { type NotifyPatientDependencies, notifyPatient } from "../../notifications/notify-patient.ts";
import type { Transaction } from "../../platform/database/transaction.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import type { Ids } from "../../platform/ids.ts";
import type { Keyring } from "../../platform/keyring.ts";
import type { Provider } from "../../platform/provider.ts";
import { codeExpiry, isOpenToTries, nextCodeAt, RESEND_PAUSE_MS } from "./otp.ts";

/** What is kept of a code that was sent: enough to judge a try, not to tell the code. */
export interface KeptCode {
  readonly id: string;
  readonly codeHash: string;
  /** Made so far, right or wrong. */
  readonly tries: number;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** Requires the distance between codes, given when some were sent in the last day. Throws `rate_limited` with the wait. */
export function requirePause(sent: readonly Date[], now: Date): void {
  const next = nextCodeAt(sent, now);
  if (next === null) return;
  const seconds = Math.ceil((next.getTime() - now.getTime()) / 1_000);
  throw new ApiError("rate_limited", { retry_after_seconds: Math.max(1, seconds) });
}

/** A new code, and what is kept of it. `purpose` is the keyring's, of the hash. */
export function issueCode(
  { ids, keyring }: { readonly ids: Ids; readonly keyring: Pick<Keyring, "hmac"> },
  purpose: string,
  now: Date,
): { readonly code: string; readonly kept: KeptCode } {
  const id = ids.uuid();
  const code = ids.digits(CODE_DIGITS);
  const codeHash = keyring.hmac(purpose, `${id}:${code}`);
  return { code, kept: { id, codeHash, tries: 0, createdAt: now, expiresAt: codeExpiry(now) } };
}

/** Sends a code, in the transaction that keeps it; it is of no use to the patient once it has expired. */
export async function mailCode(
  dependencies: NotifyPatientDependencies,
  tx: Transaction,
  {
    code,
    ...sent
  }: {
    readonly provider: Provider;
    readonly cause: string;
    readonly to: string;
    readonly rut: string;
    readonly code: string;
  },
): Promise<void> {
  await notifyPatient(dependencies, tx, {
    ...sent,
    notification: { kind: "recovery_code", code },
    usefulForMs: CODE_LIFETIME_MINUTES * MINUTE_MS,
  });
}

/** The answer to whoever asked for a code. */
export function describeSent(email: string, now: Date): StartRecoveryResponse {
  return {
    sent_to: maskEmail(email),
    expires_at: codeExpiry(now).toISOString(),
    resend_after: new Date(now.getTime() + RESEND_PAUSE_MS).toISOString(),
  };
}

/**
 * Judges a try of a code, under its lock; the caller writes it down, right or wrong. Throws `recovery_code_expired` where
 * there is no code that may still be tried.
 */
export function judgeTry<Code extends KeptCode>(
  keyring: Pick<Keyring, "matches">,
  purpose: string,
  { sent, code, now }: { readonly sent: Code | null; readonly code: string; readonly now: Date },
): { readonly sent: Code; readonly tries: number; readonly isRight: boolean } {
  if (sent === null || !isOpenToTries(sent, now)) throw new ApiError("recovery_code_expired");
  return { sent, tries: sent.tries + 1, isRight: keyring.matches(purpose, `${sent.id}:${code}`, sent.codeHash) };
}
