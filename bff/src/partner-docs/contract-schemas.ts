import * as z from "zod/mini";
import * as agreements from "../contract/agreement.ts";
import * as bankAccounts from "../contract/bank-account.ts";
import * as centers from "../contract/centers.ts";
import * as errors from "../contract/errors.ts";
import * as expenseLists from "../contract/expense-lists.ts";
import * as expenses from "../contract/expenses.ts";
import * as insurerAccess from "../contract/insurer-access.ts";
import * as onboarding from "../contract/onboarding.ts";
import * as orderFiles from "../contract/order-files.ts";
import * as orders from "../contract/orders.ts";
import * as patientRights from "../contract/patient-rights.ts";
import * as paymentPages from "../contract/payment-page.ts";
import * as payouts from "../contract/payouts.ts";
import * as quotes from "../contract/quote.ts";
import * as reconciliation from "../contract/reconciliation.ts";
import * as redirects from "../contract/redirects.ts";
import * as selfServiceLinks from "../contract/self-service-links.ts";
import * as statements from "../contract/statement.ts";
import * as calendarDays from "../contract/vocabulary/calendar-day.ts";
import * as amounts from "../contract/vocabulary/clp.ts";
import * as commissionTaxes from "../contract/vocabulary/commission-tax.ts";
import * as emails from "../contract/vocabulary/email.ts";
import * as identifiers from "../contract/vocabulary/identifiers.ts";
import * as legalTexts from "../contract/vocabulary/legal-text.ts";
import * as pages from "../contract/vocabulary/page.ts";
import * as personName from "../contract/vocabulary/person-name.ts";
import * as phones from "../contract/vocabulary/phone.ts";
import * as ruts from "../contract/vocabulary/rut.ts";
import * as webhookEvents from "../contract/webhook-events.ts";
import * as webhooks from "../contract/webhooks.ts";
import * as widgetTokens from "../contract/widget-tokens.ts";
import { schemaNotes } from "./notes/notes.ts";
import { type FieldNote, type SchemaNote, type SchemaNotes, sharedFields } from "./notes/schema-note.ts";
import { type FieldDescriptions, isSchema, type JsonSchema } from "./openapi-document.ts";

const contractModules: readonly object[] = [
  agreements,
  orderFiles,
  amounts,
  bankAccounts,
  calendarDays,
  centers,
  commissionTaxes,
  emails,
  errors,
  expenseLists,
  expenses,
  identifiers,
  insurerAccess,
  legalTexts,
  onboarding,
  orders,
  pages,
  selfServiceLinks,
  patientRights,
  paymentPages,
  payouts,
  personName,
  phones,
  quotes,
  redirects,
  reconciliation,
  ruts,
  statements,
  webhookEvents,
  webhooks,
  widgetTokens,
];

/** The exported schemas of the contract with their names in the document: `orderSchema` becomes `Order`. */
export function namedSchemas(modules: readonly object[] = contractModules): Map<z.core.$ZodType, string> {
  const names = new Map<z.core.$ZodType, string>();
  const taken = new Set<string>();
  for (const [exportName, value] of modules.flatMap((module) => Object.entries(module))) {
    if (!exportName.endsWith("Schema") || !(value instanceof z.core.$ZodType) || names.has(value)) continue;
    const name = exportName.charAt(0).toUpperCase() + exportName.slice(1, -"Schema".length);
    if (taken.has(name)) throw new NotDocumentable(`Two schemas of the contract are named ${exportName}.`);
    taken.add(name);
    names.set(value, name);
  }
  return names;
}

export interface ConvertedSchemas {
  /** Every named schema of the contract. */
  readonly components: Readonly<Record<string, JsonSchema>>;
  /** The document's form of a schema: a reference if it has a name, otherwise the schema itself. */
  readonly schemaOf: (schema: z.core.$ZodType) => JsonSchema;
}

/**
 * Converts the contract's named schemas and the unnamed ones that endpoints declare, each with the name of its note.
 * The document describes the JSON on the wire, which is a schema's input both for requests and for responses. Brands
 * and transformations exist only in the program and are left out.
 */
export function convertSchemas(
  unnamed: ReadonlyMap<z.core.$ZodType, string>,
  names: ReadonlyMap<z.core.$ZodType, string> = namedSchemas(),
): ConvertedSchemas {
  const ids = new Map([...unnamed, ...names]);
  const registry = z.registry<{ id: string }>();
  for (const [schema, id] of ids) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { io: "input", uri: referenceTo, override: tidy });
  const described = new Map(
    [...ids].map(([schema, id]) => {
      const { $schema: _dialect, $id: _id, "~standard": _standard, ...rest } = schemas[id] ?? {};
      return [schema, describeSchema(id, rest, schemaNotes)];
    }),
  );
  const components = Object.fromEntries([...names].map(([schema, name]) => [name, described.get(schema) ?? {}]));
  return {
    components,
    schemaOf: (schema) => {
      const name = names.get(schema);
      return name === undefined ? (described.get(schema) ?? {}) : { $ref: referenceTo(name) };
    },
  };
}

/** A schema written out by itself, for documents that name no schemas. */
export function inlineSchema(schema: z.core.$ZodType): JsonSchema {
  const {
    $schema: _dialect,
    "~standard": _standard,
    ...rest
  } = z.toJSONSchema(schema, { io: "input", override: tidy });
  return rest;
}

export function referenceTo(name: string): string {
  return `#/components/schemas/${name}`;
}

/**
 * Removes what does not help a reader: the pattern of a named format, and the bounds of safe integers. Lists of a
 * fixed length keep their bounds, and get items that tools of OpenAPI accept.
 */
function tidy({ jsonSchema }: { jsonSchema: JsonSchema }): void {
  if (jsonSchema.items === false) jsonSchema.items = {};
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}

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
