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

/** How many seconds a caller should wait while the database is unavailable. */
const unavailableRetrySeconds = 5;

/**
 * Renders the answer to an error. An unavailable database and a lock timeout give 503. Anything else that is not an
 * `ApiError` gives 500 `internal_error`, which reveals nothing but the request's id.
 */
export function renderError(error: unknown, rendering: ErrorRendering): RenderedError {
  const { code, additions, headers, detail: replacement } = asApiError(error);
  const { status } = errorCodes[code];
  const words = (rendering.language === "en" ? replacement : undefined) ?? errorCodes[code][rendering.language];
  const isObject = rendering.family === "order" && status === 404;
  const detail = isObject ? { error_code: code, message: words } : words;
  const requestId = status >= 500 ? { request_id: rendering.requestId } : {};
  return {
    status,
    body: { detail, code, ...additions, ...requestId },
    headers: { ...headers, ...headersOf(code, additions) },
  };
}

/** The `ApiError` for any error. Any unexpected error becomes `internal_error`, with that error as its cause. */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof DatabaseUnavailable || isLockTimeout(error))
    return new ApiError("service_unavailable", {}, { cause: error });
  // Express throws it for a path that cannot be decoded: no resource exists there.
  if (error instanceof URIError) return new ApiError("not_found", {}, { cause: error });
  return new ApiError("internal_error", {}, { cause: error });
}

function headersOf(code: ErrorCode, additions: ErrorAdditions): Record<string, string> {
  const seconds =
    additions.retry_after_seconds ?? (code === "service_unavailable" ? unavailableRetrySeconds : undefined);
  return seconds === undefined ? {} : { "Retry-After": String(seconds) };
}
