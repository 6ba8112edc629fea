import { commonErrors, type Endpoint } from "../contract/endpoint.ts";
import {
  type ErrorAdditions,
  type ErrorCode,
  errorBodySchema,
  errorCodes,
  orderNotFoundBodySchema,
} from "../contract/errors.ts";
import type { ConvertedSchemas } from "./contract-schemas.ts";
import type { Example, JsonSchema, Response } from "./openapi-document.ts";
import { quoteExample } from "./order-example.ts";

/** All error codes of an endpoint, by status. */
export function errorsByStatus(endpoint: Endpoint): Map<number, ErrorCode[]> {
  const codes = new Set<ErrorCode>([...endpoint.errors, ...commonErrors(endpoint)]);
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of [...codes].sort((a, b) => errorCodes[a].status - errorCodes[b].status)) {
    const { status } = errorCodes[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return byStatus;
}

/**
 * Codes that no endpoint declares, with the places that return them. Every code of the closed list is either here or
 * declared by an endpoint.
 */
export const codesBesideEndpoints: Partial<Record<ErrorCode, Readonly<Record<"en" | "es", string>>>> = {
  not_found: { en: "At every unknown address.", es: "En toda dirección desconocida." },
  method_not_allowed: {
    en: "At every address of an endpoint, for a method that it does not take.",
    es: "En la dirección de un endpoint, con un método que no acepta.",
  },
};

/**
 * Examples of the fields that an error has besides `detail` and `code`. Codes that are absent here have no more fields.
 */
export const errorAdditionExamples: Partial<Record<ErrorCode, ErrorAdditions>> = {
  validation_error: { errors: [{ path: "customer.rut", message: "must be a RUT with its check digit" }] },
  processing_error: {
    errors: [{ path: "skip_pay_order_id", message: "names no order of this provider and patient" }],
  },
  provider_rut_required: { errors: [{ path: "provider_rut", message: "a meta-provider must name the centre" }] },
  duplicate_reference: { order_hash: "0b6f2f0c-5f0e-4c8a-9d3b-2f6f0f0d7a11" },
  webhook_endpoint_exists: { webhook_endpoint_id: "4e2c8f31-6d0a-4b7e-8a55-0c1d9f3b2a67" },
  quote_changed: { quote: quoteExample },
  card_declined: { decline_reason: "insufficient_funds" },
  credit_declined: {
    reasons: ["El monto supera el cupo disponible para este RUT."],
    first_instalment: "not_charged",
  },
  refund_refused: { reason: "charge_disputed" },
  identity_rejected: { attempts_left: 4 },
  identity_document_not_valid: { attempts_left: 4 },
  identity_attempts_exhausted: { attempts_left: 0, retry_after_seconds: 3_540 },
  RUT_OTHER_EMAIL: { email_hint: "r•••@e•••.com", recovery: ["email_code", "identity"] },
  recovery_code_invalid: { attempts_left: 4 },
  email_change_unsettled: { retry_after_seconds: 86_400 },
  rate_limited: { retry_after_seconds: 42 },
};

/** The body of an error response, as the service would send it. */
export function exampleOfError(
  code: ErrorCode,
  endpoint: Pick<Endpoint, "family" | "caller">,
): Record<string, unknown> {
  const { status, en, es } = errorCodes[code];
  const words = endpoint.caller === "widget" ? es : en;
  if (isObjectDetail(endpoint, status)) return { detail: { error_code: code, message: words }, code };
  const requestId = status >= 500 ? { request_id: "5d1c9b7e-3c3f-4c37-9e0a-2d0d7c1f6a55" } : {};
  return { detail: words, code, ...errorAdditionExamples[code], ...requestId };
}

/** One error status of an endpoint, with the codes that can occur with it. */
export function errorResponse(
  endpoint: Endpoint,
  status: number,
  codes: readonly ErrorCode[],
  { schemaOf }: ConvertedSchemas,
): Response {
  return {
    description: codes.map((code) => `\`${code}\`: ${errorCodes[code].en}`).join("\n\n"),
    headers: headersOf(endpoint, status, codes),
    content: {
      "application/json": {
        schema: isObjectDetail(endpoint, status)
          ? narrowedTo(schemaOf(orderNotFoundBodySchema), {
              code: oneOfCodes(codes),
              detail: {
                type: "object",
                description: "The error as an object.",
                properties: {
                  error_code: oneOfCodes(codes),
                  message: { type: "string", description: "Explanation for people." },
                },
              },
            })
          : narrowedTo(schemaOf(errorBodySchema), { code: oneOfCodes(codes) }),
        examples: Object.fromEntries(
          codes.map((code): [string, Example] => [code, { value: exampleOfError(code, endpoint) }]),
        ),
      },
    },
    "x-codes": codes,
  };
}

/** A success response of an endpoint. The schema `z.undefined()` means a response without a body. */
export function successResponse(
  endpoint: Endpoint,
  status: number,
  { schemaOf, components }: ConvertedSchemas,
  examples: Readonly<Record<string, Example>>,
): Response {
  const schema = endpoint.success[status];
  const hasBody = schema !== undefined && schema._zod.def.type !== "undefined" && schema._zod.def.type !== "void";
  return {
    description: [successWords[status], hasBody && bodyDescription(schemaOf(schema), components)]
      .filter((words) => typeof words === "string")
      .join(" "),
    headers: headersOf(endpoint, status, []),
    ...(hasBody ? { content: { "application/json": { schema: schemaOf(schema), examples } } } : {}),
  };
}

function bodyDescription({ $ref = "" }: JsonSchema, components: ConvertedSchemas["components"]): string | undefined {
  return components[$ref.split("/").at(-1) ?? ""]?.description;
}

const successWords: Readonly<Record<number, string>> = {
  200: "Success.",
  201: "Created.",
  202: "Accepted. The work continues after the response.",
  204: "Success. The response has no body.",
};

/** Whether `detail` is an object, as in the 404 of an order endpoint. */
function isObjectDetail({ family }: Pick<Endpoint, "family">, status: number): boolean {
  return family === "order" && status === 404;
}

function oneOfCodes(codes: readonly ErrorCode[]): JsonSchema {
  return { enum: [...codes], description: "Error code, one of those of this status." };
}

function narrowedTo(base: JsonSchema, properties: Record<string, JsonSchema>): JsonSchema {
  return { allOf: [base, { type: "object", properties }] };
}

const RETRY_AFTER_CODES: ReadonlySet<ErrorCode> = new Set([
  "rate_limited",
  "service_unavailable",
  "identity_attempts_exhausted",
  "email_change_unsettled",
]);

function headersOf(endpoint: Endpoint, status: number, codes: readonly ErrorCode[]): Record<string, { $ref: string }> {
  const isReplayable = endpoint.idempotent === true && status < 500 && status !== 429 && status !== 401;
  const names = [
    "X-Request-Id",
    ...(status === 401 ? ["WWW-Authenticate"] : []),
    ...(codes.some((code) => RETRY_AFTER_CODES.has(code)) ? ["Retry-After"] : []),
    ...(status === 401 || status >= 500 ? [] : RATE_LIMIT_HEADERS),
    ...(isReplayable ? ["Idempotency-Replayed"] : []),
  ];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

const RATE_LIMIT_HEADERS = ["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset", "RateLimit-Policy"];
