import type { IRouter, Request, RequestHandler, Response } from "express";
import type { Endpoint } from "../../contract/endpoint.ts";
import type { Clock } from "../clock.ts";
import { isUniqueViolation } from "../database/errors.ts";
import { type Principal, type PrincipalVersion, providerNow } from "../provider.ts";
import type { AddressLimits } from "./address-limits.ts";
import { ApiError } from "./api-error.ts";
import { expressMethod, expressPath } from "./express-endpoint.ts";
import {
  type ClaimBeside,
  claimBeside,
  type IdempotencyDependencies,
  type IdempotentRequest,
  isUsedUnderOlderKey,
  keptAnswer,
  readIdempotencyKey,
  releaseSlot,
  withClaimedSlot,
  withIdempotency,
} from "./idempotency.ts";
import { type JsonBody, readJsonBody } from "./json-body.ts";
import type { BegunCount, RateLimiter, RateLimitVerdict } from "./rate-limit.ts";
import { requestContextOf } from "./request-context.ts";
import type { Answer, LoadedAtOnce, PreparedRequest, ReceivedRequest, Route } from "./route.ts";
import { renderedError, sendAnswer, sendError } from "./send-answer.ts";

export interface MountDependencies {
  /** Who makes the request; null where the endpoint needs no credential. Throws the endpoint's 401. */
  readonly authenticate: (endpoint: Endpoint, request: Request) => Promise<Principal | null>;
  /**
   * Who made a request with the same credential before, for what is done in a single statement that confirms it; null
   * where nobody is remembered.
   */
  readonly recall?: (endpoint: Endpoint, request: Request) => RecalledPrincipal | null;
  readonly clock: Clock;
  readonly rateLimiter: RateLimiter;
  readonly addressLimits: AddressLimits;
  readonly idempotency: IdempotencyDependencies;
  /** Hold every success against the endpoint's schema before it is sent. Costs time; on in tests and in staging. */
  readonly checkAnswers: boolean;
  /**
   * May a page of this origin call with this request's public credential? Null where the face answers no other origins.
   * Asked for preflights only: an answer names the origin when it is one of the provider's own.
   */
  readonly allowsOrigin: ((origin: string, request: Request) => Promise<boolean>) | null;
}

interface RecalledPrincipal {
  readonly principal: Principal;
  readonly version: PrincipalVersion;
}

/** Thrown when a handler's success is not what the contract promises. It is our fault, and answered 500. */
class AnswerBreaksContract extends Error {
  override readonly name = "AnswerBreaksContract";
  readonly code = "answer_breaks_contract";
}

/** Mounts endpoints on a router: authentication, body, scope, `prepare`, the handler, the answer, errors as declared. */
export function mountRoutes(router: IRouter, dependencies: MountDependencies, routes: readonly Route[]): void {
  for (const route of routes) {
    const { endpoint } = route;
    const path = expressPath(endpoint.path);
    const { allowsOrigin } = dependencies;
    const isOpenToPages = allowsOrigin !== null && takesPublicCredentialsOnly(endpoint);
    if (isOpenToPages) router.options(path, preflight(endpoint, allowsOrigin));
    const handler = handlerOf(route, dependencies, isOpenToPages);
    router[expressMethod(endpoint)](path, handler);
  }
}

function handlerOf(route: Route, dependencies: MountDependencies, isOpenToPages: boolean): RequestHandler {
  const { endpoint } = route;
  return async (request, response) => {
    try {
      const readBody = bodyOf(endpoint, request);
      const answered = route.isAtOnce ? await answerAtOnce(route, dependencies, request, readBody) : null;
      if (answered !== null) return sendAnswer(response, answered);
      const open = (principal: Principal | null) => {
        if (isOpenToPages && principal !== null) openToOrigin(request, response, principal);
      };
      const countPublicCall = countedOnce(dependencies, request);
      const atOnce = await prepareAtOnce(route, dependencies, request, { readBody, open, countPublicCall });
      const { received, prepared } =
        atOnce ?? (await prepareStepByStep(route, dependencies, request, { readBody, open, countPublicCall }));
      const claim = await letIn(dependencies, prepared, atOnce?.settled ?? null, response);
      sendAnswer(response, await answerOnce(endpoint, dependencies, { prepared, received, claim }));
    } catch (error) {
      sendError(request, response, endpoint, error);
    }
  };
}

