import type { Response } from "express";
import type { Clock } from "../clock.ts";
import { type Database, retryTransient } from "../database/transaction.ts";
import { type Principal, providerNow } from "../provider.ts";
import type { AddressLimits } from "./address-limits.ts";
import { type Admission, type AdmissionRow, admitRequest, NOTHING_ASKED, UNKNOWN_CALLER } from "./admission-store.ts";
import { ApiError } from "./api-error.ts";
import { concretePath } from "./express-endpoint.ts";
import { type IdempotencyDependencies, type Slot, slotOf } from "./idempotency.ts";
import type { SlotState } from "./idempotency-store.ts";
import type { RateLimiter } from "./rate-limit.ts";
import type { CallerLookup } from "./receive-request.ts";
import { paramsOf, type Received, type ReceivedHead } from "./receive-request.ts";
import { requestContextOf } from "./request-context.ts";
import {
  type KnownCaller,
  type Loading,
  NOTHING_NAMED,
  type ParsedRequest,
  type RequestAnswers,
  type Route,
} from "./route.ts";
import type { Turns } from "./turns.ts";

/**
 * The callers whose credentials were valid when this process last looked them up. They only decide the sequence: the
 * body of any other caller is read after its credentials were looked up. The statement that admits a request always
 * authenticates it, so a revoked credential is never accepted.
 */
interface KnownCallers {
  has(key: string): boolean;
  add(key: string): void;
  remove(key: string): void;
}

/** Beyond this number, the caller that was added first must be looked up again. */
const CALLERS_MAX = 10_000;

export function createKnownCallers(): KnownCallers {
  const keys = new Set<string>();
  return {
    has: (key) => keys.has(key),
    add(key) {
      keys.add(key);
      if (keys.size <= CALLERS_MAX) return;
      for (const first of keys) {
        keys.delete(first);
        return;
      }
    },
    remove: (key) => void keys.delete(key),
  };
}

export interface AdmitDependencies {
  readonly clock: Clock;
  readonly rateLimiter: RateLimiter;
  readonly addressLimits: AddressLimits;
  readonly knownCallers: KnownCallers;
  readonly turns: Turns;
  readonly idempotency: IdempotencyDependencies;
}

/** A request that has passed every check and may be answered. */
export interface Admitted {
  readonly answers: RequestAnswers;
  /** The slot for its answer and the slot's state; null for a request without an `Idempotency-Key`. */
  readonly keyed: { readonly providerId: string; readonly slot: Slot; readonly slotState: SlotState | null } | null;
}

/**
 * Looks up a caller who is not known yet, before the request's body is read. Throws the refusals of `admit` that come
 * before those of the body. Skips the lookup for an address that sends too many calls, so that `admit` refuses it.
 * Unknown callers take turns, even with a secret, because it may be made up.
 */
export async function authenticate(
  route: Route,
  dependencies: AdmitDependencies,
  { caller, request, tooMany }: ReceivedHead,
): Promise<void> {
  const { clock, idempotency, knownCallers, turns } = dependencies;
  if (caller === null || tooMany !== null || knownCallers.has(caller.key)) return;
  await turns.take(request, async () => {
    const now = clock.now();
    const row = await lookUp(
      route,
      idempotency.db,
      { caller, parsed: { loading: null } },
      { hits: [], slot: null, now },
    );
    await callerOf(route, { caller, request }, dependencies, row, now);
  });
}

/**
 * Identifies the caller, loads the request's resource, counts the request and takes its slot, in one statement. Throws
 * the first refusal, in the order that `defineRoute` lists. `open` lets the caller's page read the answer or refusal.
 */
