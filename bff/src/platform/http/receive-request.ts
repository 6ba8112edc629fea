import type { Request } from "express";
import { bodyLimits, type Endpoint } from "../../contract/endpoint.ts";
import type { AddressLimits } from "./address-limits.ts";
import { ApiError } from "./api-error.ts";
import type { CallerLookup } from "./caller-lookup.ts";
import { readIdempotencyKey } from "./idempotency.ts";
import { type JsonBody, parseJsonBody, readBytes } from "./json-body.ts";
import { requestContextOf } from "./request-context.ts";
import type { ParsedRequest, ReceivedRequest, Route } from "./route.ts";

/** A request of which only the head was read. */
export interface ReceivedHead {
  readonly request: Request;
  /** How to identify its caller; null where the endpoint needs no credential. */
  readonly caller: CallerLookup | null;
  /** Its `Idempotency-Key`, or the error if that is malformed; null if there is none or the endpoint takes none. */
  readonly key: string | ApiError | null;
  /** The 429 of an address that sent too many calls without a secret. */
  readonly tooMany: ApiError | null;
}

/** A request that was read and parsed; nothing was looked up for it but its caller. */
export interface Received extends Pick<ReceivedHead, "request" | "caller" | "key"> {
  readonly bodyBytes: Uint8Array;
  /** What it asks for; with `loading` null it is refused before anything is loaded. */
  readonly parsed: ParsedRequest | { readonly loading: null; readonly refusal: ApiError };
}

export interface ReceiveDependencies {
  /** How to identify a request's caller; null where the endpoint needs no credential. Throws the endpoint's 401. */
  readonly identify: (endpoint: Endpoint, request: Request) => CallerLookup | null;
  readonly addressLimits: AddressLimits;
}

/**
 * Reads a request's head. Throws the refusals that need no database: 429 for an address that sent too many calls
 * without a secret, and 401 if no credential is presented.
 */
export async function receiveHead(
  { endpoint }: Route,
  { identify, addressLimits }: ReceiveDependencies,
  request: Request,
  isFromPage: boolean,
): Promise<ReceivedHead> {
  const caller = await identifiedBy(identify, endpoint, request, addressLimits);
  const key =
    endpoint.idempotent === true ? refusalOr(() => readIdempotencyKey(request.headers["idempotency-key"])) : null;
  const tooMany = caller?.isSecret === true ? null : await refusalOf(addressLimits.countPublicCall(request.ip ?? ""));
  // A page can read the 429 only if the answer allows its origin, which is known only after the caller was looked up.
  if (tooMany !== null && !isFromPage) throw tooMany;
  return { request, caller, key, tooMany };
}

/** Reads the bytes of the body of a known caller. Returns the refusal of a body, which `validateBody` keeps. */
export async function receiveBytes(
  { endpoint }: Route,
  { request, tooMany }: ReceivedHead,
): Promise<Buffer | ApiError> {
  if (tooMany !== null || !readsJson(endpoint)) return tooMany ?? NO_BODY.bytes;
  const bytes = readBytes(request, bodyLimits(endpoint));
  return (await refusalOf(bytes)) ?? bytes;
}

/** Parses and validates a body. Its refusals are kept, because `admit` throws them in their order. */
export function validateBody(route: Route, { request, caller, key }: ReceivedHead, bytes: Buffer | ApiError): Received {
  const received = { request, caller, key };
  const body = bytes instanceof ApiError ? bytes : bodyOf(route.endpoint, request, bytes);
  if (body instanceof ApiError)
    return { ...received, bodyBytes: NO_BODY.bytes, parsed: { loading: null, refusal: body } };
  return { ...received, bodyBytes: body.bytes, parsed: route.parse(toReceivedRequest(route.endpoint, request, body)) };
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
    if (!(error instanceof ApiError && error.status === 401)) throw error;
    throw (await addressLimits.countGuess(request.ip ?? "")) ?? error;
  }
}

function toReceivedRequest(endpoint: Endpoint, request: Request, { value }: JsonBody): ReceivedRequest {
  return {
    params: paramsOf(request),
    requestId: requestContextOf(request).requestId,
    ip: request.ip ?? "",
    request,
    // No body means the same as an empty object; `null` is a body.
    unparsedBody: readsJson(endpoint) && value === undefined ? {} : value,
  };
}

const NO_BODY: JsonBody = { value: undefined, bytes: Buffer.alloc(0) };

function readsJson({ body, multipart }: Endpoint): boolean {
  return body !== undefined && multipart !== true;
}

function bodyOf(endpoint: Endpoint, request: Request, bytes: Buffer): JsonBody | ApiError {
  return readsJson(endpoint) ? refusalOr(() => parseJsonBody(request, bytes, bodyLimits(endpoint))) : NO_BODY;
}

/** The `ApiError` that a promise rejects with; null if it is fulfilled. */
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

export function paramsOf(request: Request): Record<string, string> {
  const params: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.params)) if (typeof value === "string") params[name] = value;
  return params;
}
