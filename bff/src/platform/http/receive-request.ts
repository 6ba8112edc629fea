import type { Request } from "express";
import { bodyLimits, type Endpoint } from "../../contract/endpoint.ts";
import type { StatementPart } from "../database/transaction.ts";
import type { Principal } from "../provider.ts";
import type { AddressLimits } from "./address-limits.ts";
import type { AdmissionRow } from "./admission-store.ts";
import { ApiError } from "./api-error.ts";
import { readIdempotencyKey } from "./idempotency.ts";
import { type JsonBody, parseJsonBody, readBytes } from "./json-body.ts";
import { requestContextOf } from "./request-context.ts";
import type { ParsedRequest, ReceivedRequest, Route } from "./route.ts";
import { misspelledFields } from "./unknown-fields.ts";
import { ISSUES_MAX } from "./validate-inputs.ts";

/** How a statement identifies the caller of a request. */
export interface CallerLookup {
  /** False for credentials that are public, such as those in a page's source. */
  readonly isSecret: boolean;
  /** The presented credentials; for secret ones a keyed hash. See `KnownCallers`. */
  readonly key: string;
  /** See `Admission`. */
  readonly statement: StatementPart;
  readonly read: (row: Pick<AdmissionRow, "provider" | "credential_id">) => Principal;
  /** The endpoint's 401: the credential is unknown, or a second one that the endpoint needs is missing. */
  readonly refusal: (what: "unknown" | "incomplete") => ApiError;
}

/** A request of which only the head has been read. */
export interface ReceivedHead {
  readonly request: Request;
  /** How to identify its caller; null if the endpoint needs no credential. */
  readonly caller: CallerLookup | null;
  /**
   * Its `Idempotency-Key`, or the error if that is malformed; null if there is none or the endpoint does not support
   * it.
   */
  readonly key: string | ApiError | null;
  /** The 429 of an address that sent too many calls without a secret. */
  readonly tooMany: ApiError | null;
}

/** A parsed request. Only its caller has been looked up. */
export interface Received extends Pick<ReceivedHead, "request" | "caller" | "key"> {
  readonly bodyBytes: Buffer;
  /** The parsed request; with `loading` null it is refused before anything is loaded. */
  readonly parsed: ParsedRequest | { readonly loading: null; readonly refusal: ApiError };
}

export interface ReceiveDependencies {
  /** How to identify a request's caller; null if the endpoint needs no credential. Throws the endpoint's 401. */
  readonly identify: (endpoint: Endpoint, request: Request) => CallerLookup | null;
  readonly addressLimits: AddressLimits;
  /** In staging, an unknown field of a body is refused if it looks like a known one that was misspelled. */
  readonly refusesMisspelledFields: boolean;
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
  const { ip = "", headers } = request;
  const caller = await valueOrRefusal(() => identify(endpoint, request));
  if (caller instanceof ApiError) throw (caller.status === 401 && (await addressLimits.countGuess(ip))) || caller;
  const key =
    endpoint.idempotent === true ? await valueOrRefusal(() => readIdempotencyKey(headers["idempotency-key"])) : null;
  const counted = caller?.isSecret === true ? null : await valueOrRefusal(() => addressLimits.countPublicCall(ip));
  const tooMany = counted instanceof ApiError ? counted : null;
  // A page can only read the 429 if the answer allows its origin, which is known once the caller was looked up.
  if (tooMany !== null && !isFromPage) throw tooMany;
  return { request, caller, key, tooMany };
}

/** Reads the body of a known caller. Returns the refusal of a body instead of throwing it, for `parseRequest`. */
export function receiveBytes({ endpoint }: Route, { request, tooMany }: ReceivedHead): Promise<Buffer | ApiError> {
  return valueOrRefusal(() => {
    if (tooMany !== null) throw tooMany;
    return readsJson(endpoint) ? readBytes(request, bodyLimits(endpoint)) : NO_BYTES;
  });
}

/** Parses and validates a request. Returns its refusals as values, because `admit` throws them in order. */
export async function parseRequest(
  route: Route,
  { refusesMisspelledFields }: Pick<ReceiveDependencies, "refusesMisspelledFields">,
  { request, caller, key }: ReceivedHead,
  bytes: Buffer | ApiError,
): Promise<Received> {
  const received = { request, caller, key };
  const body =
    bytes instanceof ApiError ? bytes : await valueOrRefusal(() => parseBody(route.endpoint, request, bytes));
  if (body instanceof ApiError) return { ...received, bodyBytes: NO_BYTES, parsed: { loading: null, refusal: body } };
  const parsed = route.parse(toReceivedRequest(request, body));
  const refusal = refusesMisspelledFields && parsed.refusal === null ? misspelled(route.endpoint, body.value) : null;
  return {
    ...received,
    bodyBytes: body.bytes,
    parsed: refusal === null ? parsed : { loading: parsed.loading, refusal },
  };
}

function misspelled({ body: schema }: Endpoint, body: unknown): ApiError | null {
  const errors = schema === undefined ? [] : misspelledFields(schema, body);
  return errors.length === 0 ? null : new ApiError("validation_error", { errors: errors.slice(0, ISSUES_MAX) });
}

function parseBody(endpoint: Endpoint, request: Request, bytes: Buffer): JsonBody {
  if (!readsJson(endpoint)) return { value: undefined, bytes: NO_BYTES };
  const body = parseJsonBody(request, bytes, bodyLimits(endpoint));
  // No body means the same as an empty object, but `null` is a body.
  return body.value === undefined ? { ...body, value: {} } : body;
}

function toReceivedRequest(request: Request, { value: unparsedBody }: JsonBody): ReceivedRequest {
  const { requestId } = requestContextOf(request);
  return { params: paramsOf(request), requestId, ip: request.ip ?? "", request, unparsedBody };
}

const NO_BYTES = Buffer.alloc(0);

function readsJson({ body, multipart }: Endpoint): boolean {
  return body !== undefined && multipart !== true;
}

/** The function's result, or the `ApiError` that it throws. */
async function valueOrRefusal<T>(read: () => T | Promise<T>): Promise<T | ApiError> {
  try {
    return await read();
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
