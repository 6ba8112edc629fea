import { expect, it } from "vitest";
import { commonErrors } from "../contract/endpoint.ts";
import { type ErrorCode, errorCodes, isErrorCode } from "../contract/errors.ts";
import { documentedEndpoints } from "./endpoint-groups.ts";

const codes = Object.keys(errorCodes).filter(isErrorCode);

/**
 * The audience of a code, according to its endpoints. `not_found` and codes without an endpoint can occur at every
 * address.
 */
function audienceOf(code: ErrorCode): "partner" | "patient" | "both" {
  const callers = new Set(
    documentedEndpoints()
      .filter(([, endpoint]) => [...endpoint.errors, ...commonErrors(endpoint)].includes(code))
      .map(([, endpoint]) => endpoint.caller),
  );
  // Only partners call by a wrong method.
  if (code === "method_not_allowed") return "partner";
  if (code === "not_found" || callers.size !== 1) return "both";
  return callers.has("widget") ? "patient" : "partner";
}

it.each(codes)("%s is for the audience of the endpoints that answer it", (code) => {
  expect(errorCodes[code].audience).toBe(audienceOf(code));
});

it.each(codes)("the answer %s is not stored for repeats, because a repeat may have another outcome", (code) => {
  const { status, kept } = errorCodes[code];
  if (status >= 500 || status === 429) expect(kept).toBe(false);
});
