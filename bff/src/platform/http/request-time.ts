import { ApiError } from "./api-error.ts";

/**
 * A time (ISO 8601, UTC) in a field of a request. Throws 422 `validation_error` for the year 0, which the database does
 * not have.
 */
export function requestTime(path: string, text: string): Date {
  if (text.startsWith("0000"))
    throw new ApiError("validation_error", { errors: [{ path, message: "must be after the year 0" }] });
  return new Date(text);
}
