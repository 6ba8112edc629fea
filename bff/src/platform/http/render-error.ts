import { type ErrorAdditions, type ErrorCode, errorCodes } from "../../contract/errors.ts";
import { DatabaseUnavailable, isLockTimeout } from "../database/errors.ts";
import { ApiError } from "./api-error.ts";

export interface ErrorRendering {
  /** Order endpoints answer a 404 with an object in `detail`. */
  family: "order" | "spot";
  language: "en" | "es";
  requestId: string;
}

export interface RenderedError {
  status: number;
  body: object;
  headers: Readonly<Record<string, string>>;
}

/** How long a caller is asked to wait while the database is away. */
const unavailableRetrySeconds = 5;

/**
 * Makes the answer to an error. What is not an `ApiError` is 500 `internal_error`, of which nothing
 * is told but the request's id; a database that is away is 503, and so is a row that somebody holds for too long.
 */
export function renderError(error: unknown, rendering: ErrorRendering): RenderedError {
  const { code, additions, headers } = asApiError(error);
  const { status } = errorCodes[code];
  const words = errorCodes[code][rendering.language];
  const isObject = rendering.family === "order" && status === 404;
  const detail = isObject ? { error_code: code, message: words } : words;
  const requestId = status >= 500 ? { request_id: rendering.requestId } : {};
  return {
    status,
    body: { detail, code, ...additions, ...requestId },
    headers: { ...headers, ...headersOf(code, additions) },
  };
}

/** What an error is told as. Anything unforeseen becomes `internal_error`, with itself as the cause. */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof DatabaseUnavailable || isLockTimeout(error))
    return new ApiError("service_unavailable", {}, { cause: error });
  // Express throws it for a path that cannot be decoded: nothing can be at such an address.
  if (error instanceof URIError) return new ApiError("not_found", {}, { cause: error });
  return new ApiError("internal_error", {}, { cause: error });
}

function headersOf(code: ErrorCode, additions: ErrorAdditions): Record<string, string> {
  const seconds =
    additions.retry_after_seconds ?? (code === "service_unavailable" ? unavailableRetrySeconds : undefined);
  return seconds === undefined ? {} : { "Retry-After": String(seconds) };
}