export async function admit(
  route: Route,
  dependencies: AdmitDependencies,
  received: Received,
  { response, open }: { readonly response: Response; readonly open: (principal: Principal) => void },
): Promise<Admitted> {
  const { rateLimiter, clock, idempotency, addressLimits } = dependencies;
  const { path, showsWhoIsRegistered } = route.endpoint;
  const { parsed } = received;
  const realNow = clock.now();
  const isWellFormed = parsed.refusal === null;
  const address = received.caller?.isSecret === true ? null : (received.request.ip ?? "");
  const lookups = showsWhoIsRegistered === true ? addressLimits.patientLookups(address) : [];
  const count = rateLimiter.begin(isWellFormed ? [...parsed.limits, ...lookups] : [], realNow);
  const slot = isWellFormed ? slotFor(route, idempotency, received, realNow) : null;
  const row = await lookUp(route, idempotency.db, received, { hits: count.hits, slot, now: realNow });
  const caller = await callerOf(route, received, dependencies, row, realNow);
  const { principal } = caller;
  if (principal !== null) open(principal);
  if (parsed.loading === null) throw parsed.refusal;
  requireScope(route, principal);
  const { headers, refusal, justExceeded } = count.judge(row.counted);
  for (const { name, requestsMax } of justExceeded)
    requestContextOf(received.request).logger.warn(name, { route: path, count: requestsMax + 1 });
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  // A "not found" would reveal that the patient is not registered.
  if (refusal !== null && showsWhoIsRegistered === true) throw refusal;
  const resource = found(parsed.loading, row, { ...caller, realNow });
  if (resource !== null && parsed.loading.about !== undefined)
    requestContextOf(received.request).about(parsed.loading.about(resource));
  if (parsed.refusal !== null) throw parsed.refusal;
  if (refusal !== null) throw refusal;
  if (received.key instanceof ApiError) throw received.key;
  const providerId = principal?.provider.id;
  const keyed = slot === null || providerId === undefined ? null : { providerId, slot, slotState: row.slotState };
  return { answers: parsed.answersTo(caller, resource), keyed };
}

function slotFor(
  { endpoint, keepsItsAnswer, answersRepeats }: Route,
  idempotency: IdempotencyDependencies,
  { caller, request, key, bodyBytes }: Received,
  now: Date,
): Slot | null {
  if (typeof key !== "string" || caller === null || answersRepeats) return null;
  const { method } = endpoint;
  // The canonical path, because other letter case, a trailing slash or percent-encoding do not make another request.
  const path = concretePath(endpoint, paramsOf(request));
  return slotOf(idempotency, { method, path, key, bodyBytes, keepsItsAnswer }, now);
}

/** Runs the statement. Skips it for a request that needs no credential, counts against no limit and loads nothing. */
async function lookUp(
  { endpoint }: Route,
  db: Database,
  {
    caller,
    parsed: { loading },
  }: {
    readonly caller: CallerLookup | null;
    readonly parsed: Pick<ParsedRequest, "loading"> | { readonly loading: null };
  },
  settled: Pick<Admission, "hits" | "slot" | "now">,
): Promise<AdmissionRow> {
  if (caller === null && settled.hits.length === 0 && (loading === null || loading === NOTHING_NAMED))
    return NOTHING_ASKED;
  const column = loading?.column ?? NOTHING_NAMED.column;
  // No slot is taken for a missing resource.
  const countsMissing =
    endpoint.showsWhoIsRegistered === true && loading?.countsMissing === true && settled.slot === null;
  const isNeeded = loading !== null && loading.missing !== null && !countsMissing;
  const statement = caller?.statement ?? null;
  const admission = { ...settled, caller: statement, scope: endpoint.scope ?? null, found: { column, isNeeded } };
  return retryTransient(db, () => admitRequest(db, admission));
}

/** Identifies the caller. Throws the 401, which counts as a wrong credential, or the 429 after too many of them. */
async function callerOf(
  route: Route,
  { caller, request }: Pick<Received, "caller" | "request">,
  { addressLimits, knownCallers }: AdmitDependencies,
  row: AdmissionRow,
  realNow: Date,
): Promise<KnownCaller> {
  if (caller === null) return { principal: null, now: realNow };
  const refuse = async (what: "unknown" | "incomplete") => {
    knownCallers.remove(caller.key);
    return (await addressLimits.countGuess(request.ip ?? "")) ?? caller.refusal(what);
  };
  if (row === UNKNOWN_CALLER) throw await refuse("unknown");
  const principal = caller.read(row);
  // A caller without the permission gets a 403 before a second credential is required.
  if (!row.is_complete) requireScope(route, principal);
  if (!row.is_complete) throw await refuse("incomplete");
  knownCallers.add(caller.key);
  requestContextOf(request).about({ subject: { provider_id: principal.provider.id }, trace: null });
  return { principal, now: providerNow(principal.provider, realNow) };
}

function requireScope({ endpoint: { scope } }: Route, principal: Principal | null): void {
  if (scope !== undefined && principal?.provider.scopes.includes(scope) !== true) throw new ApiError("scope_missing");
}

function found(
  { read, missing }: Loading<unknown>,
  row: AdmissionRow,
  by: KnownCaller & { readonly realNow: Date },
): unknown {
  const resource = row.found === null ? null : read(row.found, by);
  if (resource === null && missing !== null) throw new ApiError(missing);
  return resource;
}
