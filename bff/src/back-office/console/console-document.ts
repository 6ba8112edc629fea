import { inlineSchema } from "../../partner-docs/contract-schemas.ts";
import { isSchema, type JsonSchema } from "../../partner-docs/json-schema.ts";
import type { OpenApiDocument, Operation, Parameter, PathItem, Response } from "../../partner-docs/openapi-document.ts";
import { consoleEndpoints } from "./console-endpoints.ts";
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
      license: { name: "Proprietary: for the service's operators", url: consoleUrl },
    },
    servers: [{ url: consoleUrl, description: "The operators' console" }],
    tags: [{ name: TAG, description: "Each address names the roles that may use it." }],
    paths,
    webhooks: {},
    components: { schemas: { Refusal: inlineSchema(refusalSchema) }, headers: {}, securitySchemes: { operatorToken } },
  };
}

const DOCUMENT_VERSION = "1.0.0";
const TAG = "Console";
const operatorToken = {
  type: "http",
  scheme: "bearer",
  description: "An operator's token, `op_…`: `aapd operator add`.",
} as const;

function operationOf(operationId: string, endpoint: ConsoleEndpoint): Operation {
  const { summary, ability, body, answer } = endpoint;
  return {
    operationId,
    tags: [TAG],
    summary,
    security: [{ operatorToken: [] }],
    parameters: [...pathParameters(endpoint), ...queryParameters(endpoint)],
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: { "application/json": { schema: inlineSchema(body) } } } }),
    responses: {
      "200": { description: "Done, or found.", content: { "application/json": { schema: inlineSchema(answer) } } },
      ...refusalsOf(endpoint),
    },
    "x-scope": ability,
  };
}

function pathParameters({ path }: ConsoleEndpoint): Parameter[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
}

function queryParameters({ query }: ConsoleEndpoint): Parameter[] {
  const { properties = {}, required = [] }: JsonSchema = query === undefined ? {} : inlineSchema(query);
  return Object.entries(properties).flatMap(([name, schema]): Parameter[] =>
    isSchema(schema) ? [{ name, in: "query", required: required.includes(name), schema }] : [],
  );
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
