import * as z from "zod/mini";
import type { Credential, Endpoint } from "../contract/endpoint.ts";
import {
  DEFERRED_PERCENTAGE,
  FIRST_PERCENTAGE,
  IDEMPOTENCY_HOURS,
  RECEIPT_DUE_DAYS,
  WEBHOOK_ATTEMPTS_MAX,
  WEBHOOK_TIMEOUT_SECONDS,
} from "../contract/terms.ts";
import { webhookEventKindSchema, webhookEventSchema } from "../contract/webhook-events.ts";
import type { Environment } from "../platform/provider.ts";
import { errorResponse, errorsByStatus, successResponse } from "./answers.ts";
import { type ConvertedSchemas, convertSchemas, NotDocumentable, referenceTo } from "./contract-schemas.ts";
import { documentedEndpoints, type EndpointGroup, groupsIn } from "./endpoint-groups.ts";
import { type EndpointExamples, endpointExamples, webhookExample } from "./examples.ts";
import { expenseForm } from "./expense-form.ts";
import { isSchema, type JsonSchema } from "./json-schema.ts";
import type {
  Header,
  Method,
  OpenApiDocument,
  Operation,
  Parameter,
  PathItem,
  RequestBody,
  Response,
  SecurityScheme,
  Server,
} from "./openapi-document.ts";

/** The addresses of the documented deployment and its settings. */
export interface Deployment {
  readonly environment: Environment;
  /** {base_url}, without a slash at the end. */
  readonly orderApiUrl: string;
  /** {backend_url} */
  readonly spotApiUrl: string;
  /** {widget_host} */
  readonly widgetHostUrl: string;
  /** The brand's word in the name of the signature header, such as `Service` in `X-Service-Signature`. */
  readonly signatureWord: string;
}

/** The OpenAPI 3.1 document of every endpoint that the contract declares. Throws `NotDocumentable`. */
export function openApiDocument(deployment: Deployment): OpenApiDocument {
  const groups = groupsIn(deployment.environment);
  const endpoints = documentedEndpoints(groups).map(([, endpoint]) => endpoint);
  const schemas = convertSchemas(endpoints.flatMap(schemasOf));
  const paths = pathsOf(groups, deployment, schemas);
  const webhooks = webhooksOf(deployment, schemas);
  return {
    openapi: "3.1.0",
    jsonSchemaDialect: "https://spec.openapis.org/oas/3.1/dialect/base",
    info: {
      title: "Atiéndete ahora, paga después",
      version: DOCUMENT_VERSION,
      summary: `Orders that are paid ${FIRST_PERCENTAGE} % now and ${DEFERRED_PERCENTAGE} % later, and the receipts that belong to them.`,
      description: `The ${deployment.environment} environment. Paths carry no version: changes only add. Match errors on \`code\`. The guide is at \`/docs\`.`,
      license: { name: "Proprietary: for partners of the service", url: `${deployment.spotApiUrl}/docs` },
    },
    servers: [serverOf("order", deployment)],
    tags: groups.map(({ title, description }) => ({ name: title, description })),
    paths,
    webhooks,
    components: { schemas: usedComponents(schemas, { paths, webhooks }), headers, securitySchemes },
  };
}

/** The version of the document's own structure. The interface has no version, because changes only add to it. */
const DOCUMENT_VERSION = "1.0.0";

function schemasOf({ query, body, success }: Endpoint): z.ZodMiniType[] {
  return [query, body, ...Object.values(success)].filter((schema) => schema !== undefined);
}

function pathsOf(
  groups: readonly EndpointGroup[],
  deployment: Deployment,
  schemas: ConvertedSchemas,
): Record<string, PathItem> {
  const paths: Record<string, PathItem> = {};
  for (const group of groups) {
    for (const [operationId, endpoint] of Object.entries(group.endpoints)) {
      const method = methodOf(endpoint);
      if (paths[endpoint.path]?.[method] !== undefined)
        throw new NotDocumentable(`${endpoint.method} ${endpoint.path} is declared twice.`);
      const operation = operationOf(operationId, endpoint, group, deployment, schemas);
      paths[endpoint.path] = { ...paths[endpoint.path], [method]: operation };
    }
  }
  return paths;
}

