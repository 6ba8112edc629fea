import * as z from "zod/mini";
import type { Credential, Endpoint } from "../contract/endpoint.ts";
import {
  ACCESS_BLOCKED_DAYS,
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
import {
  type ConvertedSchemas,
  convertSchemas,
  NotDocumentable,
  namedSchemas,
  referenceTo,
} from "./contract-schemas.ts";
import { documentedEndpoints, type EndpointGroup, groupsIn } from "./endpoint-groups.ts";
import { type EndpointExamples, endpointExamples } from "./examples.ts";
import { expenseForm } from "./expense-form.ts";
import {
  type Header,
  isSchema,
  type JsonSchema,
  type Method,
  type OpenApiDocument,
  type Operation,
  type Parameter,
  type PathItem,
  type RequestBody,
  type Response,
  type SecurityScheme,
  type Server,
} from "./openapi-document.ts";
import { webhookExample } from "./webhook-event-example.ts";

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
  const schemas = convertSchemas(unnamedSchemas(documentedEndpoints(groups)));
  const paths = pathsOf(groups, deployment, schemas);
  const webhooks = webhooksOf(deployment, schemas);
  return {
    openapi: "3.1.0",
    jsonSchemaDialect: "https://spec.openapis.org/oas/3.1/dialect/base",
    info: {
      title: "Atiéndete ahora, paga después",
      version: DOCUMENT_VERSION,
      summary: `Orders paid ${FIRST_PERCENTAGE} % now and ${DEFERRED_PERCENTAGE} % later, and their receipts.`,
      description: `The ${deployment.environment} environment. Paths carry no version: changes only add. Match errors on \`code\`. The guide is at \`/docs\`.`,
      contact: { name: "Support for partners", url: `${deployment.spotApiUrl}/docs/policy#status` },
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

/**
 * The schemas that endpoints declare without a name, called after the first operation that has them: `readQuote query`,
 * `createSandboxKeys request`, `createSandboxKeys response`.
 */
export function unnamedSchemas(endpoints: readonly (readonly [string, Endpoint])[]): Map<z.core.$ZodType, string> {
  const named = namedSchemas();
  const unnamed = new Map<z.core.$ZodType, string>();
  for (const [operationId, { query, body, success }] of endpoints) {
    const parts = { query, request: body, response: Object.values(success)[0] };
    for (const [part, schema] of Object.entries(parts)) {
      if (schema !== undefined && !named.has(schema) && !unnamed.has(schema))
        unnamed.set(schema, `${operationId} ${part}`);
    }
  }
  return unnamed;
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
    description: [endpoint.description, ...(endpoint.idempotent === true ? [IDEMPOTENCY_WORDS] : [])].join("\n\n"),
    servers: serversOf(endpoint, group, deployment),
    security: securityOf(endpoint),
    parameters: parametersOf(endpoint, schemas),
    ...(requestBody === undefined ? {} : { requestBody }),
    responses: responsesOf(endpoint, schemas, examples),
    ...(scope === undefined ? {} : { "x-scope": scope }),
  };
}

const IDEMPOTENCY_WORDS = `Send an \`Idempotency-Key\` to retry safely. For ${IDEMPOTENCY_HOURS} hours, the same key and body return the first response with \`Idempotency-Replayed: true\`; a payment returns its current state. Errors that a later try can resolve are not stored: 5xx, 429, invalid requests (\`validation_error\`, \`customer_email_required\`, \`refund_amount_invalid\` and the like) and temporary states (\`payment_in_progress\`, \`order_not_refundable\` and the like). Correct the request or wait, then retry with the same key.`;

function serverOf(face: EndpointGroup["face"], { environment, orderApiUrl, spotApiUrl }: Deployment): Server {
  return face === "order"
    ? { url: orderApiUrl, description: `Order API, ${environment}` }
    : { url: spotApiUrl, description: `Onboarding and expense API, ${environment}` };
}

/** The widget sends its calls to its own origin. */
function serversOf(endpoint: Endpoint, { face }: EndpointGroup, deployment: Deployment): Server[] {
  const own = serverOf(face, deployment);
  return endpoint.caller === "widget"
    ? [own, { url: deployment.widgetHostUrl, description: "Widget host, which the widget itself calls" }]
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
    description: "`client_secret`: creates and refunds orders. Keep it in your back end, never in a browser.",
  },
  clientId: {
    type: "http",
    scheme: "bearer",
    description: "`client_id`: the patient's own steps. Public; it cannot do what needs `client_secret`.",
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
    description: "`secret_key`: administration. Keep it in your back end.",
  },
};

function securityOf({ credentials, also = [], optional }: Endpoint): Record<string, readonly string[]>[] {
  const alone = credentials.map((credential) => [credential, ...also]);
  const ways = optional === undefined ? alone : [...alone, ...alone.map((needed) => [...needed, optional])];
  return ways.map((needed) => Object.fromEntries(needed.map((credential) => [schemeNames[credential], []])));
}

function parametersOf(endpoint: Endpoint, { schemaOf, components }: ConvertedSchemas): Parameter[] {
  const inPath = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(
    ([, name = ""]): Parameter => ({ name, in: "path", required: true, ...pathParameter(name, endpoint.path) }),
  );
  const declared = endpoint.query === undefined ? {} : schemaOf(endpoint.query);
  const query = components[declared.$ref?.split("/").at(-1) ?? ""] ?? declared;
  const inQuery = Object.entries(query.properties ?? {}).flatMap(([name, schema]): Parameter[] => {
    // The public key is documented as a credential.
    if (name === PUBLIC_KEY_PARAMETER || !isSchema(schema)) return [];
    const { description = "", ...rest } = schema;
    return [{ name, in: "query", required: query.required?.includes(name) === true, description, schema: rest }];
  });
  return [...inPath, ...inQuery, ...(endpoint.idempotent === true ? [idempotencyKey] : [])];
}

function pathParameter(name: string, path: string): Pick<Parameter, "schema" | "description"> {
  const text: JsonSchema = { type: "string" };
  if (name === "hash") return { schema: { $ref: referenceTo("OrderHash") }, description: "The `hash` of the order." };
  if (name === "token") return { schema: { $ref: referenceTo("WidgetToken") }, description: "The `widget_token`." };
  if (name === "rut") return { schema: { $ref: referenceTo("PersonRut") }, description: "RUT of the patient." };
  if (name === "reference") return { schema: text, description: "The last part of the return address." };
  if (path.startsWith("/api/spot/gastos/")) return { schema: text, description: "The `id` of the expense." };
  if (path.startsWith("/api/payouts/")) return { schema: text, description: "The `id` of the payout." };
  return { schema: text, description: "The `id` of the webhook endpoint." };
}

const idempotencyKey: Parameter = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description: "Your own id for this call, up to 255 printable ASCII characters.",
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
      "Id of the request, on every response. Quote it to support. Your own id is kept if it has 16 to 128 letters, digits or `_.:-`, at least one of them a letter, and never 13 digits without a letter between them.",
    required: true,
    schema: { type: "string" },
  },
  "WWW-Authenticate": { description: "Always `Bearer`.", schema: { type: "string" } },
  "Retry-After": { description: "Seconds to wait before the next attempt.", schema: integerText },
  "RateLimit-Limit": {
    description:
      "Requests allowed per window. With several limits, the one closest to being reached. Absent without a limit.",
    schema: integerText,
  },
  "RateLimit-Remaining": { description: "Requests left in this window.", schema: integerText },
  "RateLimit-Reset": { description: "Seconds until the window ends.", schema: integerText },
  "RateLimit-Policy": { description: "`requests;w=seconds`", schema: { type: "string" } },
  "Idempotency-Replayed": {
    description: "`true` if this is the stored response to the same `Idempotency-Key`.",
    schema: { const: "true" },
  },
};

