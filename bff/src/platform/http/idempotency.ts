import * as z from "zod";
import { errorCodes, isErrorCode } from "../../contract/errors.ts";
import { IDEMPOTENCY_HOURS } from "../../contract/terms.ts";
import { HOUR_MS } from "../../contract/vocabulary/durations.ts";
import type { Clock } from "../clock.ts";
import { DatabaseUnavailable, isUniqueViolation } from "../database/errors.ts";
import type { Database } from "../database/transaction.ts";
import type { Ids } from "../ids.ts";
import type { KeptAnswer } from "../kept-answer.ts";
import type { Keyring } from "../keyring.ts";
import { ApiError } from "./api-error.ts";
import { freeSlot, keepAnswer, type SlotRequest, type Standing, takeSlot } from "./idempotency-store.ts";

export interface IdempotencyDependencies {
  readonly db: Database;
  /** Real time; the 24 hours are not the sandbox's. */
  readonly clock: Clock;
  readonly ids: Ids;
  readonly keyring: Keyring;
  /** After how long a request whose process died may be made again; longer than any request runs. */
  readonly leaseMs?: number;
}

export interface IdempotentRequest {
  readonly method: string;
  /** The concrete path (`/orders/5a4f…/payment`), without the query. */
  readonly path: string;
  /** From `readIdempotencyKey`. */
  readonly key: string;
  /** The body's bytes, by which a repeat is told from another request. */
  readonly bodyBytes: Uint8Array;
  /** Whether the request's own transaction keeps its answer; then its slot is not leased before. */
  readonly keepsItsAnswer: boolean;
}

/** The slot of a request's key, to be taken by the statement that admits it. */
export interface Slot extends SlotRequest {
  /** Was it the same body that a kept fingerprint is of? */
  isOfBody(bodyHash: string): boolean;
}

/** An answer as it is sent, so that an error of the request has been rendered already. */
export interface IdempotentAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export interface ReplayableAnswer extends IdempotentAnswer {
  /** The first answer given again; sent with `Idempotency-Replayed: true`. */
  readonly replayed: boolean;
  /**
   * Where the answer was not kept word for word, but is made again from what the request has made: its id. Then there is no
   * body here.
   */
  readonly madeOf?: string;
}

/** How long an answer is given again. */
const KEPT_MS = IDEMPOTENCY_HOURS * HOUR_MS;
/** How long a first request is believed to run: longer than any may, so that only one whose process died is passed by. */
export const DEFAULT_LEASE_MS = 30_000;
const sealPurpose = "idempotency.answer";
const keyPurpose = "idempotency.key";
const bodyPurpose = "idempotency.body";

export function slotOf(
  { ids, keyring, leaseMs = DEFAULT_LEASE_MS }: IdempotencyDependencies,
  { method, path, key, bodyBytes, keepsItsAnswer }: IdempotentRequest,
  now: Date,
): Slot {
  const from = (milliseconds: number) => new Date(now.getTime() + milliseconds);
  const bodyText = asText(bodyBytes);
  const older = keyring.hasOlderKeys ? keyring.hmacsOfAllKeys(keyPurpose, key).slice(1) : [];
  return {
    method,
    path,
    keyHashes: [keyring.hmac(keyPurpose, key), ...older],
    bodyHash: keyring.hmac(bodyPurpose, bodyText),
    lease: keepsItsAnswer ? null : { id: ids.uuid(), until: from(leaseMs) },
    expiresAt: from(KEPT_MS),
    isOfBody: (bodyHash) => keyring.matches(bodyPurpose, bodyText, bodyHash),
  };
}

/**
 * Runs a request once for its `Idempotency-Key`: per provider, method and path, for 24 hours, a repeat gets the first
 * answer again. `standing` is what was found in its slot at its admission; null where the slot is its own. Throws `ApiError`: 422
 * `idempotency_key_reused` for another body, 409 `idempotency_in_flight` while the first is still running. What may come out
 * differently next time is not kept: 5xx, 429, and what is wrong with the request itself, which its caller may mend; nor is
 * anything when `run` throws. The answer is kept sealed, because it may hold personal data.
 *
 * The answer is written after `run` has returned, unless `run` keeps it itself (`keptAnswer`): when the process dies in between,
 * the same request runs again once the lease has ended, so that `run` must itself be safe to repeat.
 */