const methods = { GET: "get", POST: "post", PUT: "put", DELETE: "delete" } as const satisfies Record<
  Endpoint["method"],
  Method
>;

function methodOf(endpoint: Endpoint): Method {
  return methods[endpoint.method];
}

function operationOf(
  operationId: string,
  endpoint: Endpoint,
  group: EndpointGroup,
  deployment: Deployment,
  schemas: ConvertedSchemas,
): Operation {
  const examples = endpointExamples[operationId] ?? {};
  const requestBody = requestBodyOf(endpoint, schemas, examples);
  const { scope } = endpoint;
  return {
    operationId,
    tags: [group.title],
    summary: endpoint.summary,
    ...(endpoint.idempotent === true ? { description: IDEMPOTENCY_WORDS } : {}),
    servers: serversOf(endpoint, group, deployment),
    security: securityOf(endpoint),
    parameters: parametersOf(endpoint, schemas),
    ...(requestBody === undefined ? {} : { requestBody }),
    responses: responsesOf(endpoint, schemas, examples),
    ...(scope === undefined ? {} : { "x-scope": scope }),
  };
}

const IDEMPOTENCY_WORDS = `Send an \`Idempotency-Key\` of your own (an id of the act) to make a repeat safe: the same key and body get the first answer again for ${IDEMPOTENCY_HOURS} hours, with \`Idempotency-Replayed: true\` (of a payment: how it stands now). 5xx, 429 and what is wrong with the request itself (\`validation_error\`, \`customer_email_required\`, \`refund_amount_invalid\` and the like) are not kept: mend the request and send it under the same key. Nor is what is refused only for now (\`payment_in_progress\`, \`order_not_refundable\` and the like): send it again later.`;

function serverOf(face: EndpointGroup["face"], { environment, orderApiUrl, spotApiUrl }: Deployment): Server {
  return face === "order"
    ? { url: orderApiUrl, description: `Order API, ${environment}` }
    : { url: spotApiUrl, description: `Onboarding and expense API, ${environment}` };
}

/** The widget sends its calls to its own origin. */
function serversOf(endpoint: Endpoint, { face }: EndpointGroup, deployment: Deployment): Server[] {
  const own = serverOf(face, deployment);
  return endpoint.caller === "widget"
    ? [own, { url: deployment.widgetHostUrl, description: "Widget host: where the widget itself calls it" }]
    : [own];
}

const schemeNames = {
  client_secret: "clientSecret",
  client_id: "clientId",
  public_key: "publicKey",
  secret_key: "secretKey",
} as const satisfies Record<Credential, string>;

const PUBLIC_KEY_PARAMETER = "public_key";

const securitySchemes: Record<(typeof schemeNames)[Credential], SecurityScheme> = {
  clientSecret: {
    type: "http",
    scheme: "bearer",
    description: "`client_secret`: creates and refunds orders. Only in your back end, never in a browser.",
  },
  clientId: {
    type: "http",
    scheme: "bearer",
    description: "`client_id`: the patient's own steps. Public; it opens nothing that needs `client_secret`.",
  },
  publicKey: {
    type: "apiKey",
    in: "query",
    name: PUBLIC_KEY_PARAMETER,
    description: "`public_key`: minting, expenses, lookups, and the widget's sign-up. Public.",
  },
  secretKey: {
    type: "apiKey",
    in: "header",
    name: "X-Secret-Key",
    description: "`secret_key`: administration. Only in your back end.",
  },
};

