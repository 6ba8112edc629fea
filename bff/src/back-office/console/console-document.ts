import { describeSchema, inlineSchema } from "../../partner-docs/contract-schemas.ts";
import {
  isSchema,
  type JsonSchema,
  type OpenApiDocument,
  type Operation,
  type Parameter,
  type PathItem,
  type Response,
} from "../../partner-docs/openapi-document.ts";
import { ABILITIES } from "../operators/role.ts";
import { consoleEndpoints } from "./console-endpoints.ts";
import { consoleFields, consoleNotes, pathParameterNotes, refusalFields } from "./console-notes.ts";
import type { ConsoleEndpoint } from "./console-route.ts";
import { REFUSALS, type RefusalCode, refusalSchema } from "./refusal.ts";

/** The OpenAPI 3.1 document of the console's addresses, as scripts use them. */
export function consoleDocument(consoleUrl: string): OpenApiDocument {
  const paths: Record<string, PathItem> = {};
  for (const [operationId, endpoint] of Object.entries<ConsoleEndpoint>(consoleEndpoints)) {
    const method = endpoint.method === "GET" ? "get" : "post";
    paths[endpoint.path] = { ...paths[endpoint.path], [method]: operationOf(operationId, endpoint) };
  }
  return {
    openapi: "3.1.0",
    jsonSchemaDialect: "https://spec.openapis.org/oas/3.1/dialect/base",
    info: {
      title: "The operators' console of Atiéndete ahora, paga después",
      version: DOCUMENT_VERSION,
      summary: "The operators' pages, for scripts.",
      description:
        "Each address is a page for browsers; with `Accept: application/json` it returns the JSON declared here. Changes only add. `bff/docs/reference/console.md` describes the pages.",
      contact: { name: "Operators of the service", url: consoleUrl },
      license: { name: "Proprietary: for the service's operators", url: consoleUrl },
    },
    servers: [{ url: consoleUrl, description: "The operators' console" }],
    tags: [{ name: TAG, description: "Each address names the roles that may use it." }],
    paths,
    webhooks: {},
    components: { schemas: { Refusal: refusal }, headers: {}, securitySchemes: { operatorToken } },
  };
}

const refusal = {
  ...describeSchema("Refusal", inlineSchema(refusalSchema), { Refusal: { fields: refusalFields } }, {}),
  description: "A request that was refused, and why.",
};
const DOCUMENT_VERSION = "1.0.0";
const TAG = "Console";
const operatorToken = {
  type: "http",
  scheme: "bearer",
  description: "An operator's token, `op_…`: `aapd operator add`.",
} as const;

function operationOf(operationId: string, endpoint: ConsoleEndpoint): Operation {
  const { summary, ability, body } = endpoint;
  const schemas = describedSchemas(operationId, endpoint);
  return {
    operationId,
    tags: [TAG],
    summary,
    description: `${summary} Roles: ${ABILITIES[ability].join(", ")}.`,
    security: [{ operatorToken: [] }],
    parameters: [...pathParameters(endpoint), ...queryParameters(schemas.query)],
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: { "application/json": { schema: schemas.body } } } }),
    responses: {
      "200": { description: "Done, or found.", content: { "application/json": { schema: schemas.answer } } },
      ...refusalsOf(endpoint),
    },
    "x-scope": ability,
  };
}

/** The schemas of an operation, described by its one note: a field means the same in query, body and answer. */
function describedSchemas(
  operationId: string,
  { query, body, answer }: ConsoleEndpoint,
): Record<"query" | "body" | "answer", JsonSchema> {
  const schemas = [query, body, answer].map((schema) => (schema === undefined ? {} : inlineSchema(schema)));
  const notes = { [operationId]: { fields: consoleNotes[operationId] ?? {} } };
  const { anyOf = [] } = describeSchema(operationId, { anyOf: schemas }, notes, consoleFields);
  const [asked = {}, sent = {}, answered = {}] = anyOf;
  return { query: asked, body: sent, answer: answered };
}

function pathParameters({ path }: ConsoleEndpoint): Parameter[] {
  return [...path.matchAll(/\/(\w+)\/\{(\w+)\}/g)].map(([, segment = "", name = ""]) => ({
    name,
    in: "path",
    required: true,
    description: pathParameterNotes[segment] ?? "",
    schema: { type: "string" },
  }));
}

function queryParameters({ properties = {}, required = [] }: JsonSchema): Parameter[] {
  return Object.entries(properties).flatMap(([name, field]): Parameter[] => {
    if (!isSchema(field)) return [];
    const { description, ...schema } = field;
    return [
      {
        name,
        in: "query",
        required: required.includes(name),
        ...(description === undefined ? {} : { description }),
        schema,
      },
    ];
  });
}

/** Refusals of an address, in this order: of the caller, of the input, of the act itself. */
export function refusalCodesOf({ method, path, query, body }: ConsoleEndpoint): RefusalCode[] {
  const hasInputs = query !== undefined || body !== undefined;
  return [
    "not_signed_in",
    "token_expired",
    "not_allowed",
    ...(path.includes("{") || hasInputs ? (["not_found"] as const) : []),
    ...(method === "POST" ? (["refused", "too_large"] as const) : []),
    ...(hasInputs ? (["invalid_input"] as const) : []),
    "failed",
    "unavailable",
  ];
}

function refusalsOf(endpoint: ConsoleEndpoint): Record<string, Response> {
  const codes = refusalCodesOf(endpoint);
  const statuses = new Set(codes.map((code) => REFUSALS[code].status));
  return Object.fromEntries(
    [...statuses].map((status) => {
      const here = codes.filter((code) => REFUSALS[code].status === status);
      const content = { "application/json": { schema: { $ref: "#/components/schemas/Refusal" } } };
      return [status, { description: here.map((code) => REFUSALS[code].en).join(" "), content, "x-codes": here }];
    }),
  );
}
