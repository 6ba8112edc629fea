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
import { keepAnswer, releaseSlot, type SlotRequest, type SlotState, takeSlot } from "./idempotency-store.ts";

export interface IdempotencyDependencies {
  readonly db: Database;
  /** Real time, because the 24 hours do not follow the sandbox's clock. */
  readonly clock: Clock;
  readonly ids: Ids;
  readonly keyring: Keyring;
  /**
   * The milliseconds after which a request whose process died may run again. Must exceed the duration of any request.
   */
  readonly leaseMs?: number;
}

export interface IdempotentRequest {
  readonly method: string;
  /** The concrete path (`/orders/5a4f…/payment`), without the query. */
  readonly path: string;
  /** From `readIdempotencyKey`. */
  readonly key: string;
  /** The body's bytes, which distinguish a repeat from another request. */
  readonly bodyBytes: Buffer;
  /** Whether the request's own transaction stores its answer. Then the slot is not leased beforehand. */
  readonly keepsItsAnswer: boolean;
}

/** The slot of a request's key, which is taken by the statement that admits the request. */
export interface Slot extends SlotRequest {
  /** Whether a stored hash is that of this request's body. */
  isOfBody(bodyHash: string): boolean;
}

/** An answer as it is sent; an error has already been rendered. */
export interface IdempotentAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export interface ReplayableAnswer extends IdempotentAnswer {
  /** Whether this repeats the first answer. It is then sent with `Idempotency-Replayed: true`. */
  readonly replayed: boolean;
  /**
   * The id of the created resource, if the answer is rebuilt from it instead of being stored. `body` is then undefined.
   */
  readonly createdId?: string;
}

/** How long an answer is repeated. */
const KEPT_MS = IDEMPOTENCY_HOURS * HOUR_MS;
/** Longer than any request may run, so that only the lease of a dead process expires. */
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
  // One character per byte, so that different bytes give different texts even if they are not valid UTF-8.
  const bodyText = bodyBytes.toString("latin1");
  return {
    method,
    path,
    keyHashes: keyring.hmacsOfAllKeys(keyPurpose, key),
    bodyHash: keyring.hmac(bodyPurpose, bodyText),
    lease: keepsItsAnswer ? null : { id: ids.uuid(), until: from(leaseMs) },
    expiresAt: from(KEPT_MS),
    isOfBody: (bodyHash) => keyring.matches(bodyPurpose, bodyText, bodyHash),
  };
}

/**
 * Runs a request once for its `Idempotency-Key`: for 24 hours, a repeat by the same provider with the same method and
 * path gets the first answer again. `slotState` is the state of the slot at admission, null if this request holds it.
 * Throws `ApiError`: 422 `idempotency_key_reused` for another body, 409 `idempotency_in_flight` while the first request
 * is still running.
 *
 * Answers that may change on the next try are not kept: 5xx, 429, errors that the caller may fix, and refusals that
 * depend on a temporary state. Nothing is kept when `run` throws. Answers are sealed, because they may hold personal
 * data.
 *
 * Unless `run` keeps the answer itself (`keptAnswer`), it is written after `run` has returned. If the process dies in
 * between, the same request runs again after the lease has ended, so `run` must be safe to repeat.
 */
export async function answerOnce(
  dependencies: IdempotencyDependencies,
  {
    providerId,
    slot,
    slotState,
  }: { readonly providerId: string; readonly slot: Slot; readonly slotState: SlotState | null },
  run: () => Promise<IdempotentAnswer>,
): Promise<ReplayableAnswer> {
  const { db, clock, keyring } = dependencies;
  if (slotState !== null) return storedAnswer(keyring, slot, slotState);
  let answer: IdempotentAnswer;
  try {
    answer = await run();
  } catch (error) {
    if (slot.lease === null && isUniqueViolation(error, "idempotency_keys_pkey"))
      return concurrentAnswer(dependencies, providerId, slot);
    await ignoringOutage(releaseSlot(db, providerId, slot));
    throw error;
  }
  if (!isKept(answer)) await ignoringOutage(releaseSlot(db, providerId, slot));
  else if (slot.lease !== null || answer.status >= 400) {
    const { status, body, headers } = answer;
    const bodySealed = keyring.seal(JSON.stringify({ body, headers }), sealPurpose);
    const kept = keepAnswer(db, providerId, slot, { status, bodySealed, at: clock.now() });
    // Without a lease, a request with the same key may have run meanwhile and caused this refusal. Its answer is the
    // right one.
    if ((await ignoringOutage(kept)) === false && slot.lease === null)
      return concurrentAnswer(dependencies, providerId, slot);
  }
  return { ...answer, replayed: false };
}

