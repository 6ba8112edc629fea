import type * as z from "zod/mini";
import type { Endpoint } from "../../contract/endpoint.ts";
import type { FieldIssue } from "../../contract/errors.ts";
import { holdsCardNumber, namesCardNumber } from "../../contract/vocabulary/card-number.ts";
import { readPhone } from "../../contract/vocabulary/phone.ts";
import { ApiError } from "./api-error.ts";
import { issueWords } from "./issue-words.ts";
import { misplacedFields, withoutNulls } from "./left-out.ts";
import { fieldIssues, knownPath } from "./unknown-fields.ts";

/**
 * Checks query and body against the endpoint's schemas, after refusing a body that holds a card number in the clear. A
 * page gets a separate code for that, and a partner the name of the field. Unknown query parameters are ignored,
 * because proxies add some. A field of the body in the query is refused, because the caller meant to send it. Throws
 * one 422 with the issues of both.
 */
export function validateInputs(
  endpoint: Endpoint,
  given: { readonly query: unknown; readonly body: unknown },
): { query: unknown; body: unknown } {
  const cardAt = endpoint.masksCardNumbers === true ? null : cardInTheClear(given.body);
  if (cardAt !== null && endpoint.caller === "widget") throw new ApiError("raw_card_refused");
  const issues: FieldIssue[] = [];
  if (cardAt !== null) issues.push({ path: knownPath(endpoint.body, cardAt), message: "must not hold a card number" });
  const query = readInput(endpoint.query, given.query, issues);
  for (const path of misplacedFields(endpoint, given.query)) {
    if (endpoint.misplaced !== undefined)
      throw new ApiError(endpoint.misplaced.code, {}, { detail: `${path}: ${MISPLACED_MESSAGE}.` });
    issues.push({ path, message: MISPLACED_MESSAGE });
  }
  const body = readInput(endpoint.body, endpoint.body && withoutNulls(endpoint.body, given.body), issues);
  if (issues.length > 0) throw new ApiError("validation_error", { errors: issues.slice(0, ISSUES_MAX) });
  return { query, body };
}

const MISPLACED_MESSAGE = "belongs in the body of this request, not in its query";
/** The maximum number of issues that one answer lists. */
export const ISSUES_MAX = 50;

function readInput(schema: z.ZodMiniType | undefined, input: unknown, issues: FieldIssue[]): unknown {
  if (schema === undefined) return undefined;
  const result = schema.safeParse(input, { error: issueWords });
  if (result.success) return result.data;
  issues.push(...fieldIssues(schema, result.error.issues));
  return undefined;
}

/** Identifiers of the partner or of a bank, and addresses. Patients did not type their digits. */
const IDENTIFIERS: ReadonlySet<string> = new Set(["reference", "refund_reference", "url", "urls", "logo_url"]);
/** A bank account has up to 20 digits, which may look like a card number by chance. */
const ACCOUNT_NUMBER = "account_number";

/** The path of a very probable card number in the body, or of the object that has it as a name; `null` if none. */
function cardInTheClear(value: unknown, field = ""): readonly string[] | null {
  if (typeof value === "string" || typeof value === "number") return isCardInField(field, value) ? [] : null;
  if (typeof value !== "object" || value === null) return null;
  const isList = Array.isArray(value);
  for (const [name, child] of Object.entries(value)) {
    if (!isList && holdsCardNumber(name)) return [];
    const found = cardInTheClear(child, isList ? field : name);
    if (found !== null) return [name, ...found];
  }
  return null;
}

function isCardInField(field: string, value: string | number): boolean {
  const isCard = IDENTIFIERS.has(field) ? namesCardNumber(String(value)) : holdsCardNumber(String(value));
  return isCard && field !== ACCOUNT_NUMBER && !(field === "phone_number" && isTooShortForACard(value));
}

/** Cards issued today have at least 14 digits; 13 digits are no longer issued. */
const TELEPHONE_DIGITS_MAX = 13;

/**
 * Whether it is a telephone number that is too short for a card number. A foreign mobile number has up to 13 digits
 * with its country code, and may by chance have a card's prefix and pass the Luhn check.
 */
function isTooShortForACard(typed: unknown): boolean {
  const phone = typeof typed === "string" ? readPhone(typed) : null;
  return phone !== null && phone.length <= "+".length + TELEPHONE_DIGITS_MAX;
}