function securityOf({ credentials, also = [] }: Endpoint): Record<string, readonly string[]>[] {
  return credentials.map((credential) =>
    Object.fromEntries([credential, ...also].map((needed) => [schemeNames[needed], []])),
  );
}

function parametersOf(endpoint: Endpoint, { schemaOf }: ConvertedSchemas): Parameter[] {
  const inPath = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(
    ([, name = ""]): Parameter => ({ name, in: "path", required: true, ...pathParameter(name) }),
  );
  const query = endpoint.query === undefined ? {} : schemaOf(endpoint.query);
  const inQuery = Object.entries(query.properties ?? {}).flatMap(([name, schema]): Parameter[] => {
    // The public key is documented as a credential.
    if (name === PUBLIC_KEY_PARAMETER || !isSchema(schema)) return [];
    return [{ name, in: "query", required: query.required?.includes(name) === true, schema }];
  });
  return [...inPath, ...inQuery, ...(endpoint.idempotent === true ? [idempotencyKey] : [])];
}

function pathParameter(name: string): Pick<Parameter, "schema" | "description"> {
  if (name === "hash") return { schema: { $ref: referenceTo("OrderHash") }, description: "The order's `hash`." };
  if (name === "token") return { schema: { $ref: referenceTo("WidgetToken") }, description: "The `widget_token`." };
  if (name === "rut") return { schema: { $ref: referenceTo("PersonRut") } };
  return { schema: { type: "string" } };
}

const idempotencyKey: Parameter = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description: "An id of this act, of your own making.",
  schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[\\x20-\\x7e]+$" },
};

function requestBodyOf(
  endpoint: Endpoint,
  { schemaOf }: ConvertedSchemas,
  { request = {} }: EndpointExamples,
): RequestBody | undefined {
  if (endpoint.multipart === true) return { required: true, content: { "multipart/form-data": expenseForm } };
  if (endpoint.body === undefined) return undefined;
  const schema = schemaOf(endpoint.body);
  // The body is optional if an empty object is valid, because sending no body means the same.
  const required = !z.safeParse(endpoint.body, {}).success;
  return { required, content: { "application/json": { schema, examples: request } } };
}

function responsesOf(
  endpoint: Endpoint,
  schemas: ConvertedSchemas,
  examples: EndpointExamples,
): Record<string, Response> {
  const successes = Object.keys(endpoint.success).map((status): [string, Response] => [
    status,
    successResponse(endpoint, Number(status), schemas, examples.responses?.[Number(status)] ?? {}),
  ]);
  const failures = [...errorsByStatus(endpoint)].map(([status, codes]): [string, Response] => [
    String(status),
    errorResponse(endpoint, status, codes, schemas),
  ]);
  return Object.fromEntries([...successes, ...failures]);
}

const integerText: JsonSchema = { type: "string", pattern: "^\\d+$" };

const headers: Record<string, Header> = {
  "X-Request-Id": {
    description:
      "On every answer. Tell it to support. One of your own is kept if it has 16 to 128 letters, digits or `_.:-`, a letter among them.",
    required: true,
    schema: { type: "string" },
  },
  "WWW-Authenticate": { description: "`Bearer`", schema: { type: "string" } },
  "Retry-After": { description: "Seconds to wait before the next try.", schema: integerText },
  "RateLimit-Limit": {
    description: "Requests that the limit nearest to its end allows in a window; where the endpoint has a limit.",
    schema: integerText,
  },
  "RateLimit-Remaining": { description: "Requests left in this window.", schema: integerText },
  "RateLimit-Reset": { description: "Seconds until the window ends.", schema: integerText },
  "RateLimit-Policy": { description: "`requests;w=seconds`", schema: { type: "string" } },
  "Idempotency-Replayed": {
    description: "`true` when this is the first answer to the same `Idempotency-Key` again.",
    schema: { const: "true" },
  },
};

