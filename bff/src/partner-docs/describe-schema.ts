import { type FieldDescriptions, isSchema, type JsonSchema } from "./json-schema.ts";
import type { FieldNote, SchemaNote, SchemaNotes } from "./notes/schema-note.ts";
import { sharedFields } from "./notes/schema-note.ts";

/** Thrown when the document would omit a part of the contract or describe it wrongly. */
export class NotDocumentable extends Error {
  override readonly name = "NotDocumentable";
}

/**
 * Describes a schema and each of its fields. A field's description comes from the note of the schema, otherwise from
 * the shared description of the field's name, otherwise from the schema that the field refers to. Throws
 * `NotDocumentable` if a note names a field that is absent.
 */
export function describeSchema(
  name: string,
  schema: JsonSchema,
  notes: SchemaNotes,
  shared: FieldDescriptions = sharedFields,
): JsonSchema {
  const note = notes[name] ?? {};
  const context: Context = { note, notes, shared, used: new Set() };
  const described = describeFields(note.wireForm ?? schema, "", context);
  const unknown = Object.keys(note.fields ?? {}).filter((path) => !context.used.has(path));
  if (unknown.length > 0) throw new NotDocumentable(`${name} has no field ${unknown.join(", ")}, but a note about it.`);
  return note.description === undefined ? described : { ...described, description: note.description };
}

interface Context {
  readonly note: SchemaNote;
  readonly notes: SchemaNotes;
  readonly shared: FieldDescriptions;
  /** Paths of the note that have been found. */
  readonly used: Set<string>;
}

const LISTS = ["anyOf", "oneOf", "allOf", "prefixItems"] as const;

/** `path` leads to the schema itself; items and alternatives have the path of their parent. */
function describeFields(schema: JsonSchema, path: string, context: Context): JsonSchema {
  const described: JsonSchema = { ...schema };
  for (const list of LISTS) {
    const schemas: readonly unknown[] | undefined = schema[list];
    if (schemas !== undefined)
      described[list] = schemas.filter(isSchema).map((one) => describeFields(one, path, context));
  }
  if (isSchema(schema.items)) described.items = describeFields(schema.items, path, context);
  const { properties } = schema;
  if (properties === undefined) return described;
  const required = new Set(schema.required);
  described.properties = Object.fromEntries(
    Object.entries(properties).map(([field, value]): [string, JsonSchema | boolean] => {
      if (!isSchema(value)) return [field, value];
      const fieldPath = path === "" ? field : `${path}.${field}`;
      const note = fieldNote(fieldPath, context);
      if (note?.required === true) required.add(field);
      return [field, describeField(value, field, fieldPath, note, context)];
    }),
  );
  if (required.size > 0) described.required = [...required];
  return described;
}

function fieldNote(path: string, { note, used }: Context): Partial<FieldNote> | undefined {
  const found = note.fields?.[path];
  if (found !== undefined) used.add(path);
  return typeof found === "string" ? { description: found } : found;
}

function describeField(
  schema: JsonSchema,
  field: string,
  path: string,
  note: Partial<FieldNote> | undefined,
  context: Context,
): JsonSchema {
  const described = describeFields(note?.wireForm ?? schema, path, context);
  const own = note?.description ?? schema.description;
  const shared = Object.hasOwn(context.shared, field) ? context.shared[field] : undefined;
  const description = own ?? shared ?? inheritedDescription(schema, context.notes);
  return description === undefined ? described : { ...described, description };
}

/** The description of the schema that a field refers to: directly, as the items of a list, or as its non-null form. */
function inheritedDescription(schema: JsonSchema, notes: SchemaNotes): string | undefined {
  const { $ref, items, anyOf = [] } = schema;
  if ($ref !== undefined) return notes[$ref.split("/").at(-1) ?? ""]?.description;
  const forms = [...(isSchema(items) ? [items] : []), ...anyOf.filter(({ type }) => type !== "null")];
  const [only, ...others] = forms;
  return only === undefined || others.length > 0 ? undefined : inheritedDescription(only, notes);
}
