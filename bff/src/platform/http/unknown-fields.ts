import type * as z from "zod/v4/core";
import type { FieldIssue } from "../../contract/errors.ts";
import { fieldNames, unwrapped } from "./left-out.ts";

/*
 * Unknown names in a caller's input. By mistake such a name may be a password, a serial or a patient's name, and a
 * refusal reaches the caller's logs. Only a name that resembles a known field is repeated.
 */

type Path = readonly PropertyKey[];

/** The maximum number of names of one object that are compared with the known ones. The others are counted. */
export const COMPARED_MAX = 50;

/** The issues of a refused input. Of unknown fields, those that resemble no known field are counted. */
export function fieldIssues(schema: z.$ZodType, issues: readonly z.$ZodIssue[]): FieldIssue[] {
  return issues.flatMap((issue) =>
    issue.code === "unrecognized_keys"
      ? unknownFieldIssues(fieldNames(schemaAt(schema, issue.path)), issue)
      : [{ path: joined(issue.path), message: issue.message }],
  );
}

function unknownFieldIssues(known: readonly string[], { path, keys }: { path: Path; keys: readonly string[] }) {
  const similar = keys.slice(0, COMPARED_MAX).flatMap((name) => misspelling(known, path, name));
  const others = keys.length - similar.length;
  if (others === 0) return similar;
  const message = `has unknown fields (${others}); allowed: ${known.join(", ") || "none"}`;
  return [...similar, { path: joined(path), message }];
}

/** Unknown fields of a body that resemble a known one, at any depth. */
export function misspelledFields(schema: z.$ZodType, value: unknown, path: Path = []): FieldIssue[] {
  if (typeof value !== "object" || value === null) return [];
  const known = fieldNames(schema);
  return Object.entries(value).flatMap(([name, child]) => {
    const field = fieldOf(schema, name);
    return field === undefined ? misspelling(known, path, name) : misspelledFields(field, child, [...path, name]);
  });
}

function misspelling(known: readonly string[], path: Path, name: string): FieldIssue[] {
  const meant = known.find((one) => resembles(name, one));
  if (meant === undefined) return [];
  return [{ path: joined([...path, name]), message: `is not a field of this request. Did you mean "${meant}"?` }];
}

/** A path as far as the schema knows it. */
export function knownPath(schema: z.$ZodType | undefined, path: readonly string[]): string {
  const end = path.findIndex((_, index) => schemaAt(schema, path.slice(0, index + 1)) === undefined);
  return joined(end < 0 ? path : path.slice(0, end));
}

function schemaAt(schema: z.$ZodType | undefined, path: Path): z.$ZodType | undefined {
  return path.reduce<z.$ZodType | undefined>((outer, name) => outer && fieldOf(outer, name), schema);
}

/** The schema of an object's field or a list's items. */
function fieldOf(schema: z.$ZodType, name: PropertyKey): z.$ZodType | undefined {
  const { def } = unwrapped(schema)._zod;
  if (def.type === "array") return (def as z.$ZodArrayDef).element;
  const { shape = {} } = def as Partial<z.$ZodObjectDef>;
  return Object.hasOwn(shape, name) ? shape[String(name)] : undefined;
}

function joined(path: Path): string {
  return path.map(String).join(".");
}

/** A known name has at most this many characters more or fewer, separators included. */
const LENGTH_DIFFERENCE_MAX = 5;

/**
 * Whether one letter was added, omitted or replaced, or two adjacent letters were swapped. Capitals, dashes and
 * underscores do not count.
 */
function resembles(name: string, known: string): boolean {
  if (Math.abs(name.length - known.length) > LENGTH_DIFFERENCE_MAX) return false;
  return isOneEditAway(plain(name), plain(known));
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, "");
}

function isOneEditAway(name: string, known: string): boolean {
  if (Math.abs(name.length - known.length) > 1) return false;
  let same = 0;
  while (same < name.length && name[same] === known[same]) same += 1;
  const [typed, meant] = [name.slice(same), known.slice(same)];
  const isSwapped = typed[0] === meant[1] && typed[1] === meant[0] && typed.slice(2) === meant.slice(2);
  return isSwapped || typed.slice(1) === meant || typed === meant.slice(1) || typed.slice(1) === meant.slice(1);
}
