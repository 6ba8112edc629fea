import * as z from "zod";
import { errorCodes, isErrorCode } from "../../contract/errors.ts";
import { IDEMPOTENCY_HOURS } from "../../contract/terms.ts";
import { HOUR_MS } from "../../contract/vocabulary/durations.ts";
import type { Clock } from "../clock.ts";
import { DatabaseUnavailable } from "../database/errors.ts";
import type { Database } from "../database/transaction.ts";
import type { Ids } from "../ids.ts";
import type { Keyring } from "../keyring.ts";
import { ApiError } from "./api-error.ts";
import {
  claimSlot,
  freeSlot,
  type IdempotencySlot,
  type KeptAnswer,
  keepAnswer,
  readSlot,
  type SlotClaim,
  type TakenSlot,
} from "./idempotency-store.ts";

export interface IdempotencyDependencies {
  db: Database;
  /** Real time; the 24 hours are not the sandbox's. */
  clock: Clock;
  ids: Ids;
  keyring: Keyring;
  /** After how long a request whose process died may be made again; longer than any request runs. */
  leaseMs?: number;
}

export interface IdempotentRequest {
  providerId: string;
  method: string;
  /** The concrete path (`/orders/5a4f…/payment`), without the query. */
  path: string;
  /** From `readIdempotencyKey`. */
  key: string;
  /** The body's bytes, by which a repeat is told from another request. */
  bodyBytes: Uint8Array;
}

/** An answer as it is sent, so that an error of the request has been rendered already. */
export interface IdempotentAnswer {
  status: number;
  body: unknown;
  headers?: Readonly<Record<string, string>> | undefined;
}

export interface ReplayableAnswer extends IdempotentAnswer {
  /** The first answer given again; sent with `Idempotency-Replayed: true`. */
  replayed: boolean;
  /**
   * Where the answer was not kept word for word, but is made again from what the request has made: its id. Then there is no
   * body here.
   */
  madeOf?: string;
}

/** How long an answer is given again. */
const KEPT_MS = IDEMPOTENCY_HOURS * HOUR_MS;
/** How long a first request is believed to run: longer than any may, so that only one whose process died is passed by. */
export const DEFAULT_LEASE_MS = 30_000;
const sealPurpose = "idempotency.answer";
const keyPurpose = "idempotency.key";
const bodyPurpose = "idempotency.body";

/**
 * Runs a request once for its `Idempotency-Key`: per provider, method and path, for 24 hours, a repeat gets the first
 * answer again. Throws `ApiError`: 422 `idempotency_key_reused` for another body, 409 `idempotency_in_flight` while the
 * first is still running. What may come out differently next time is not kept: 5xx, 429, and what is wrong with the request
 * itself, which its caller may mend; nor is anything when `run` throws. The answer is kept sealed, because it may hold
 * personal data.
 *
 * The answer is written after `run` has returned: when the process dies in between, the same request runs again once the
 * lease has ended, so that `run` must itself be safe to repeat.
 */
export async function withIdempotency(
  dependencies: IdempotencyDependencies,
  request: IdempotentRequest,
  run: () => Promise<IdempotentAnswer>,
): Promise<ReplayableAnswer> {
  const { db, keyring } = dependencies;
  const claim = claimOf(dependencies, request);
  const taken = (await findUnderOlderKeys(dependencies, request, claim.now)) ?? (await claimSlot(db, claim));
  if (taken === null) return runAndKeep(dependencies, claim, run);
  if (!keyring.matches(bodyPurpose, asText(request.bodyBytes), taken.bodyHash))
    throw new ApiError("idempotency_key_reused");
  if (taken.state === "running") throw new ApiError("idempotency_in_flight");
  const { status, bodySealed } = taken;
  if (bodySealed.startsWith(MADE_OF))
    return { status, body: undefined, replayed: true, madeOf: bodySealed.slice(MADE_OF.length) };
  return { status, ...readAnswer(keyring, bodySealed), replayed: true };
}

/** A claim that another statement makes. */
export type ClaimBeside = SlotClaim;

/**
 * The claim of a request's slot, for a statement that makes it beside something else (`claimingSlot`); null where the slot
 * may have been taken under one of the server's older keys, which such a statement does not see.
 */
export function claimBeside(dependencies: IdempotencyDependencies, request: IdempotentRequest): SlotClaim | null {
  return dependencies.keyring.hasOlderKeys ? null : claimOf(dependencies, request);
}

