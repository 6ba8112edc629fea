import type * as z from "zod/mini";

type Issue = z.core.$ZodRawIssue;

/**
 * The words for a refused value, for developers: what it must be. Schemas with their own words, such as those of a RUT,
 * keep them.
 */
export function issueWords(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined ? "is missing" : `must be ${nounOf(issue.expected)}`;
    case "invalid_value":
      return `must be ${issue.values.length === 1 ? "" : "one of "}${issue.values.map((one) => JSON.stringify(one)).join(", ")}`;
    case "too_small":
      return limitWords("at least", issue.origin, issue.minimum, issue.inclusive === false);
    case "too_big":
      return limitWords("at most", issue.origin, issue.maximum, issue.inclusive === false);
    case "invalid_format":
      return formatWords(issue);
    case "not_multiple_of":
      return `must be a multiple of ${issue.divisor}`;
    case "invalid_union":
      return unionWords(issue.errors);
    default:
      return "is not valid: the reference lists its possible values";
  }
}

const NOUNS: Readonly<Record<string, string>> = {
  string: "a text",
  int: "a whole number",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};

function nounOf(expected: string): string {
  return NOUNS[expected] ?? expected;
}

const UNITS: Readonly<Record<string, string>> = { string: "characters", array: "items" };

function limitWords(
  bound: "at least" | "at most",
  origin: string,
  limit: number | bigint,
  isExclusive: boolean,
): string {
  const { [origin]: unit } = UNITS;
  if (unit !== undefined)
    return limit === 1 && bound === "at least" ? "must not be empty" : `must have ${bound} ${limit} ${unit}`;
  if (isExclusive) return `must be ${bound === "at least" ? "greater" : "less"} than ${limit}`;
  return `must be ${bound} ${limit}`;
}

const FORMATS: Readonly<Record<string, string>> = {
  uuid: "a UUID",
  url: "an address (URL)",
  email: "an e-mail address",
  datetime: "a time such as 2026-01-31T12:00:00Z",
  date: "a day such as 2026-01-31",
};

function formatWords({ format, pattern }: Extract<Issue, { readonly code: "invalid_format" }>): string {
  const { [format]: noun } = FORMATS;
  if (noun !== undefined) return `must be ${noun}`;
  return typeof pattern === "string" ? `must match ${pattern}` : `must have the format ${format}`;
}

/** What each alternative requires. The one of the value's own type explains the refusal best. */
function unionWords(alternatives: readonly (readonly z.core.$ZodIssue[])[]): string {
  const firsts = alternatives.flatMap(([first]) => (first === undefined ? [] : [first]));
  const ofItsType = firsts.filter(({ code, path }) => code !== "invalid_type" || path.length > 0);
  const words = (ofItsType.length > 0 ? ofItsType : firsts).map(({ message }) => message);
  return [...new Set(words)].join(", or ") || "is not valid";
}
