import type { Request } from "express";
import type { Endpoint } from "../../contract/endpoint.ts";
import type { AddressLimits } from "./address-limits.ts";
import { ApiError } from "./api-error.ts";
import type { CallerLookup } from "./caller-lookup.ts";
import { readIdempotencyKey } from "./idempotency.ts";
import { type JsonBody, readJsonBody } from "./json-body.ts";
import { requestContextOf } from "./request-context.ts";
import type { Question, ReceivedRequest, Route } from "./route.ts";

/** A request as it came: what it says was read and judged, and nothing was looked up. */
export interface Received {
  /** How its caller is to be found; null where the endpoint needs no credential. */
  readonly caller: CallerLookup | null;
  readonly request: Request;
  readonly bodyBytes: Uint8Array;
  /** What it asks for; without `loading` there is something to refuse before anything is looked for. */
  readonly asked: Question | { readonly loading: null; readonly refusal: ApiError };
  /** Its `Idempotency-Key`, null where there is none or the endpoint takes none; or what is amiss with it. */
  readonly key: string | ApiError | null;
}

export interface ReceiveDependencies {
  /** How a request's caller is to be found; null where the endpoint needs no credential. Throws the endpoint's 401. */
  readonly identify: (endpoint: Endpoint, request: Request) => CallerLookup | null;
  readonly addressLimits: AddressLimits;
}

/**
 * Reads a request. Throws what is refused before anybody is asked who calls: 429 for an address from which too many guessed
 * credentials or called without a secret, and 401 where no credential is presented, whose body is never read.
 */
export async function receiveRequest(
  route: Route,
  { identify, addressLimits }: ReceiveDependencies,
  request: Request,
  isFromPage: boolean,
): Promise<Received> {
  const { endpoint } = route;
  const ip = request.ip ?? "";
  await addressLimits.refuseGuessers(ip);
  const caller = await identifiedBy(identify, endpoint, request, addressLimits);
  const key =
    endpoint.idempotent === true ? refusalOr(() => readIdempotencyKey(request.headers["idempotency-key"])) : null;
  const received = { caller, request, key };
  const tooMany = caller?.isSecret === true ? null : await refusalOf(addressLimits.countPublicCall(ip));
  // A page can read how long it is to wait only if its origin is the caller's own: then the caller is looked up.
  if (tooMany !== null && !isFromPage) throw tooMany;
  if (tooMany !== null) return { ...received, bodyBytes: NO_BODY.bytes, asked: { loading: null, refusal: tooMany } };
  const body = await bodyOf(endpoint, request);
  if (body instanceof ApiError)
    return { ...received, bodyBytes: NO_BODY.bytes, asked: { loading: null, refusal: body } };
  return { ...received, bodyBytes: body.bytes, asked: route.ask(said(endpoint, request, body)) };
}

async function identifiedBy(
  identify: ReceiveDependencies["identify"],
  endpoint: Endpoint,
  request: Request,
  addressLimits: AddressLimits,
): Promise<CallerLookup | null> {
  try {
    return identify(endpoint, request);
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) await addressLimits.countGuess(request.ip ?? "");
    throw error;
  }
}

function said(endpoint: Endpoint, request: Request, { value }: JsonBody): ReceivedRequest {
  return {
    params: paramsOf(request),
    requestId: requestContextOf(request).requestId,
    ip: request.ip ?? "",
    request,
    // A call that sends nothing means the same as one that sends an empty object; one that sends `null` has sent something.
    unparsedBody: readsJson(endpoint) && value === undefined ? {} : value,
  };
}

const NO_BODY: JsonBody = { value: undefined, bytes: Buffer.alloc(0) };

function readsJson({ body, multipart }: Endpoint): boolean {
  return body !== undefined && multipart !== true;
}

async function bodyOf(endpoint: Endpoint, request: Request): Promise<JsonBody | ApiError> {
  if (!readsJson(endpoint)) return NO_BODY;
  const body = readJsonBody(request);
  return (await refusalOf(body)) ?? body;
}

/** What a promise is refused with; null where it is kept. */
async function refusalOf(promise: Promise<unknown>): Promise<ApiError | null> {
  try {
    await promise;
    return null;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

function refusalOr<T>(read: () => T): T | ApiError {
  try {
    return read();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

function paramsOf(request: Request): Record<string, string> {
  const params: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.params)) if (typeof value === "string") params[name] = value;
  return params;
}
