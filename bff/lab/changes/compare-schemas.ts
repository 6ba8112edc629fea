import {
  allUnclassified,
  compareJsonSchema,
  type Diff,
  jsonSchemaRules,
  requiredMappingResolver,
} from "api-smart-diff";
import { canonical, type Schema } from "./interface.ts";

/** The reader of the schema: partners read our answers, and we read their requests. */
export type Side = "sent" | "taken";

export interface SchemaDifference {
  readonly breaks: boolean;
  /** The difference, such as "`customer.email`: `maxLength` 255 → 100". */
  readonly what: string;
  /** The names by which the changelog may refer to it. */
  readonly names: readonly string[];
}

/** Whether partners were warned that a list of values may grow. */
export type IsOpen = (values: readonly unknown[], field: string) => boolean;

/**
 * The effect of a change on the set of possible values. More values break an answer's promise, fewer break a request's.
 * `other` breaks both, and `none` neither.
 */
type Effect = "narrower" | "wider" | "other" | "none";

/** The library's own rule for `required` looks for the field, and warns on the console if the field is gone too. */
const required = { mapping: requiredMappingResolver, "/*": { $: allUnclassified } };
const rules = jsonSchemaRules({ version: "2020-12", notMergeAllOf: true, baseRules: { "/required": required } });

/**
 * The differences between two schemas without references. `api-smart-diff` finds them, and matches the alternatives of
 * a schema. This file decides whether they break: the library's verdicts are for requests, and partly wrong even there
 * (`not`, a removed list of values, a removed field). An unknown difference counts as breaking.
 */
export function compareSchemas(
  before: Schema,
  after: Schema,
  side: Side,
  isOpen: IsOpen = () => false,
): SchemaDifference[] {
  if (sameThing(before, after)) return [];
  const { diffs } = compareJsonSchema(before, after, {
    rules,
    // The library lets its caller describe a difference while both sides are available. This description is ours.
    annotateHook: (diff, context) => effectOf(diff, context.before.parent, context.after.parent, isOpen),
  });
  if (diffs.length === 0) return [{ breaks: true, what: "changed in a way that is not told apart", names: [] }];
  return withoutEchoes(diffs, side).map((diff) => ({
    breaks: breaks(diff.description, side),
    what: wordsFor(diff),
    names: namesOf(diff),
  }));
}

function sameThing(a: Schema, b: Schema): boolean {
  return JSON.stringify(canonical(a)) === JSON.stringify(canonical(b));
}

function breaks(effect: string | undefined, side: Side): boolean {
  if (effect === "none") return false;
  return !((effect === "narrower" && side === "sent") || (effect === "wider" && side === "taken"));
}

/** The place of a difference in a schema, and its kind. */
interface Spot {
  /** The field, such as `refunds[].amount`; empty for the whole schema. */
  readonly field: string;
  /** The keyword that differs, or the item within a keyword: a field, a value of a list, one of several forms. */
  readonly keyword: string;
  /** The keyword holds several values, and one of them differs. */
  readonly isOfSeveral: boolean;
  /** Inside `not`, more values mean fewer, so the effect is not decided here. */
  readonly isTurned: boolean;
}

const severals: ReadonlySet<string> = new Set(["enum", "required", "anyOf", "oneOf", "prefixItems", "properties"]);

function spotOf({ path }: Pick<Diff, "path">): Spot {
  let field = "";
  let isTurned = false;
  const keys = path.map(String);
  for (let at = 0; at < keys.length; at += 1) {
    const keyword = keys[at] ?? "";
    const next = keys[at + 1];
    const isLast = at === keys.length - 1;
    if (severals.has(keyword) && next !== undefined) {
      if (keyword === "properties") field = field === "" ? next : `${field}.${next}`;
      if (keyword === "prefixItems") field = `${field}[${next}]`;
      at += 1;
      if (at === keys.length - 1) return { field, keyword, isOfSeveral: true, isTurned };
    } else if (isLast) return { field, keyword, isOfSeveral: false, isTurned };
    else if (keyword === "items") field = `${field}[]`;
    else if (keyword === "additionalProperties") field = `${field}.*`;
    else if (keyword === "propertyNames") field = `${field} (its keys)`;
    else isTurned = true;
  }
  return { field, keyword: "", isOfSeveral: false, isTurned };
}