function webhooksOf({ signatureWord }: Deployment, { schemaOf }: ConvertedSchemas): Record<string, PathItem> {
  const eventKinds = webhookEventKindSchema.options;
  return Object.fromEntries(
    eventKinds.map((kind): [string, PathItem] => {
      const example = webhookExample(kind);
      const schema = {
        allOf: [
          schemaOf(webhookEventSchema),
          { type: "object" as const, properties: { event: { const: kind, description: "Kind of the event." } } },
        ],
      };
      const post: Operation = {
        operationId: kind.replace(/[._](\w)/g, (_match, letter: string) => letter.toUpperCase()),
        tags: [WEBHOOK_TAG],
        summary: webhookSummaries[kind],
        description: `Verify the signature over the raw body. Answer with any 2xx within ${WEBHOOK_TIMEOUT_SECONDS} s; a redirect is a failure. The service makes up to ${WEBHOOK_ATTEMPTS_MAX} attempts.`,
        security: [],
        parameters: webhookHeaders(signatureWord),
        requestBody: {
          required: true,
          content: { "application/json": { schema, examples: { [kind]: { value: example } } } },
        },
        responses: { "2XX": { description: "Received. The event is not sent again unless you replay it." } },
      };
      return [kind, { post }];
    }),
  );
}

/** The tag of the webhooks. */
export const WEBHOOK_TAG = "Webhooks";

