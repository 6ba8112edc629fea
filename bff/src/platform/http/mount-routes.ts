import type { IRouter, Request, RequestHandler, Response } from "express";
import type { Endpoint } from "../../contract/endpoint.ts";
import { type Principal, type PrincipalVersion, providerNow } from "../../providers/provider.ts";
import type { Clock } from "../clock.ts";
import { isUniqueViolation } from "../database/errors.ts";
import type { AddressLimits } from "./address-limits.ts";
import { ApiError } from "./api-error.ts";
import { expressMethod, expressPath } from "./express-endpoint.ts";
import {
  type IdempotencyDependencies,
  type IdempotentRequest,
  isUsedUnderOlderKey,
  keptAnswer,
  readIdempotencyKey,
  withIdempotency,
} from "./idempotency.ts";
import { type JsonBody, readJsonBody } from "./json-body.ts";
import type { RateLimiter } from "./rate-limit.ts";
import { requestContextOf } from "./request-context.ts";
import type { Answer, PreparedRequest, ReceivedRequest, Route } from "./route.ts";
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
      const { received, prepared } =
        (await prepareAtOnce(route, dependencies, request, readBody, open)) ??
        (await prepareStepByStep(route, dependencies, request, readBody, open));
      await takeLimits(dependencies, prepared, response);
      sendAnswer(response, await answerOnce(endpoint, dependencies, prepared, received));
    } catch (error) {
      sendError(request, response, endpoint, error);
    }
  };
}

interface Prepared {
  readonly received: ReceivedBytes;
  readonly prepared: PreparedRequest;
}

type OpenToPages = (principal: Principal | null) => void;

async function prepareStepByStep(
  { endpoint, prepare }: Route,
  dependencies: MountDependencies,
  request: Request,
  readBody: () => Promise<JsonBody>,
  open: OpenToPages,
): Promise<Prepared> {
  const principal = await authenticateWithin(endpoint, dependencies, request);
  open(principal);
  const received = await receive(endpoint, dependencies, request, principal, readBody);
  return { received, prepared: await prepare(received) };
}

/**
 * The same for a caller that is remembered: what it asks for is loaded by the statement that confirms it. Null, with nothing
 * done, wherever there is anything to refuse: that is said in the order of the checks, once the caller is proved.
 */
async function prepareAtOnce(
  { endpoint, prepareAtOnce: prepare }: Route,
  dependencies: MountDependencies,
  request: Request,
  readBody: () => Promise<JsonBody>,
  open: OpenToPages,
): Promise<Prepared | null> {
  const { addressLimits, recall } = dependencies;
  const ip = request.ip ?? "";
  try {
    await addressLimits.refuseGuessers(ip);
    const recalled = prepare === undefined ? null : (recall?.(endpoint, request) ?? null);
    if (prepare === undefined || recalled === null) return null;
    const received = await receive(endpoint, dependencies, request, recalled.principal, readBody);
    const prepared = await prepare(received, recalled.version);
    if (prepared === null) return null;
    if (!isSecret(recalled.principal.credential)) await addressLimits.countPublicCall(ip);
    open(recalled.principal);
    return { received, prepared };
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
    const key = endpoint.idempotent === true ? readIdempotencyKey(request.headers["idempotency-key"]) : null;
    const keyed = key === null ? null : keyedRequest(recalled.principal, received, key);
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
    // A call that sends nothing means the same as one that sends an empty object.
    unparsedBody: readsJson ? (value ?? {}) : undefined,
    bodyBytes: bytes,
  };
}

function keyedRequest(principal: Principal, { request, bodyBytes }: ReceivedBytes, key: string): IdempotentRequest {
  return { providerId: principal.provider.id, method: request.method, path: request.path, key, bodyBytes };
}

/** Authenticates, unless too many from the same address have failed to; counts what is open to everybody by address. */
async function authenticateWithin(
  endpoint: Endpoint,
  { authenticate, addressLimits }: MountDependencies,
  request: Request,
): Promise<Principal | null> {
  const ip = request.ip ?? "";
  await addressLimits.refuseGuessers(ip);
  try {
    const principal = await authenticate(endpoint, request);
    if (!isSecret(principal?.credential)) await addressLimits.countPublicCall(ip);
    return principal;
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) await addressLimits.countGuess(ip);
    throw error;
  }
}

function isSecret(credential: Principal["credential"] | undefined): boolean {
  return credential === "client_secret" || credential === "secret_key";
}

async function takeLimits(
  { rateLimiter }: MountDependencies,
  { limits }: PreparedRequest,
  response: Response,
): Promise<void> {
  if (limits.length === 0) return;
  const { headers, refusal } = await rateLimiter.take(limits);
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (refusal !== null) throw refusal;
}

/** Runs the handler; under an `Idempotency-Key`, once. */
async function answerOnce(
  endpoint: Endpoint,
  dependencies: MountDependencies,
  prepared: PreparedRequest,
  received: ReceivedBytes,
): Promise<Answer> {
  const { principal, request } = received;
  const handle = async (run: () => Promise<Answer>) => {
    const answer = await run();
    if (dependencies.checkAnswers) requireContract(endpoint, answer);
    return answer;
  };
  const key = endpoint.idempotent === true ? readIdempotencyKey(request.headers["idempotency-key"]) : null;
  if (key === null || principal === null) return handle(prepared.handle);
  const answer = await withIdempotency(
    dependencies.idempotency,
    keyedRequest(principal, received, key),
    // A refusal is an answer too, and is given again; what was our fault is not.
    () => handle(prepared.handle).catch((error: unknown) => renderRefusal(request, endpoint, error)),
  );
  if (!answer.replayed) return answer;
  const { replay, remake } = prepared;
  const { madeOf } = answer;
  const isShownAnew = replay !== undefined && answer.status < 400;
  const first = madeOf !== undefined && remake !== undefined ? await handle(() => remake(madeOf)) : answer;
  const shown = isShownAnew ? await handle(replay) : first;
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

/** Endpoints that partners' pages may call by themselves: no secret opens them (decisions, section 1). */
function takesPublicCredentialsOnly({ credentials, also }: Endpoint): boolean {
  const isPublic = credentials.every((credential) => credential === "public_key" || credential === "client_id");
  return credentials.length > 0 && isPublic && also === undefined;
}

const EXPOSED_HEADERS =
  "X-Request-Id, Retry-After, Idempotency-Replayed, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset";
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