export async function answerOnce(
  dependencies: IdempotencyDependencies,
  {
    providerId,
    slot,
    standing,
  }: { readonly providerId: string; readonly slot: Slot; readonly standing: Standing | null },
  run: () => Promise<IdempotentAnswer>,
): Promise<ReplayableAnswer> {
  const { db, clock, keyring } = dependencies;
  if (standing !== null) return firstAnswer(keyring, slot, standing);
  let answer: IdempotentAnswer;
  try {
    answer = await run();
  } catch (error) {
    if (slot.lease === null && isUniqueViolation(error, "idempotency_keys_pkey"))
      return answerOfOther(dependencies, providerId, slot);
    await orLater(freeSlot(db, providerId, slot));
    throw error;
  }
  if (!isKept(answer)) await orLater(freeSlot(db, providerId, slot));
  else if (slot.lease !== null || answer.status >= 400) {
    const { status, body, headers } = answer;
    const bodySealed = keyring.seal(JSON.stringify({ body, headers }), sealPurpose);
    const kept = keepAnswer(db, providerId, slot, { status, bodySealed, at: clock.now() });
    // Who has no lease may have been refused for what another request did under the same key meanwhile.
    if ((await orLater(kept)) === false && slot.lease === null) return answerOfOther(dependencies, providerId, slot);
  }
  return { ...answer, replayed: false };
}

/** What is answered to a repeat. */
function firstAnswer(
  keyring: Keyring,
  slot: Slot,
  { body_hash, status, body_sealed: sealed }: Standing,
): ReplayableAnswer {
  if (!slot.isOfBody(body_hash)) throw new ApiError("idempotency_key_reused");
  if (status === null || sealed === null) throw new ApiError("idempotency_in_flight");
  if (sealed.startsWith(MADE_OF))
    return { status, body: undefined, replayed: true, madeOf: sealed.slice(MADE_OF.length) };
  return { status, ...readAnswer(keyring, sealed), replayed: true };
}

/** The answer of a request under the key that was written while this one ran, which has therefore done nothing. */
async function answerOfOther(
  { db, clock, keyring }: IdempotencyDependencies,
  providerId: string,
  slot: Slot,
): Promise<ReplayableAnswer> {
  const standing = await takeSlot(db, providerId, slot, clock.now());
  if (standing === null) throw new ApiError("idempotency_in_flight");
  return firstAnswer(keyring, slot, standing);
}

/**
 * What a request that keeps its answer itself writes in its own transaction: then no process can die between the two. Not the
 * answer is kept but the id of what the request makes, of which the answer can be made again: nothing has to be sealed, and
 * nothing personal is kept twice.
 */
export function keptAnswer(
  { method, path, keyHashes, bodyHash, expiresAt }: Slot,
  { status, madeOf, at }: { readonly status: number; readonly madeOf: string; readonly at: Date },
): KeptAnswer {
  const bodySealed = `${MADE_OF}${madeOf}`;
  return { method, path, keyHash: keyHashes[0], bodyHash, status, bodySealed, expiresAt, answeredAt: at };
}

/** Begins no sealed text: those begin with the id of a key. */
const MADE_OF = "=";

/** One character for each byte: different bytes stay different texts, also where they are no Unicode. */
function asText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}

/** What the request came to stands, also where the database went away after it: then the slot's lease runs out. */
async function orLater<T>(writing: Promise<T>): Promise<T | undefined> {
  try {
    return await writing;
  } catch (error) {
    if (error instanceof DatabaseUnavailable) return undefined;
    throw error;
  }
}

function isKept({ status, body }: IdempotentAnswer): boolean {
  if (status < 400) return true;
  const code = typeof body === "object" && body !== null && "code" in body ? body.code : undefined;
  return isErrorCode(code) && errorCodes[code].kept;
}

const keptAnswerSchema = z.object({ body: z.unknown(), headers: z.optional(z.record(z.string(), z.string())) });

function readAnswer(keyring: Keyring, sealed: string): Omit<IdempotentAnswer, "status"> {
  return keptAnswerSchema.parse(JSON.parse(keyring.open(sealed, sealPurpose)));
}

/** The header's value, null where there is none; throws 422 `idempotency_key_malformed` for what cannot be a key. */
export function readIdempotencyKey(header: string | readonly string[] | undefined): string | null {
  if (header === undefined) return null;
  if (typeof header !== "string" || !/^[\x20-\x7e]{1,255}$/.test(header))
    throw new ApiError("idempotency_key_malformed");
  return header;
}