interface Prepared {
  readonly received: ReceivedBytes;
  readonly prepared: PreparedRequest;
}

/** What preparing a request may do, whichever way it is prepared. */
interface Preparing {
  readonly readBody: () => Promise<JsonBody>;
  /** Lets a page read the answer. */
  readonly open: (principal: Principal | null) => void;
  /** Counts a call without a secret by its address, the first time; throws 429 each time where there were too many. */
  readonly countPublicCall: () => Promise<void>;
}

function countedOnce({ addressLimits }: MountDependencies, request: Request): Preparing["countPublicCall"] {
  let counted: Promise<void> | undefined;
  return () => (counted ??= addressLimits.countPublicCall(request.ip ?? ""));
}

async function prepareStepByStep(
  { endpoint, prepare }: Route,
  dependencies: MountDependencies,
  request: Request,
  { readBody, open, countPublicCall }: Preparing,
): Promise<Prepared> {
  const principal = await authenticateWithin(endpoint, dependencies, request, { open, countPublicCall });
  const received = await receive(endpoint, dependencies, request, principal, readBody);
  return { received, prepared: await prepare(received) };
}

/** What the statement that loaded has settled of a request. */
interface Settled {
  readonly begun: BegunCount;
  readonly admitted: LoadedAtOnce<unknown>["admitted"];
  readonly claim: ClaimBeside | null;
}

/**
 * The same for a caller that is remembered: what it asks for is loaded, and its limits and key are settled, by the statement
 * that confirms it. Null, with nothing done, wherever there is anything to refuse before that: it is said in the order of the
 * checks, once the caller is proved.
 */
