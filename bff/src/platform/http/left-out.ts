import * as z from "zod/v4/core";
import type { Endpoint } from "../../contract/endpoint.ts";
import type { FieldIssue } from "../../contract/errors.ts";

/**
 * Removes optional fields that are `null`, because many languages send omitted fields like that. Fields whose schema
 * accepts `null` stay.
 */
export function withoutNulls(schema: z.$ZodType, value: unknown): unknown {
  const { def } = unwrapped(schema)._zod;
  if (def.type === "array" && Array.isArray(value)) {
    const { element } = def as z.$ZodArrayDef;
    return value.map((item) => withoutNulls(element, item));
  }
  if (def.type !== "object" || typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const { shape } = def as z.$ZodObjectDef;
  const kept: Record<string, unknown> = {};
  for (const [name, child] of Object.entries(value)) {
    const field = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (field === undefined) kept[name] = child;
    else if (child !== null || !isLeftOut(field)) kept[name] = withoutNulls(field, child);
  }
  return kept;
}

function isLeftOut(field: z.$ZodType): boolean {
  return field._zod.optin === "optional" && !z.safeParse(field, null).success;
}

/** The inner schema of an optional field or a transformation. */
function unwrapped(schema: z.$ZodType): z.$ZodType {
  const { def } = schema._zod;
  if ("innerType" in def) return unwrapped((def as z.$ZodOptionalDef).innerType);
  return def.type === "pipe" ? unwrapped((def as z.$ZodPipeDef).in) : schema;
}

/** The names of fields of an endpoint's body that were sent in the query. */
export function misplacedFields({ misplaced, body, query: schema }: Endpoint, query: unknown): string[] {
  const names = misplaced === undefined ? fieldNames(body) : [misplaced.field];
  const known = fieldNames(schema);
  const sent = typeof query === "object" && query !== null ? query : {};
  return names.filter((name) => Object.hasOwn(sent, name) && !known.includes(name));
}

function fieldNames(schema: z.$ZodType | undefined): string[] {
  const def = schema === undefined ? null : unwrapped(schema)._zod.def;
  return def?.type === "object" ? Object.keys((def as z.$ZodObjectDef).shape) : [];
}

/** Unknown fields of a body that are one edit away from a known one, at any depth. */
export function misspelledFields(schema: z.$ZodType, value: unknown, path: readonly string[] = []): FieldIssue[] {
  const { def } = unwrapped(schema)._zod;
  if (def.type === "array" && Array.isArray(value)) {
    const { element } = def as z.$ZodArrayDef;
    return value.flatMap((item, index) => misspelledFields(element, item, [...path, String(index)]));
  }
  if (def.type !== "object" || typeof value !== "object" || value === null || Array.isArray(value)) return [];
  const { shape } = def as z.$ZodObjectDef;
  return Object.entries(value).flatMap(([name, child]): FieldIssue[] => {
    const field = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (field !== undefined) return misspelledFields(field, child, [...path, name]);
    const meant = Object.keys(shape).find((known) => isOneEditAway(name, known));
    if (meant === undefined) return [];
    return [{ path: [...path, name].join("."), message: `is not a field of this request. Did you mean "${meant}"?` }];
  });
}

/** Whether one letter was added, omitted or replaced, or two adjacent letters were swapped. */
function isOneEditAway(name: string, known: string): boolean {
  if (Math.abs(name.length - known.length) > 1) return false;
  let same = 0;
  while (same < name.length && name[same] === known[same]) same += 1;
  const [typed, meant] = [name.slice(same), known.slice(same)];
  const isSwapped = typed[0] === meant[1] && typed[1] === meant[0] && typed.slice(2) === meant.slice(2);
  return isSwapped || typed.slice(1) === meant || typed === meant.slice(1) || typed.slice(1) === meant.slice(1);
}
