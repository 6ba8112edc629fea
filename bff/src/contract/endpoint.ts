import type * as z from "zod/mini";
import type { ErrorCode } from "./errors.ts";

/** How a caller proves who it is. */
export type Credential = "client_secret" | "client_id" | "public_key" | "secret_key";

/**
 * One line of the interface's endpoint table: what the routes mount, what the OpenAPI document is generated from, and
 * what every answer in a test is held against.
 */
export interface Endpoint {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** With parameters in braces, as in the interface: `/orders/{hash}/payment`. */
  readonly path: string;
  /** Order endpoints answer a 404 with an object in `detail`, the others with a string. */
  readonly family: "order" | "spot";
  /** Whom the text in `detail` is for: partners read English, the widget's patients Spanish. */
  readonly caller: "partner" | "widget";
  /** Any one of these opens it; empty where the path itself holds the secret. */
  readonly credentials: readonly Credential[];
  /** Needed beside the credential. */
  readonly also?: readonly Credential[];
  readonly scope?: string;
  /**
   * Takes the public credential of a provider that is not active any more: what the service has sent to patients goes on, as
   * what they owe does. Such an endpoint opens nothing but with a token that the service has made.
   */
  readonly ofSelfServiceLinks?: boolean;
  readonly summary: string;
  readonly query?: z.ZodMiniType;
  readonly body?: z.ZodMiniType;
  readonly multipart?: boolean;
  readonly success: Readonly<Record<number, z.ZodMiniType>>;
  /** Beside those of `commonErrors`. */
  readonly errors: readonly ErrorCode[];
  /** Takes `Idempotency-Key`. */
  readonly idempotent?: boolean;
}

/** What an endpoint may answer without having to say so itself. */
export function commonErrors(endpoint: Endpoint): readonly ErrorCode[] {
  return [
    "rate_limited",
    "internal_error",
    "service_unavailable",
    ...(endpoint.body === undefined
      ? []
      : (["malformed_json", "unreadable_body", "body_too_large", "validation_error"] as const)),
    ...(endpoint.idempotent
      ? (["idempotency_in_flight", "idempotency_key_reused", "idempotency_key_malformed"] as const)
      : []),
    // The widget host forwards its calls where the API lives elsewhere.
    ...(endpoint.caller === "widget" ? (["upstream_unavailable"] as const) : []),
  ];
}

/** Keeps the literal types of a declaration. */
export function endpoint<const E extends Endpoint>(declaration: E): E {
  return declaration;
}