/** The direction in which each optional or numeric keyword narrows the possible values. */
const keywordEffects: Readonly<Record<string, (before: unknown, after: unknown) => Effect>> = {
  maximum: upperBound,
  exclusiveMaximum: upperBound,
  maxLength: upperBound,
  maxItems: upperBound,
  maxProperties: upperBound,
  minimum: lowerBound,
  exclusiveMinimum: lowerBound,
  minLength: lowerBound,
  minItems: lowerBound,
  minProperties: lowerBound,
  pattern: thereOrNot,
  format: thereOrNot,
  multipleOf: thereOrNot,
  contentMediaType: thereOrNot,
  contentEncoding: thereOrNot,
  propertyNames: keysOrNot,
  items: thereOrNot,
  additionalProperties: others,
  type: types,
  deprecated: () => "none",
  // An omitted keyword keeps its meaning if it was omitted before.
  default: (before) => (before === undefined ? "none" : "other"),
};

function upperBound(before: unknown, after: unknown): Effect {
  if (typeof before !== "number" || typeof after !== "number") return thereOrNot(before, after);
  return after < before ? "narrower" : "wider";
}

function lowerBound(before: unknown, after: unknown): Effect {
  return typeof before === "number" && typeof after === "number"
    ? upperBound(after, before)
    : thereOrNot(before, after);
}

/** Keys of an object are always text, so declaring this limits nothing. */
function keysOrNot(before: unknown, after: unknown): Effect {
  const limits = (names: unknown) => (JSON.stringify(names) === '{"type":"string"}' ? undefined : names);
  return limits(before) === limits(after) ? "none" : thereOrNot(limits(before), limits(after));
}

function thereOrNot(before: unknown, after: unknown): Effect {
  if (before === undefined) return "narrower";
  return after === undefined ? "wider" : "other";
}

/** Without the keyword, other fields are allowed; `false` allows none. */
function others(before: unknown = true, after: unknown = true): Effect {
  if (after === false || before === true) return "narrower";
  return before === false || after === true ? "wider" : "other";
}

function types(before: unknown, after: unknown): Effect {
  if (before === undefined || after === undefined) return thereOrNot(before, after);
  const were = [before].flat();
  const are = [after].flat();
  const holds = (all: readonly unknown[], one: unknown) =>
    all.includes(one) || (one === "integer" && all.includes("number"));
  if (are.every((one) => holds(were, one))) return "narrower";
  return were.every((one) => holds(are, one)) ? "wider" : "other";
}

function effectOf(diff: Diff, parentBefore: unknown, parentAfter: unknown, isOpen: IsOpen): Effect {
  const { field, keyword, isOfSeveral, isTurned } = spotOf(diff);
  if (isTurned) return "other";
  if (keyword === "items" && isFull(parentBefore) && isFull(parentAfter)) return "none";
  if (!isOfSeveral) return keywordEffects[keyword]?.(diff.before, diff.after) ?? "other";
  const { action } = diff;
  if (keyword === "properties") return action === "add" ? "none" : "other";
  if (action !== "add" && action !== "remove") return "other";
  if (keyword === "required") return action === "add" ? "narrower" : "wider";
  if (keyword === "anyOf" || keyword === "oneOf") {
    if (action === "add") return "wider";
    // A removed form is a removed field, unless the removed form is null.
    return isNullForm(diff.before) ? "narrower" : "other";
  }
  if (keyword !== "enum") return "other";
  // A new list narrows an unrestricted value to its members; a removed one widens it.
  if (!hasValues(parentBefore)) return "narrower";
  if (!hasValues(parentAfter)) return "wider";
  if (action === "remove") return isOpen(parentBefore, field) ? "other" : "narrower";
  return isOpen(parentBefore, field) ? "none" : "wider";
}

/** Whether a list holds no item beyond those that `prefixItems` describes, so that `items` describes none. */
function isFull(schema: unknown): boolean {
  if (typeof schema !== "object" || schema === null || !("maxItems" in schema) || !("prefixItems" in schema))
    return false;
  const { maxItems, prefixItems } = schema;
  return typeof maxItems === "number" && Array.isArray(prefixItems) && maxItems <= prefixItems.length;
}

