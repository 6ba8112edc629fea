import { type Content, type Html, html } from "../../platform/http/html.ts";
import { isSchema, type JsonSchema } from "../json-schema.ts";
import type { OpenApiDocument } from "../openapi-document.ts";
import { prose } from "../prose.ts";

/** The most levels of nested objects that are shown; our schemas have no more. */
const DEPTH_MAX = 6;

interface Place {
  readonly document: OpenApiDocument;
  /** How many objects contain this one. */
  readonly depth: number;
  /** Objects are unfolded at first down to this depth. */
  readonly unfoldedTo: number;
}

/** The fields of a schema as a list; fields below `unfoldedTo` are folded. Null if the schema has no fields. */
export function schemaFields(schema: JsonSchema, document: OpenApiDocument, unfoldedTo = 0): Html | null {
  return fieldsAt(schema, { document, depth: 0, unfoldedTo });
}

function fieldsAt(schema: JsonSchema, place: Place): Html | null {
  const { properties = {}, required = [], anyOf = [] } = resolve(schema, place.document);
  const fields = Object.entries(properties);
  if (fields.length > 0) {
    return html`<ul class="fields">${fields.map(
      ([name, field]) => isSchema(field) && fieldItem(name, field, required.includes(name), place),
    )}</ul>`;
  }
  const alternatives = anyOf.filter((one) => resolve(one, place.document).properties !== undefined);
  return alternatives.length === 0 ? null : html`${alternatives.map((one) => alternative(one, place))}`;
}

function alternative(schema: JsonSchema, place: Place): Html {
  const content = html`${descriptionOf(schema, place)}${fieldsAt(schema, deeper(place))}`;
  return folded(nameOf(schema) ?? "One form", content, place);
}

function fieldItem(name: string, schema: JsonSchema, isRequired: boolean, place: Place): Html {
  const inside = place.depth < DEPTH_MAX ? objectInside(schema, place.document) : null;
  const fields = inside === null ? null : fieldsAt(inside, deeper(place));
  return html`<li><p class="field"><code class="name">${name}</code> <span class="type">${typeOf(schema, place.document)}</span>${isRequired && html` <span class="required">required</span>`}</p>${descriptionOf(schema, place)}${constraints(resolve(schema, place.document))}${fields !== null && folded(html`Fields of <code>${name}</code>`, fields, place)}</li>`;
}

function folded(title: Content, content: Content, { depth, unfoldedTo }: Place): Html {
  return html`<details class="inside"${depth < unfoldedTo && html` open`}><summary>${title}</summary>${content}</details>`;
}

function deeper(place: Place): Place {
  return { ...place, depth: place.depth + 1 };
}

function descriptionOf(schema: JsonSchema, { document }: Place): Content {
  const description = schema.description ?? resolve(schema, document).description;
  return description !== undefined && html`<p>${prose(description)}</p>`;
}

/** The object whose fields are shown below a field: its own, that of its items, or that of its non-null alternative. */
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

function constraints(schema: JsonSchema): Content {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, default: preset, examples = [] } = schema;
  const words = [
    rangeWords(minimum, maximum, ""),
    rangeWords(minLength, maxLength, " characters"),
    rangeWords(minItems, maxItems, " of them"),
    preset === undefined ? null : html`left out: <code>${JSON.stringify(preset)}</code>`,
    examples.length === 0
      ? null
      : html`such as ${examples.map((example, index) => html`${index > 0 && ", "}<code>${typeof example === "string" ? example : JSON.stringify(example)}</code>`)}`,
  ].filter((word) => word !== null);
  if (words.length === 0) return null;
  return html`<p class="constraints">${words.map((word, index) => html`${index > 0 && "; "}${word}`)}</p>`;
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
