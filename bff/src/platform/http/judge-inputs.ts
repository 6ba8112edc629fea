import type * as z from "zod/mini";
import type { Endpoint } from "../../contract/endpoint.ts";
import type { FieldIssue } from "../../contract/errors.ts";
import { holdsCardNumber } from "../../contract/vocabulary/card-number.ts";
import { readPhone } from "../../contract/vocabulary/phone.ts";
import { ApiError } from "./api-error.ts";

/**
 * Checks query and body against the endpoint's schemas, after refusing a body that holds a card number in the clear.
 * Throws one 422 with the issues of both.
 */
export function judgeInputs(
  endpoint: Endpoint,
  given: { readonly query: unknown; readonly body: unknown },
): { query: unknown; body: unknown } {
  if (endpoint.caller === "widget") refuseCardInTheClear(given.body);
  const issues: FieldIssue[] = [];
  const query = readInput(endpoint.query, given.query, issues);
  const body = readInput(endpoint.body, given.body, issues);
  if (issues.length > 0) throw new ApiError("validation_error", { errors: issues.slice(0, ISSUES_MAX) });
  return { query, body };
}

/** The most issues that one answer lists. */
const ISSUES_MAX = 50;

function readInput(schema: z.ZodMiniType | undefined, input: unknown, issues: FieldIssue[]): unknown {
  if (schema === undefined) return undefined;
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  for (const issue of result.error.issues) issues.push(...fieldIssuesOf(issue));
  return undefined;
}

function fieldIssuesOf(issue: z.core.$ZodIssue): FieldIssue[] {
  const pathTo = (...names: string[]) => [...issue.path.map(String), ...names].join(".");
  if (issue.code !== "unrecognized_keys") return [{ path: pathTo(), message: issue.message }];
  return issue.keys.map((name) => ({ path: pathTo(name), message: "is not a field of this request" }));
}

/** Values that may contain card-like digits by chance: UUIDs, hashes, compact JWE. */
const SAFE_SHAPES = /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{64}|[\w-]+(?:\.[\w-]+){4})$/i;

/** Throws 422 if any value or name in the body is very probably a card number in the clear. */
function refuseCardInTheClear(body: unknown): void {
  const pending: unknown[] = [body];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value === "string" || typeof value === "number") {
      const text = String(value);
      if (!SAFE_SHAPES.test(text) && holdsCardNumber(text)) throw new ApiError("raw_card_refused");
    } else if (typeof value === "object" && value !== null) {
      for (const [name, child] of Object.entries(value)) {
        pending.push(name);
        if (name !== "phone_number" || !isTooShortForACard(child)) pending.push(child);
      }
    }
  }
}

/** Cards issued today have at least 14 digits; 13 digits are no longer issued. */
const TELEPHONE_DIGITS_MAX = 13;

/**
 * Whether it is a telephone number too short to be a card number. A foreign mobile number has up to 13 digits with its
 * country code, and may by chance have a card's prefix and pass the Luhn check.
 */
function isTooShortForACard(typed: unknown): boolean {
  const phone = typeof typed === "string" ? readPhone(typed) : null;
  return phone !== null && phone.length <= "+".length + TELEPHONE_DIGITS_MAX;
}