/** The same as `withIdempotency`, for a request whose slot has been claimed already. */
export function withClaimedSlot(
  dependencies: Pick<IdempotencyDependencies, "db" | "keyring">,
  claim: SlotClaim,
  run: () => Promise<IdempotentAnswer>,
): Promise<ReplayableAnswer> {
  return runAndKeep(dependencies, claim, run);
}

/** Gives a claimed slot back, of a request that is not run. */
export function releaseSlot({ db }: Pick<IdempotencyDependencies, "db">, claim: SlotClaim): Promise<void> {
  return orLater(freeSlot(db, claim));
}

function claimOf(
  { clock, ids, keyring, leaseMs = DEFAULT_LEASE_MS }: IdempotencyDependencies,
  { providerId, method, path, key, bodyBytes }: IdempotentRequest,
): SlotClaim {
  const now = clock.now();
  const from = (milliseconds: number) => new Date(now.getTime() + milliseconds);
  return {
    providerId,
    method,
    path,
    keyHash: keyring.hmac(keyPurpose, key),
    leaseId: ids.uuid(),
    bodyHash: keyring.hmac(bodyPurpose, asText(bodyBytes)),
    now,
    leaseUntil: from(leaseMs),
    expiresAt: from(KEPT_MS),
  };
}

/**
 * What to write for a request's answer in the very statement that does what the request asks for, instead of
 * `withIdempotency`: then no process can die between the two. Not the answer is kept but the id of what the request makes,
 * of which the answer can be made again: nothing has to be sealed, and nothing personal is kept twice.
 */
export function keptAnswer(
  { clock, keyring }: Pick<IdempotencyDependencies, "clock" | "keyring">,
  { method, path, key, bodyBytes }: IdempotentRequest,
  { status, madeOf }: { readonly status: number; readonly madeOf: string },
): KeptAnswer {
  const now = clock.now();
  return {
    method,
    path,
    keyHash: keyring.hmac(keyPurpose, key),
    bodyHash: keyring.hmac(bodyPurpose, asText(bodyBytes)),
    status,
    bodySealed: `${MADE_OF}${madeOf}`,
    expiresAt: new Date(now.getTime() + KEPT_MS),
    answeredAt: now,
  };
}

/** Begins no sealed text: those begin with the id of a key. */
const MADE_OF = "=";

/** One character for each byte: different bytes stay different texts, also where they are no Unicode. */
function asText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}

/** Whether a key was used under one of the server's older keys: `idempotency_keys_pkey` does not know that. */
export async function isUsedUnderOlderKey(
  dependencies: IdempotencyDependencies,
  request: IdempotentRequest,
): Promise<boolean> {
  return (await findUnderOlderKeys(dependencies, request, dependencies.clock.now())) !== null;
}

/** After a rotation of the server's keys, an answer of the last 24 hours is still found. */
async function findUnderOlderKeys(
  { db, keyring }: IdempotencyDependencies,
  request: IdempotentRequest,
  now: Date,
): Promise<TakenSlot | null> {
  if (!keyring.hasOlderKeys) return null;
  const { providerId, method, path, key } = request;
  for (const keyHash of keyring.hmacsOfAllKeys(keyPurpose, key).slice(1)) {
    const taken = await readSlot(db, { providerId, method, path, keyHash });
    if (taken === null || taken.expiresAt <= now) continue;
    if (taken.state === "answered" || taken.leaseUntil > now) return taken;
  }
  return null;
}

async function runAndKeep(
  { db, keyring }: Pick<IdempotencyDependencies, "db" | "keyring">,
  slot: IdempotencySlot & { leaseId: string },
  run: () => Promise<IdempotentAnswer>,
): Promise<ReplayableAnswer> {
  let answer: IdempotentAnswer;
  try {
    answer = await run();
  } catch (error) {
    await orLater(freeSlot(db, slot));
    throw error;
  }
  if (isKept(answer)) {
    const { status, body, headers } = answer;
    const bodySealed = keyring.seal(JSON.stringify({ body, headers }), sealPurpose);
    await orLater(keepAnswer(db, slot, { status, bodySealed }));
  } else {
    await orLater(freeSlot(db, slot));
  }
  return { ...answer, replayed: false };
}

/** What the request came to stands, also where the database went away after it: then the slot's lease runs out. */
async function orLater(writing: Promise<void>): Promise<void> {
  try {
    await writing;
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable)) throw error;
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