function webhooksOf({ signatureWord }: Deployment, { schemaOf }: ConvertedSchemas): Record<string, PathItem> {
  const eventKinds = webhookEventKindSchema.options;
  return Object.fromEntries(
    eventKinds.map((kind): [string, PathItem] => {
      const example = webhookExample(kind);
      const schema = {
        allOf: [schemaOf(webhookEventSchema), { type: "object" as const, properties: { event: { const: kind } } }],
      };
      const post: Operation = {
        operationId: kind.replace(/[._](\w)/g, (_match, letter: string) => letter.toUpperCase()),
        tags: [WEBHOOK_TAG],
        summary: webhookSummaries[kind],
        description: `Verify the signature over the raw body. Any 2xx within ${WEBHOOK_TIMEOUT_SECONDS} s is success; a redirect is a failure. ${WEBHOOK_ATTEMPTS_MAX} attempts.`,
        security: [],
        parameters: webhookHeaders(signatureWord),
        requestBody: {
          required: true,
          content: { "application/json": { schema, examples: { [kind]: { value: example } } } },
        },
        responses: { "2XX": { description: "Taken: this event is not sent again by itself." } },
      };
      return [kind, { post }];
    }),
  );
}

/** The tag of the webhooks. */
export const WEBHOOK_TAG = "Webhooks";

const webhookSummaries = {
  "order.paid": "The order is paid. Once per order.",
  "order.partially_paid": "The first instalment is captured and the credit not decided yet.",
  "order.refunded":
    "Something was refunded, all of it or a part: `status` says which, and `moved` of the refund from where. Also a lost chargeback that is on your account (`reason` `chargeback`).",
  "order.failed": "No payment of this order is possible any more: `failure` says why.",
  "order.cancelled":
    "The order was cancelled, or expired unpaid, or its credit was refused after the first instalment was captured.",
  "order.changed":
    "Any change of the status, and each refund, for endpoints that ask for this kind: with an `event_id` of its own and the `sequence` of the specific kind.",
  "order.receipt_missing": `The order was paid ${RECEIPT_DUE_DAYS} days ago and you have not submitted its receipt, so that no reimbursement is claimed. Once per order, for endpoints that ask for this kind.`,
  "order.refund_failed":
    "A refund that was answered `processing` has failed: `refund_id` says which of `refunds`, and its `moved` what was given back all the same. Once per refund, for endpoints that ask for this kind.",
} as const satisfies Record<z.infer<typeof webhookEventKindSchema>, string>;

function webhookHeaders(word: string): Parameter[] {
  const header = (name: string, description: string, schema: JsonSchema = { type: "string" }): Parameter => ({
    name,
    in: "header",
    required: true,
    description,
    schema,
  });
  return [
    header(`X-${word}-Signature`, "HMAC-SHA256 of the raw body, keyed with the whole webhook secret.", {
      type: "string",
      pattern: "^sha256=[0-9a-f]{64}$",
    }),
    header("webhook-id", "Standard Webhooks: the same as `event_id`."),
    header("webhook-timestamp", "Standard Webhooks: when it was sent, in seconds since 1970.", integerText),
    header("webhook-signature", "Standard Webhooks: `v1,` and base64; two of them while a secret is rotated."),
  ];
}

/** The named schemas that the document refers to, directly or through other schemas. */
function usedComponents({ components }: ConvertedSchemas, root: unknown): Record<string, JsonSchema> {
  const used = new Set<string>();
  const pending: unknown[] = [root];
  for (let value = pending.pop(); value !== undefined || pending.length > 0; value = pending.pop()) {
    if (typeof value !== "object" || value === null) continue;
    for (const [key, child] of Object.entries(value)) {
      const name = key === "$ref" && typeof child === "string" ? child.split("/schemas/")[1] : undefined;
      if (name === undefined) pending.push(child);
      else if (!used.has(name)) {
        used.add(name);
        pending.push(components[name]);
      }
    }
  }
  return Object.fromEntries(Object.entries(components).filter(([name]) => used.has(name)));
}
