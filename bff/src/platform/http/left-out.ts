import * as z from "zod/v4/core";

/**
 * Removes optional fields that are `null`, as many languages send an omitted field. Fields whose schema accepts `null`
 * stay.
 */
export function withoutNulls(schema: z.$ZodType, value: unknown): unknown {
  const { def } = unwrapped(schema)._zod;
  if (def.type === "array" && Array.isArray(value)) {
    const { element } = def as z.$ZodArrayDef;
    return value.map((item) => withoutNulls(element, item));
  }
  if (def.type !== "object" || typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const { shape } = def as z.$ZodObjectDef;
  const kept = Object.entries(value).flatMap(([name, child]): [string, unknown][] => {
    const field = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (field === undefined) return [[name, child]];
    return child === null && isLeftOut(field) ? [] : [[name, withoutNulls(field, child)]];
  });
  return Object.fromEntries(kept);
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

/**
 * The names of parameters that a query's schema does not have. A credential that an endpoint does not need is ignored.
 */
export function unknownParameters(schema: z.$ZodType | undefined, query: unknown): string[] {
  const known: object = schema === undefined ? {} : (schema._zod.def as z.$ZodObjectDef).shape;
  return typeof query === "object" && query !== null
    ? Object.keys(query).filter((name) => name !== "public_key" && !Object.hasOwn(known, name))
    : [];
}
