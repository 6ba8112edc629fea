import type * as z from "zod/mini";

/** The parts of OpenAPI 3.1 that our document uses. */
export interface OpenApiDocument {
  readonly openapi: "3.1.0";
  readonly jsonSchemaDialect: string;
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly summary: string;
    readonly description: string;
    readonly contact?: { readonly name: string; readonly url: string };
    readonly license: { readonly name: string; readonly url: string };
  };
  readonly servers: readonly Server[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly webhooks: Readonly<Record<string, PathItem>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly headers: Readonly<Record<string, Header>>;
    readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
  };
}

export interface Server {
  readonly url: string;
  readonly description: string;
}

export type Method = "get" | "post" | "put" | "delete";
export type PathItem = { readonly [M in Method]?: Operation };

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly servers?: readonly Server[];
  /** Any one entry is enough; all schemes within an entry are needed together. Empty: no credential. */
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: RequestBody;
  readonly responses: Readonly<Record<string, Response>>;
  /** Present if the endpoint needs a scope. */
  readonly "x-scope"?: string;
}

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}

export interface RequestBody {
  readonly required: boolean;
  readonly content: Readonly<Record<string, MediaType>>;
}

export interface MediaType {
  readonly schema: JsonSchema;
  readonly examples?: Readonly<Record<string, Example>>;
  /** For multipart bodies: the content types of each part. */
  readonly encoding?: Readonly<Record<string, { readonly contentType: string }>>;
}

export interface Example {
  readonly summary?: string;
  readonly value: unknown;
}

export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Header | { readonly $ref: string }>>;
  readonly content?: Readonly<Record<string, MediaType>>;
  /** The error codes that this response can have. */
  readonly "x-codes"?: readonly string[];
}

export interface Header {
  readonly description: string;
  readonly required?: boolean;
  readonly schema: JsonSchema;
}

export type SecurityScheme =
  | { readonly type: "http"; readonly scheme: "bearer"; readonly description: string }
  | { readonly type: "apiKey"; readonly in: "query" | "header"; readonly name: string; readonly description: string };

/** A schema of JSON Schema 2020-12, the dialect of OpenAPI 3.1. */
export type JsonSchema = z.core.JSONSchema.JSONSchema;

/** Excludes `true` and `false`, which JSON Schema allows as schemas but which we never use. */
export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Descriptions of fields, by name or by path such as `customer.rut`. */
export type FieldDescriptions = Readonly<Record<string, string>>;
