import type * as z from "zod/mini";

/** A schema of JSON Schema 2020-12, the dialect of OpenAPI 3.1. */
export type JsonSchema = z.core.JSONSchema.JSONSchema;

/** Excludes `true` and `false`, which JSON Schema allows as schemas but which we never use. */
export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Descriptions of fields, by name or by path such as `customer.rut`. */
export type FieldDescriptions = Readonly<Record<string, string>>;
