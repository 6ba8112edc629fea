import { html } from "../../platform/http/html.ts";
import { isSchema, type JsonSchema, type OpenApiDocument } from "../openapi-document.ts";
import {
  blocks,
  bullets,
  code,
  folded,
  inHtml,
  line,
  type Part,
  type Piece,
  paragraph,
  separated,
  span,
} from "./part.ts";

/** The maximum number of levels of nested objects that are shown; our schemas have no more. */
const DEPTH_MAX = 6;

interface Place {
  readonly document: OpenApiDocument;
  /** How many objects contain this one. */
  readonly depth: number;
  /** Objects are unfolded at first down to this depth. */
  readonly unfoldedTo: number;
}

/** The fields of a schema as a list; fields below `unfoldedTo` are folded. Null if the schema has no fields. */
export function schemaFields(schema: JsonSchema, document: OpenApiDocument, unfoldedTo = 0): Part | null {
  return fieldsAt(schema, { document, depth: 0, unfoldedTo });
}

function fieldsAt(schema: JsonSchema, place: Place): Part | null {
  const { properties = {}, required = [], anyOf = [] } = resolve(schema, place.document);
  const fields = Object.entries(properties);
  if (fields.length > 0) {
    const items = fields.flatMap(([name, field]) =>
      isSchema(field) ? [fieldItem(name, field, required.includes(name), place)] : [],
    );
    return bullets(items, "fields");
  }
  const alternatives = anyOf.filter((one) => resolve(one, place.document).properties !== undefined);
  return alternatives.length === 0 ? null : blocks(...alternatives.map((one) => alternative(one, place)));
}

function alternative(schema: JsonSchema, place: Place): Part {
  const content = blocks(descriptionOf(schema, place), fieldsAt(schema, deeper(place)));
  return foldedAt(place, nameOf(schema) ?? "One form", content);
}

function fieldItem(name: string, schema: JsonSchema, isRequired: boolean, place: Place): Part {
  const inside = place.depth < DEPTH_MAX ? objectInside(schema, place.document) : null;
  const fields = inside === null ? null : fieldsAt(inside, deeper(place));
  const named = inHtml(html`<code class="name">`, { ...code(name), html: html`${name}` }, html`</code>`);
  const type = span("type", typeOf(schema, place.document));
  return blocks(
    paragraph(line(named, " ", type, isRequired && " ", isRequired && span("required", "required")), "field"),
    descriptionOf(schema, place),
    constraints(resolve(schema, place.document)),
    fields !== null && foldedAt(place, line("Fields of ", code(name)), fields),
  );
}

function foldedAt({ depth, unfoldedTo }: Place, title: Piece, content: Part): Part {
  return folded(title, content, depth < unfoldedTo);
}

function deeper(place: Place): Place {
  return { ...place, depth: place.depth + 1 };
}

function descriptionOf(schema: JsonSchema, { document }: Place): Part | null {
  const description = schema.description ?? resolve(schema, document).description;
  return description === undefined ? null : paragraph(description);
}

/** The object whose fields are shown below a field: the field itself, its items, or its non-null alternative. */
function objectInside(schema: JsonSchema, document: OpenApiDocument): JsonSchema | null {
  const resolved = resolve(schema, document);
  if (resolved.properties !== undefined) return resolved;
  const { items, prefixItems = [], anyOf = [] } = resolved;
  const candidates = [...(Array.isArray(items) ? items : [items]), ...prefixItems.slice(-1), ...anyOf];
  for (const candidate of candidates) {
    const found = isSchema(candidate) ? objectInside(candidate, document) : null;
    if (found !== null) return found;
  }
  return null;
}

/** The type of a value in words. */
export function typeOf(schema: JsonSchema, document: OpenApiDocument): string {
  const resolved = resolve(schema, document);
  if (resolved.const !== undefined) return JSON.stringify(resolved.const);
  if (resolved.enum !== undefined) return resolved.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (resolved.anyOf !== undefined)
    return [...new Set(resolved.anyOf.map((one) => typeOf(one, document)))].join(" or ");
  if (resolved.prefixItems !== undefined) return `list of ${resolved.prefixItems.length}`;
  if (resolved.type === "array") {
    const { items } = resolved;
    return isSchema(items) ? `list of ${typeOf(items, document)}` : "list";
  }
  if (resolved.contentMediaType !== undefined) return "file";
  const type = Array.isArray(resolved.type) ? resolved.type.join(" or ") : (resolved.type ?? "anything");
  const format = resolved.format === undefined ? "" : ` (${resolved.format})`;
  return `${type}${format}`;
}

function constraints(schema: JsonSchema): Part | null {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, default: preset, examples = [] } = schema;
  const shown = examples.map((example) => code(typeof example === "string" ? example : JSON.stringify(example)));
  const words = [
    rangeWords(minimum, maximum, ""),
    rangeWords(minLength, maxLength, " characters"),
    rangeWords(minItems, maxItems, " of them"),
    preset === undefined ? null : line("left out: ", code(JSON.stringify(preset))),
    shown.length === 0 ? null : line("such as ", separated(shown, ", ")),
  ].filter((word) => word !== null);
  return words.length === 0 ? null : paragraph(separated(words, "; "), "constraints");
}

function rangeWords(from: number | undefined, to: number | undefined, unit: string): string | null {
  const number = (value: number) => value.toLocaleString("en-GB");
  if (from !== undefined && to !== undefined) return `${number(from)} to ${number(to)}${unit}`;
  if (to !== undefined) return `at most ${number(to)}${unit}`;
  return from === undefined ? null : `at least ${number(from)}${unit}`;
}

function resolve(schema: JsonSchema, document: OpenApiDocument): JsonSchema {
  const name = nameOf(schema);
  if (name === null) return schema;
  const { $ref: _reference, ...beside } = schema;
  return { ...document.components.schemas[name], ...beside };
}

/** The name of a schema; null if it has none. */
export function nameOf({ $ref }: JsonSchema): string | null {
  return $ref?.split("/").at(-1) ?? null;
}