const webhookSummaries = {
  "order.paid": "The order is paid. Once per order.",
  "order.partially_paid": "The first instalment is captured and the credit is not decided yet.",
  "order.refunded":
    "Something was refunded, in full or in part: see `status`, and `moved` of the refund. Also sent for a lost chargeback on your account (`reason` `chargeback`).",
  "order.failed": "The order can no longer be paid: see `failure`.",
  "order.cancelled":
    "The order was cancelled, expired unpaid, or its credit was refused after the first instalment was captured.",
  "order.changed":
    "Any change of the status, and each refund, for endpoints that subscribe to it. It has its own `event_id` and the `sequence` of the specific event.",
  "order.receipt_missing": `The order was paid ${RECEIPT_DUE_DAYS} days ago and has no receipt, so no reimbursement is claimed. Once per order, for endpoints that subscribe to it.`,
  "order.refund_failed":
    "A refund that was `processing` failed: `refund_id` names it in `refunds`, and its `moved` says what was returned anyway. Once per refund, for endpoints that subscribe to it.",
  "claim.filed": "The insurer has received the claim. For endpoints that subscribe to it, as all kinds below.",
  "claim.held":
    "A document is missing, by our own rules or the insurer's: `missing_document_types` of `data.order.claim` names it. Submit the receipt again with it.",
  "claim.approved": "The insurer has approved the claim. The later charge is due.",
  "claim.rejected": "The insurer has rejected the claim: `rejection_code` of `data.order.claim`, if it gives one.",
  "access.missing": "The claim waits, because the patient has not given access to the insurer's portal.",
  "access.blocked": `The insurer refuses the patient's access. After ${ACCESS_BLOCKED_DAYS} days without a break the later charge is due.`,
  "collection.collected": "The later charge is paid, by card or otherwise.",
  "collection.declined": "The card declined the later charge: the newest of `data.order.payments` has the reason.",
  "collection.failed":
    "The card is charged no more for this order. The patient has to give another one or pay otherwise.",
  "chargeback.opened":
    "The patient's bank has taken money back: `chargeback.amount`. Nothing more is charged meanwhile.",
  "chargeback.closed": "The chargebacks that were open are `won` or `lost`: `chargeback.outcome`, with their sum.",
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
    header("webhook-id", "Same as `event_id`, by Standard Webhooks."),
    header("webhook-timestamp", "When the attempt was sent, in Unix seconds, by Standard Webhooks.", integerText),
    header(
      "webhook-signature",
      "`v1,` and the signature in base64, by Standard Webhooks. Two of them while a secret is rotated.",
    ),
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
