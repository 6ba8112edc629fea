import { merge } from "allof-merge";
import type { Schema } from "./interface.ts";

/** Thrown for a schema that cannot be expanded: a missing reference, or one to itself. */
export class Unresolvable extends Error {
  override readonly name = "Unresolvable";
}

/**
 * An expanded schema: references replaced by their targets, `allOf` by one schema, and `const` by a list of one value.
 * Names and structure of schemas in the document then make no difference.
 */
export function resolveSchema(schema: Schema, named: Readonly<Record<string, Schema>>): Schema {
  return asSchema(merge(writtenOut(schema, named, [])));
}

/** Keywords whose child keys are chosen names. */
const nameTables: ReadonlySet<string> = new Set(["properties", "patternProperties", "$defs"]);

function writtenOut(schema: Schema, named: Readonly<Record<string, Schema>>, inside: readonly string[]): Schema {
  const below = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(below);
    return isSchema(value) ? writtenOut(value, named, inside) : value;
  };
  const { $ref, const: only, ...rest } = schema;
  const own: Schema = Object.fromEntries(
    Object.entries(rest)
      // An empty `required` list means that nothing is required.
      .filter(([keyword, value]) => !(keyword === "required" && Array.isArray(value) && value.length === 0))
      .map(([keyword, value]) => [
        keyword,
        nameTables.has(keyword) && isSchema(value)
          ? Object.fromEntries(Object.entries(value).map(([name, child]) => [name, below(child)]))
          : below(value),
      ]),
  );
  if (only !== undefined) own.enum = [only];
  if (typeof $ref !== "string") return own;
  const name = $ref.split("/").at(-1) ?? "";
  const target = named[name];
  if (target === undefined) throw new Unresolvable(`There is no schema ${$ref}.`);
  if (inside.includes(name)) throw new Unresolvable(`The schema ${$ref} holds itself, and cannot be compared so.`);
  const resolved = writtenOut(target, named, [...inside, name]);
  return Object.keys(own).length === 0 ? resolved : { allOf: [resolved, own] };
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function asSchema(value: unknown): Schema {
  if (!isSchema(value)) throw new Unresolvable("A schema is an object.");
  return value;
}