async function prepareAtOnce(
  { endpoint, prepareAtOnce: prepare }: Route,
  dependencies: MountDependencies,
  request: Request,
  { readBody, open, countPublicCall }: Preparing,
): Promise<(Prepared & { readonly settled: Settled }) | null> {
  const { addressLimits, recall, rateLimiter, clock } = dependencies;
  const recalled = prepare === undefined ? null : (recall?.(endpoint, request) ?? null);
  if (prepare === undefined || recalled === null) return null;
  const { principal, version } = recalled;
  // What is stopped by its address costs nothing more: it is said at once, before anything is looked up.
  await addressLimits.refuseGuessers(request.ip ?? "");
  if (!isSecret(principal.credential)) {
    await countPublicCall().catch((error: unknown) => {
      open(principal);
      throw error;
    });
  }
  try {
    const received = await receive(endpoint, dependencies, request, principal, readBody);
    const { limits, load } = prepare(received);
    const keyed = keyedRequest(endpoint, received);
    const begun = rateLimiter.begin(limits);
    const claim = keyed === null ? null : claimBeside(dependencies.idempotency, keyed);
    const loaded = await load({ version, admission: { hits: begun.hits, claim, now: clock.now() } });
    if (loaded === null) return null;
    open(principal);
    const { prepared, admitted } = loaded;
    return { received, prepared, settled: { begun, admitted, claim: admitted.isClaimed ? claim : null } };
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

/** Reads the body when it is first asked for, since a request may be looked at twice. */
function bodyOf(endpoint: Endpoint, request: Request): () => Promise<JsonBody> {
  const readsJson = endpoint.body !== undefined && endpoint.multipart !== true;
  let body: Promise<JsonBody> | undefined;
  return () => {
    body ??= readsJson ? readJsonBody(request) : Promise.resolve(NO_BODY);
    return body;
  };
}

const NO_BODY: JsonBody = { value: undefined, bytes: Buffer.alloc(0) };

/**
 * Answers a request with a single statement, which also confirms the caller and keeps the answer under the request's key.
 * Null, with nothing done, wherever there is anything to be said but a success.
 */
async function answerAtOnce(
  { endpoint, prepare }: Route,
  dependencies: MountDependencies,
  request: Request,
  readBody: () => Promise<JsonBody>,
): Promise<Answer | null> {
  try {
    const { idempotency } = dependencies;
    await dependencies.addressLimits.refuseGuessers(request.ip ?? "");
    const recalled = await recallOrAuthenticate(endpoint, dependencies, request);
    if (recalled === null) return null;
    const received = await receive(endpoint, dependencies, request, recalled.principal, readBody);
    const { handleAtOnce, limits } = await prepare(received);
    if (handleAtOnce === undefined || limits.length > 0) return null;
    const keyed = keyedRequest(endpoint, received);
    if (keyed !== null && (await isUsedUnderOlderKey(idempotency, keyed))) return null;
    const keep = (answer: Answer, madeOf: string) => {
      if (dependencies.checkAnswers) requireContract(endpoint, answer);
      return keyed === null ? null : keptAnswer(idempotency, keyed, { status: answer.status, madeOf });
    };
    return await handleAtOnce({ version: recalled.version, keep });
  } catch (error) {
    // What there is to refuse is said in the order of the checks, once the caller is proved.
    if (error instanceof ApiError || isUniqueViolation(error, "idempotency_keys_pkey")) return null;
    throw error;
  }
}

async function recallOrAuthenticate(
  endpoint: Endpoint,
  { recall, authenticate }: MountDependencies,
  request: Request,
): Promise<RecalledPrincipal | null> {
  if (recall === undefined) return null;
  const recalled = recall(endpoint, request);
  if (recalled !== null) return recalled;
  await authenticate(endpoint, request);
  return recall(endpoint, request);
}

interface ReceivedBytes extends ReceivedRequest {
  readonly bodyBytes: Uint8Array;
}

/** Takes a request from the unreadable body to 403. */
async function receive(
  endpoint: Endpoint,
  { clock }: MountDependencies,
  request: Request,
  principal: Principal | null,
  readBody: () => Promise<JsonBody>,
): Promise<ReceivedBytes> {
  const { requestId, note } = requestContextOf(request);
  if (principal !== null) note({ provider_id: principal.provider.id });
  const { value, bytes } = await readBody();
  if (endpoint.scope !== undefined && principal?.provider.scopes.includes(endpoint.scope) !== true)
    throw new ApiError("scope_missing");
  const realNow = clock.now();
  const readsJson = endpoint.body !== undefined && endpoint.multipart !== true;
  return {
    principal,
    params: paramsOf(request),
    now: principal === null ? realNow : providerNow(principal.provider, realNow),
    requestId,
    ip: request.ip ?? "",
    request,
    // A call that sends nothing means the same as one that sends an empty object; one that sends `null` has sent something.
    unparsedBody: readsJson && value === undefined ? {} : value,
    bodyBytes: bytes,
  };
}

/** A request with its `Idempotency-Key`; null where it has none, or the endpoint takes none. Throws 422 for a malformed one. */
function keyedRequest(endpoint: Endpoint, { principal, request, bodyBytes }: ReceivedBytes): IdempotentRequest | null {
  const key = endpoint.idempotent === true ? readIdempotencyKey(request.headers["idempotency-key"]) : null;
  if (key === null || principal === null) return null;
  return { providerId: principal.provider.id, method: request.method, path: request.path, key, bodyBytes };
}

/** Authenticates, unless too many from the same address have failed to; counts what is open to everybody by address. */
async function authenticateWithin(
  endpoint: Endpoint,
  { authenticate, addressLimits }: MountDependencies,
  request: Request,
  { open, countPublicCall }: Pick<Preparing, "open" | "countPublicCall">,
): Promise<Principal | null> {
  const ip = request.ip ?? "";
  await addressLimits.refuseGuessers(ip);
  try {
    const principal = await authenticate(endpoint, request);
    // Before it is counted: a page must be able to read how long it is to wait.
    open(principal);
    if (!isSecret(principal?.credential)) await countPublicCall();
    return principal;
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) await addressLimits.countGuess(ip);
    throw error;
  }
}

function isSecret(credential: Principal["credential"] | undefined): boolean {
  return credential === "client_secret" || credential === "secret_key";
}

/** Refuses with 429 what is over its limits, counting it where that is not settled yet; gives the slot that it has claimed. */
async function letIn(
  { rateLimiter, idempotency }: MountDependencies,
  { limits }: PreparedRequest,
  settled: Settled | null,
  response: Response,
): Promise<ClaimBeside | null> {
  const { headers, refusal } = settled === null ? await rateLimiter.take(limits) : verdictOf(settled);
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  const claim = settled?.claim ?? null;
  if (refusal === null) return claim;
  if (claim !== null) await releaseSlot(idempotency, claim);
  throw refusal;
}

function verdictOf({ begun, admitted }: Settled): RateLimitVerdict {
  return begun.judge(admitted.counts);
}

/** Runs the handler; under an `Idempotency-Key`, once. */
async function answerOnce(
  endpoint: Endpoint,
  dependencies: MountDependencies,
  { prepared, received, claim }: Prepared & { readonly claim: ClaimBeside | null },
): Promise<Answer> {
  const { request } = received;
  const handle = async (run: () => Promise<Answer>) => {
    const answer = await run();
    if (dependencies.checkAnswers) requireContract(endpoint, answer);
    return answer;
  };
  const keyed = keyedRequest(endpoint, received);
  if (keyed === null) return handle(prepared.handle);
  // A refusal is an answer too, and is given again; what was our fault is not.
  const run = () => handle(prepared.handle).catch((error: unknown) => renderRefusal(request, endpoint, error));
  const { idempotency } = dependencies;
  const answer = await (claim === null
    ? withIdempotency(idempotency, keyed, run)
    : withClaimedSlot(idempotency, claim, run));
  if (!answer.replayed) return answer;
  const { replay, remake } = prepared;
  const { madeOf } = answer;
  const isShownAnew = replay !== undefined && answer.status < 400;
  const first = madeOf !== undefined && remake !== undefined ? await handle(() => remake(madeOf)) : answer;
  // What became of it since may be a refusal: that too is what this repeat is answered.
  const refused = (error: unknown) => renderRefusal(request, endpoint, error);
  const shown = isShownAnew ? await handle(replay).catch(refused) : first;
  return { ...shown, headers: { ...shown.headers, "Idempotency-Replayed": "true" } };
}

/** The answer to an error that the caller has caused; throws every other. */
function renderRefusal(request: Request, endpoint: Endpoint, error: unknown): Answer {
  if (!(error instanceof ApiError) || error.status >= 500) throw error;
  return renderedError(request, endpoint, error);
}

function paramsOf(request: Request): Record<string, string> {
  const params: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.params)) if (typeof value === "string") params[name] = value;
  return params;
}

