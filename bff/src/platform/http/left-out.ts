import * as z from "zod/v4/core";
import type { Endpoint } from "../../contract/endpoint.ts";

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
export function unwrapped(schema: z.$ZodType): z.$ZodType {
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

/** The names that an object's schema knows; none for any other schema. */
export function fieldNames(schema: z.$ZodType | undefined): string[] {
  const def = schema === undefined ? null : unwrapped(schema)._zod.def;
  return def?.type === "object" ? Object.keys((def as z.$ZodObjectDef).shape) : [];
}
