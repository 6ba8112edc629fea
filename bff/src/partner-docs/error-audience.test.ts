import { expect, it } from "vitest";
import { commonErrors } from "../contract/endpoint.ts";
import { type ErrorCode, errorCodes, isErrorCode } from "../contract/errors.ts";
import { documentedEndpoints } from "./endpoint-groups.ts";

const codes = Object.keys(errorCodes).filter(isErrorCode);

/**
 * Whose endpoints answer a code; `not_found` and a code without an endpoint can occur at every address. Only partners
 * call by a wrong method.
 */
function audienceOf(code: ErrorCode): "partner" | "patient" | "both" {
  const callers = new Set(
    documentedEndpoints()
      .filter(([, endpoint]) => [...endpoint.errors, ...commonErrors(endpoint)].includes(code))
      .map(([, endpoint]) => endpoint.caller),
  );
  if (code === "method_not_allowed") return "partner";
  if (code === "not_found" || callers.size !== 1) return "both";
  return callers.has("widget") ? "patient" : "partner";
}

it.each(codes)("%s is for those whose endpoints answer it", (code) => {
  expect(errorCodes[code].audience).toBe(audienceOf(code));
});

it.each(codes)("%s is not kept where it may come out differently next time", (code) => {
  const { status, kept } = errorCodes[code];
  if (status >= 500 || status === 429) expect(kept).toBe(false);
});
