import fc from "fast-check";
import { isSchema, type JsonSchema } from "../../src/partner-docs/openapi-document.ts";

/** Schemas of a document by their reference names. */
export type NamedSchemas = Readonly<Record<string, JsonSchema>>;

/** Values that usually satisfy a schema of the document. Not every pattern can be generated exactly. */
export function valuesOf(schema: JsonSchema, named: NamedSchemas, depth = 0): fc.Arbitrary<unknown> {
  if (depth > 6) return fc.constant(null);
  const inner = (child: JsonSchema) => valuesOf(child, named, depth + 1);
  if (typeof schema.$ref === "string") {
    const target = named[schema.$ref.split("/").at(-1) ?? ""];
    return target === undefined ? fc.jsonValue() : inner(target);
  }
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum);
  const choices = (schema.anyOf ?? schema.oneOf)?.filter(isSchema);
  if (choices !== undefined && choices.length > 0) return fc.oneof(...choices.map(inner));
  const all = schema.allOf?.filter(isSchema);
  if (all !== undefined && all.length > 0)
    return fc.tuple(...all.map(inner)).map((parts) => Object.assign({}, ...parts.map(asObject)));
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  return fc.oneof(...types.map((type) => valuesOfType(type, schema, inner)));
}

function asObject(value: unknown): object {
  return typeof value === "object" && value !== null ? value : {};
}

function valuesOfType(
  type: unknown,
  schema: JsonSchema,
  inner: (child: JsonSchema) => fc.Arbitrary<unknown>,
): fc.Arbitrary<unknown> {
  switch (type) {
    case "string":
      return textOf(schema);
    case "integer":
      return fc.integer({
        min: schema.minimum ?? -1_000,
        max: Math.min(schema.maximum ?? 2_000_000_000, 2_147_483_647),
      });
    case "number":
      return fc.double({ min: schema.minimum ?? -1_000, max: schema.maximum ?? 1_000_000, noNaN: true });
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array":
      return fc.array(isSchema(schema.items) ? inner(schema.items) : fc.jsonValue(), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? 3, (schema.minItems ?? 0) + 3),
      });
    case "object":
      return objectOf(schema, inner);
    default:
      return fc.jsonValue();
  }
}

function objectOf(schema: JsonSchema, inner: (child: JsonSchema) => fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const properties = Object.entries(schema.properties ?? {}).filter((entry): entry is [string, JsonSchema] =>
    isSchema(entry[1]),
  );
  const model = Object.fromEntries(properties.map(([name, child]) => [name, inner(child)]));
  const requiredKeys = (schema.required ?? []).filter((name) => name in model);
  return fc.record(model, { requiredKeys });
}

const PLAUSIBLE_TEXTS = [
  "40100000-3",
  "12.345.678-5",
  "paciente@example.com",
  "+56912345678",
  "123.456.789",
  "Camila",
  "O'Ryan Díaz",
  "https://clinic.example.com/hook",
] as const;

function textOf({ format, pattern, minLength = 0, maxLength = 64 }: JsonSchema): fc.Arbitrary<string> {
  if (format === "uuid") return fc.uuid({ version: 4 });
  if (format === "idn-email")
    return fc.constantFrom("paciente@example.com", "otra@example.org", "ñandú@example.cl", "a@ñandú.cl");
  if (format === "uri" || format === "url") return fc.webUrl();
  if (format === "date-time") return fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
  const plausible = fc.constantFrom(...PLAUSIBLE_TEXTS);
  const any = fc.string({ minLength, maxLength: Math.min(maxLength, minLength + 40), unit: "grapheme" });
  if (pattern === undefined) return fc.oneof(plausible, any);
  try {
    return fc.oneof(plausible, fc.stringMatching(new RegExp(pattern)));
  } catch {
    return fc.oneof(plausible, any);
  }
}

/** Values that often expose bugs. */
export const hostileValues: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    -0.5,
    1e308,
    9_007_199_254_740_992,
    "",
    " ",
    "\u0000",
    "\ud800",
    "\u202e",
    "'; drop table orders; --",
    "{{7*7}}",
    "../../../../etc/passwd",
    "<script>alert(1)</script>",
    "4051885600446623",
    [],
    {},
    [[[[]]]],
    { __proto__: null, constructor: { prototype: {} } },
    "A".repeat(5_000),
    Number.MAX_SAFE_INTEGER,
  ),
  fc.jsonValue(),
  fc.string({ unit: "binary", maxLength: 50 }),
);

/** A value with one defect: a field removed, added, duplicated in a list, or made hostile. */
export function nearly(value: unknown): fc.Arbitrary<unknown> {
  if (Array.isArray(value)) {
    return fc.oneof(
      hostileValues,
      hostileValues.map((hostile) => [...value, hostile]),
      fc.constant([...value, ...value, ...value]),
    );
  }
  if (typeof value !== "object" || value === null) return hostileValues;
  const names = Object.keys(value);
  if (names.length === 0) return hostileValues.map((hostile) => ({ unknown_field: hostile }));
  return fc.constantFrom(...names).chain((name) => {
    const rest = Object.fromEntries(Object.entries(value).filter(([other]) => other !== name));
    const child: unknown = Reflect.get(value, name);
    return fc.oneof(
      fc.constant(rest),
      hostileValues.map((hostile) => ({ ...rest, [name]: hostile })),
      hostileValues.map((hostile) => ({ ...value, unknown_field: hostile })),
      nearly(child).map((changed) => ({ ...rest, [name]: changed })),
    );
  });
}