/** The answer to a repeat. */
function storedAnswer(
  keyring: Keyring,
  slot: Slot,
  { body_hash, status, body_sealed: sealed }: SlotState,
): ReplayableAnswer {
  if (!slot.isOfBody(body_hash)) throw new ApiError("idempotency_key_reused");
  if (status === null || sealed === null) throw new ApiError("idempotency_in_flight");
  if (sealed.startsWith(CREATED_ID_MARK))
    return { status, body: undefined, replayed: true, createdId: sealed.slice(CREATED_ID_MARK.length) };
  return { status, ...readAnswer(keyring, sealed), replayed: true };
}

/** The answer of a request with the same key that was written while this one ran. So this one has changed nothing. */
async function concurrentAnswer(
  { db, clock, keyring }: IdempotencyDependencies,
  providerId: string,
  slot: Slot,
): Promise<ReplayableAnswer> {
  const slotState = await takeSlot(db, providerId, slot, clock.now());
  if (slotState === null) throw new ApiError("idempotency_in_flight");
  return storedAnswer(keyring, slot, slotState);
}

/**
 * The row for a request that keeps its answer in its own transaction, so that a crash cannot separate the change from
 * its answer. It contains only the id of the created resource, from which the answer is rebuilt. Nothing needs to be
 * sealed, and no personal data is stored twice.
 */
export function keptAnswer(
  { method, path, keyHashes, bodyHash, expiresAt }: Slot,
  { status, createdId, at }: { readonly status: number; readonly createdId: string; readonly at: Date },
): KeptAnswer {
  const bodySealed = `${CREATED_ID_MARK}${createdId}`;
  return { method, path, keyHash: keyHashes[0], bodyHash, status, bodySealed, expiresAt, answeredAt: at };
}

/** Thrown inside the transaction of a request, which has no effect then: a request with its key was answered before. */
class AnsweredBefore extends Error {
  override readonly name = "AnsweredBefore";
  /** Null if the answer was written while this request ran. */
  readonly answer: ReplayableAnswer | null;

  constructor(answer: ReplayableAnswer | null) {
    super("A request with this key was answered before.");
    this.answer = answer;
  }
}

/** How a request whose handler reads its body is answered once. */
export interface AnsweringOnce {
  /**
   * Call it once the content is known, and let what it throws end the request: it was answered before, or its key was
   * used for other content (422 `idempotency_key_reused`).
   */
  begin(content: string): Promise<void>;
  /** Call it in the transaction of the change, and let what it throws roll back. */
  keep(tx: Database, answer: IdempotentAnswer): Promise<void>;
}

/**
 * Runs a request whose handler reads its body, once for its `Idempotency-Key`; without one (`null`), always. Its answer
 * is kept in the transaction of its change, so of two at once only one takes effect. Refusals are not kept.
 */
export async function answerReceivedOnce(
  dependencies: IdempotencyDependencies,
  {
    providerId,
    key,
    ...named
  }: Pick<IdempotentRequest, "method" | "path"> & { readonly providerId: string; readonly key: string | null },
  run: (once: AnsweringOnce) => Promise<IdempotentAnswer>,
): Promise<IdempotentAnswer> {
  const { db, clock, keyring } = dependencies;
  if (key === null) return run({ begin: async () => undefined, keep: async () => undefined });
  let slot: Slot | null = null;
  try {
    return await run({
      async begin(content) {
        const now = clock.now();
        slot = slotOf(dependencies, { ...named, key, bodyBytes: Buffer.from(content), keepsItsAnswer: true }, now);
        const slotState = await takeSlot(db, providerId, slot, now);
        if (slotState !== null) throw new AnsweredBefore(storedAnswer(keyring, slot, slotState));
      },
      async keep(tx, { status, body }) {
        const answer = { status, bodySealed: keyring.seal(JSON.stringify({ body }), sealPurpose), at: clock.now() };
        if (slot !== null && !(await keepAnswer(tx, providerId, slot, answer))) throw new AnsweredBefore(null);
      },
    });
  } catch (error) {
    if (!(error instanceof AnsweredBefore) || slot === null) throw error;
    const { status, body } = error.answer ?? (await concurrentAnswer(dependencies, providerId, slot));
    return { status, body, headers: { "Idempotency-Replayed": "true" } };
  }
}

/** Marks a stored id. No sealed text begins with this character, because it begins with a key's id. */
const CREATED_ID_MARK = "=";

/** Ignores an unavailable database, because the request's outcome stands and the slot's lease expires by itself. */
async function ignoringOutage<T>(writing: Promise<T>): Promise<T | undefined> {
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

/** The header's value, or null if it is absent. Throws 422 `idempotency_key_malformed` if it is not a valid key. */
export function readIdempotencyKey(header: string | readonly string[] | undefined): string | null {
  if (header === undefined) return null;
  if (typeof header !== "string" || !/^[\x20-\x7e]{1,255}$/.test(header))
    throw new ApiError("idempotency_key_malformed");
  return header;
}