function requireContract(endpoint: Endpoint, { status, body }: Answer): void {
  const schema = endpoint.success[status];
  const name = `${endpoint.method} ${endpoint.path}`;
  if (schema === undefined) throw new AnswerBreaksContract(`${name} does not declare ${status}.`);
  const result = schema.safeParse(body);
  if (result.success) return;
  // Where and what, never the value.
  const issues = result.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
  throw new AnswerBreaksContract(`${name} answers ${status} with another body: ${issues.join("; ")}`);
}

/** Endpoints that partners' pages may call by themselves: no secret opens them. */
function takesPublicCredentialsOnly({ credentials, also }: Endpoint): boolean {
  const isPublic = credentials.every((credential) => credential === "public_key" || credential === "client_id");
  return credentials.length > 0 && isPublic && also === undefined;
}

const EXPOSED_HEADERS =
  "X-Request-Id, Retry-After, Idempotency-Replayed, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, RateLimit-Policy";
const PREFLIGHT_SECONDS = "600";

/** Lets a page read the answer, if its origin is one that the provider has registered. */
function openToOrigin(request: Request, response: Response, { provider }: Principal): void {
  response.vary("Origin");
  const { origin } = request.headers;
  if (origin === undefined || !provider.origins.includes(origin)) return;
  response.setHeader("Access-Control-Allow-Origin", origin);
  response.setHeader("Access-Control-Expose-Headers", EXPOSED_HEADERS);
}

function preflight(
  endpoint: Endpoint,
  allowsOrigin: (origin: string, request: Request) => Promise<boolean>,
): RequestHandler {
  return async (request, response) => {
    try {
      const { origin } = request.headers;
      response.vary("Origin");
      if (origin !== undefined && (await allowsOrigin(origin, request))) {
        response.setHeader("Access-Control-Allow-Origin", origin);
        response.setHeader("Access-Control-Allow-Methods", endpoint.method);
        response.setHeader(
          "Access-Control-Allow-Headers",
          "Authorization, Content-Type, Idempotency-Key, X-Request-Id",
        );
        response.setHeader("Access-Control-Max-Age", PREFLIGHT_SECONDS);
      }
      sendAnswer(response, { status: 204, body: undefined });
    } catch (error) {
      sendError(request, response, endpoint, error);
    }
  };
}
