import * as z from "zod/mini";
import type { OpenApiDocument } from "../../src/partner-docs/openapi-document.ts";

/**
 * The interface that partners rely on, as stored: the OpenAPI document without descriptions and examples, and the
 * messages between page and frame. Objects are strict, so that the command stops at a part of OpenAPI that the
 * comparison does not cover.
 */
const schema = z.record(z.string(), z.unknown());
const mediaType = z.strictObject({
  schema,
  encoding: z.optional(z.record(z.string(), z.strictObject({ contentType: z.string() }))),
});
const content = z.record(z.string(), mediaType);
const header = z.strictObject({ required: z.optional(z.boolean()), schema });
const response = z.strictObject({
  headers: z.optional(z.record(z.string(), z.union([header, z.strictObject({ $ref: z.string() })]))),
  content: z.optional(content),
  "x-codes": z.optional(z.array(z.string())),
});
const parameter = z.strictObject({
  name: z.string(),
  in: z.enum(["path", "query", "header"]),
  required: z.boolean(),
  schema,
});
const server = z.strictObject({ url: z.string() });
const operation = z.strictObject({
  operationId: z.string(),
  servers: z.optional(z.array(server)),
  security: z.optional(z.array(z.record(z.string(), z.array(z.string())))),
  parameters: z.optional(z.array(parameter)),
  requestBody: z.optional(z.strictObject({ required: z.boolean(), content })),
  responses: z.record(z.string(), response),
  "x-scope": z.optional(z.string()),
});
const pathItem = z.partialRecord(z.enum(["get", "post", "put", "delete"]), operation);
const messages = z.record(z.string(), schema);

const interfaceSchema = z.strictObject({
  openapi: z.strictObject({
    openapi: z.string(),
    jsonSchemaDialect: z.string(),
    servers: z.array(server),
    paths: z.record(z.string(), pathItem),
    webhooks: z.record(z.string(), pathItem),
    components: z.strictObject({
      schemas: z.record(z.string(), schema),
      headers: z.record(z.string(), header),
      securitySchemes: z.record(z.string(), z.record(z.string(), z.string())),
    }),
  }),
  frame: z.strictObject({
    /** Messages from the frame to the page, by type. */
    says: messages,
    /** Messages from the page to the frame, by type. */
    takes: messages,
  }),
});

export type Interface = z.infer<typeof interfaceSchema>;
export type Operation = z.infer<typeof operation>;
export type Parameter = z.infer<typeof parameter>;
export type MediaType = z.infer<typeof mediaType>;
export type Response = z.infer<typeof response>;
export type Header = z.infer<typeof header>;
export type Schema = z.infer<typeof schema>;
export type FrameMessages = Interface["frame"];

export function parseInterface(value: unknown): Interface {
  return z.parse(interfaceSchema, value);
}

/** The interface in its stored form. Throws for a part of the document that this form does not cover. */
export function interfaceOf(document: OpenApiDocument, frame: FrameMessages): Interface {
  // Titles, tags and descriptions are for readers; no request or answer depends on them.
  const { info: _info, tags: _tags, ...openapi } = document;
  return parseInterface(canonical(withoutWords({ openapi, frame })));
}

/** The text of the released file. Equal interfaces have equal texts. */
export function interfaceText(kept: Interface): string {
  return `${JSON.stringify(canonical(kept), null, 1)}\n`;
}

const words: ReadonlySet<string> = new Set(["description", "summary", "title", "example", "examples", "tags"]);
/** Keys whose child keys are chosen names, and not keywords of OpenAPI or JSON Schema. */
const nameTables: ReadonlySet<string> = new Set([
  "properties",
  "schemas",
  "securitySchemes",
  "headers",
  "paths",
  "webhooks",
  "responses",
  "content",
  "encoding",
  "says",
  "takes",
]);

/** OpenAPI or JSON Schema without the parts for human readers. */
export function withoutWords(value: unknown, areNames = false): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutWords(item));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => areNames || !words.has(key))
      .map(([key, child]) => [key, withoutWords(child, !areNames && nameTables.has(key))]),
  );
}

/** Lists whose order has no meaning. */
const sets: ReadonlySet<string> = new Set(["required", "enum", "anyOf", "oneOf", "x-codes", "type", "parameters"]);

/** A canonical form: keys sorted, and lists whose order has no meaning. */
export function canonical(value: unknown, areNames = false): unknown {
  if (Array.isArray(value)) return value.map((item) => canonical(item));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, child]: [string, unknown]) => {
        if (areNames || !sets.has(key) || !Array.isArray(child)) {
          return [key, canonical(child, !areNames && nameTables.has(key))];
        }
        return [key, child.map((item) => canonical(item)).toSorted(byText)];
      }),
  );
}

function byText(a: unknown, b: unknown): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
}