function isNullForm(form: unknown): boolean {
  return typeof form === "object" && form !== null && "type" in form && form.type === "null";
}

function hasValues(list: unknown): list is readonly unknown[] {
  return Array.isArray(list) && list.length > 0;
}

/**
 * A new or removed field also enters or leaves the list of required ones. Report it only if it adds information: a new
 * required field differs from a new optional one.
 */
function withoutEchoes(diffs: readonly Diff[], side: Side): Diff[] {
  const reported = new Set(
    diffs
      .filter(({ action }) => action === "remove" || (action === "add" && side === "sent"))
      .filter((diff) => spotOf(diff).keyword === "properties")
      .map(({ action, path }) => [action, ...path].join("\n")),
  );
  const asField = ({ action, path, before, after }: Diff) =>
    [action, ...path.slice(0, -2), "properties", String(before ?? after)].join("\n");
  return diffs.filter((diff) => spotOf(diff).keyword !== "required" || !reported.has(asField(diff)));
}

function wordsFor(diff: Diff): string {
  const { field, keyword, isOfSeveral } = spotOf(diff);
  const before: unknown = diff.before;
  const after: unknown = diff.after;
  const value = short(before ?? after);
  const isNew = diff.action === "add";
  if (!isOfSeveral) return `${called(field)}${keywordWords(keyword, before, after)}`;
  switch (keyword) {
    case "properties":
      return `${called(field)}${isNew ? "a new field" : diff.action === "remove" ? "gone" : "another schema"}`;
    case "required": {
      const name = String(before ?? after);
      return `${called(field === "" ? name : `${field}.${name}`)}${isNew ? "required" : "no longer required"}`;
    }
    case "enum":
      if (diff.action === "replace") return `${called(field)}${short(before)} → ${short(after)}`;
      if (isNew && diff.description === "narrower") return `${called(field)}one of a list of values`;
      if (!isNew && diff.description === "wider") return `${called(field)}no longer one of a list of values`;
      return `${called(field)}${isNew ? `may be ${value}` : `${value} is gone`}`;
    case "anyOf":
    case "oneOf":
      return `${called(field)}${isNew ? "may also be" : "is never"} ${formWords(before ?? after)}`;
    default:
      return `${called(field)}${short(before)} → ${short(after)}`;
  }
}

function keywordWords(keyword: string, before: unknown, after: unknown): string {
  if (keyword === "type") return `${typeWords(before)} → ${typeWords(after)}`;
  if (keyword === "") return "put together in another way";
  if (before === undefined) return `\`${keyword}\` ${short(after)} is new`;
  return after === undefined
    ? `\`${keyword}\` ${short(before)} is gone`
    : `\`${keyword}\` ${short(before)} → ${short(after)}`;
}

function typeWords(type: unknown): string {
  return type === undefined ? "anything" : [type].flat().join(" or ");
}

function formWords(form: unknown): string {
  if (isNullForm(form)) return "null";
  const type: unknown = typeof form === "object" && form !== null && "type" in form ? form.type : undefined;
  return type === "object" || type === undefined ? "one of its forms" : typeWords(type);
}

/** The last two parts of a field's path, so that the same field of the same object has the same name everywhere. */
function called(field: string): string {
  return field === "" ? "" : `\`${field.split(".").slice(-2).join(".")}\`: `;
}

const VALUE_LENGTH_MAX = 60;

function short(value: unknown): string {
  const text = typeof value === "string" ? value : String(JSON.stringify(value));
  return `\`${text.length > VALUE_LENGTH_MAX ? `${text.slice(0, VALUE_LENGTH_MAX)}…` : text}\``;
}

/** The values first, the field last. */
function namesOf(diff: Diff): string[] {
  const { field, keyword } = spotOf(diff);
  const sides: unknown[] = [diff.after, diff.before];
  const values = sides.filter((value) => typeof value === "string" || typeof value === "number").map(String);
  if (keyword === "required") return values;
  const last =
    field
      .split(".")
      .at(-1)
      ?.replaceAll(/\[\d*\]| \(its keys\)/g, "") ?? "";
  return [...(keyword === "enum" ? values : []), last].filter((name) => name !== "" && name !== "*");
}
