import type { StartRecoveryResponse } from "../contract/onboarding.ts";
import {
  CODE_DIGITS,
  CODE_LIFETIME_MINUTES,
  CODE_RESEND_PAUSE_SECONDS,
  CODE_TRIES_MAX,
  CODES_PER_DAY_MAX,
  CODES_PER_HOUR_MAX,
} from "../contract/terms.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../contract/vocabulary/durations.ts";
import { maskEmail } from "../contract/vocabulary/email.ts";
import type { Locale } from "../contract/widget-tokens.ts";
import type { CodeUse } from "../notifications/kinds/recovery-code.ts";
import { type NotifyPatientDependencies, notifyPatient } from "../notifications/notify-patient.ts";
import { type AuditEntry, recordAudit } from "../platform/audit-store.ts";
import type { Transaction } from "../platform/database/transaction.ts";
import { ApiError } from "../platform/http/api-error.ts";
import type { Ids } from "../platform/ids.ts";
import type { Keyring } from "../platform/keyring.ts";
import type { Provider } from "../platform/provider.ts";

/** The stored part of a sent code: enough to check an attempt, without the code itself. */
export interface KeptCode {
  readonly id: string;
  readonly codeHash: string;
  /** The number of attempts so far, right or wrong. */
  readonly tries: number;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/**
 * Throws `rate_limited` with the waiting time unless the required pause since the last code has passed. `sent`: the
 * codes of the last day. `isAnswered`: whether the last of them was answered.
 */
export function requirePause(sent: readonly Date[], now: Date, isAnswered = false): void {
  const next = nextCodeAt(sent, now, isAnswered);
  if (next === null) return;
  const seconds = Math.ceil((next.getTime() - now.getTime()) / 1_000);
  throw new ApiError("rate_limited", { retry_after_seconds: Math.max(1, seconds) });
}

/** Creates a code and its stored part. `purpose` is the keyring purpose of its hash. */
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

/** Queues the mail with the code in the transaction that stores it. The mail is dropped once the code has expired. */
export async function mailCode(
  dependencies: NotifyPatientDependencies,
  tx: Transaction,
  {
    code,
    use,
    ...sent
  }: {
    readonly provider: Provider;
    readonly cause: string;
    readonly to: string;
    readonly rut: string;
    readonly locale?: Locale;
    readonly code: string;
    readonly use: CodeUse;
  },
): Promise<void> {
  await notifyPatient(dependencies, tx, {
    ...sent,
    notification: { kind: "recovery_code", code, use },
    usefulForMs: CODE_LIFETIME_MINUTES * MINUTE_MS,
  });
}

/** The response to a request for a code. */
export function describeSent(email: string, now: Date): StartRecoveryResponse {
  return {
    sent_to: maskEmail(email),
    expires_at: codeExpiry(now).toISOString(),
    resend_after: new Date(now.getTime() + RESEND_PAUSE_MS).toISOString(),
  };
}

/**
 * Checks an attempt at a code, under the code's lock. The caller stores the attempt, right or wrong. Throws
 * `recovery_code_expired` if no code accepts further attempts.
 */
export function classifyTry<Code extends KeptCode>(
  keyring: Pick<Keyring, "matches">,
  purpose: string,
  { sent, code, now }: { readonly sent: Code | null; readonly code: string; readonly now: Date },
): { readonly sent: Code; readonly tries: number; readonly isRight: boolean } {
  if (sent === null || !isOpenToTries(sent, now)) throw new ApiError("recovery_code_expired");
  return { sent, tries: sent.tries + 1, isRight: keyring.matches(purpose, `${sent.id}:${code}`, sent.codeHash) };
}

/**
 * Records a wrong attempt in the audit trail, in the transaction that counts it: five rows at most per code. The code
 * itself is not recorded.
 */
export async function auditWrongCode(
  tx: Transaction,
  { ids }: { readonly ids: Ids },
  { sent, at, ...of }: Pick<AuditEntry, "providerId" | "subject" | "at"> & { readonly sent: KeptCode },
): Promise<void> {
  await recordAudit(tx, {
    ...of,
    id: ids.uuid(),
    actor: "unknown",
    credentialId: null,
    act: "one_time_code.wrong",
    details: { try: sent.tries + 1 },
    at,
  });
}

/*
 * The rules for one-time codes sent to a patient's address: validity, pause between codes, and number of attempts. They
 * are the same for every purpose.
 */

/** The pause between two codes for one RUT, from any visit. */
export const RESEND_PAUSE_MS = CODE_RESEND_PAUSE_SECONDS * SECOND_MS;

/** How long a sent code counts towards the limits. */
export const COUNTED_MS = DAY_MS;

export function codeExpiry(now: Date): Date {
  return new Date(now.getTime() + CODE_LIFETIME_MINUTES * MINUTE_MS);
}

/**
 * When the next code for a RUT may be sent, given the codes of the last day; null means now. After an answered code
 * (`isAnswered`) no pause is needed, because it did arrive.
 */
export function nextCodeAt(sent: readonly Date[], now: Date, isAnswered = false): Date | null {
  const times = sent.map((at) => at.getTime()).sort((a, b) => b - a);
  const waits = [
    (isAnswered ? Number.NEGATIVE_INFINITY : (times[0] ?? Number.NEGATIVE_INFINITY)) + RESEND_PAUSE_MS,
    (times[CODES_PER_HOUR_MAX - 1] ?? Number.NEGATIVE_INFINITY) + HOUR_MS,
    (times[CODES_PER_DAY_MAX - 1] ?? Number.NEGATIVE_INFINITY) + DAY_MS,
  ];
  const next = Math.max(...waits);
  return next > now.getTime() ? new Date(next) : null;
}

/** True if a code accepts attempts. It ends when it expires or after the fifth wrong attempt. */
export function isOpenToTries(code: { readonly expiresAt: Date; readonly tries: number }, now: Date): boolean {
  return now < code.expiresAt && code.tries < CODE_TRIES_MAX;
}
