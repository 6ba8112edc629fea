import { ApiError } from "./api-error.ts";

/** The 422 for a page of a list whose `after` does not exist. */
export function unknownPlace(): ApiError {
  return new ApiError("validation_error", { errors: [{ path: "after", message: "is not in this list" }] });
}
