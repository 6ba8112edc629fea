/**
 * This folder declares the service's HTTP interface: its endpoints, schemas, errors and terms, for the server, the
 * widget and the documentation.
 */

import type * as z from "zod/mini";
import type { ErrorCode } from "./errors.ts";

/** The credentials with which a caller proves who it is. */
export type Credential = "client_secret" | "client_id" | "public_key" | "secret_key";

/**
 * One endpoint of the interface. The routes are mounted from it, the OpenAPI document is generated from it, and tests
 * check every response against it.
 */
export interface Endpoint {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** With parameters in braces, as in the interface: `/orders/{hash}/payment`. */
  readonly path: string;
  /** Order endpoints answer 404 with an object in `detail`, the others with a string. */
  readonly family: "order" | "spot";
  /** The reader of the text in `detail`: partners read English, the widget's patients Spanish. */
  readonly caller: "partner" | "widget";
  /** Any one of these is enough; empty if the path itself holds the secret. */
  readonly credentials: readonly Credential[];
  /** Required in addition to the credential. */
  readonly also?: readonly Credential[];
  /**
   * May be sent in addition to the credential, and must then be valid. With a secret, limits by address do not apply.
   */
  readonly optional?: Credential;
  readonly scope?: string;
  /**
   * Accepts the public credential of an inactive provider, because links sent to patients stay usable and their debts
   * remain. Such an endpoint also requires a token created by the service.
   */
  readonly ofSelfServiceLinks?: boolean;
  /** What the operation does, in a few words. */
  readonly summary: string;
  /** Further information for callers, for the reference. */
  readonly description: string;
  readonly query?: z.ZodMiniType;
  readonly body?: z.ZodMiniType;
  readonly multipart?: boolean;
  /**
   * The one field of the body that is refused in the query, with its error code. By default, each is refused with 422.
   */
  readonly misplaced?: { readonly field: string; readonly code: ErrorCode };
  /** Whether a card number in its texts is masked with dots instead of refused, because the receipt must arrive. */
  readonly masksCardNumbers?: boolean;
  readonly success: Readonly<Record<number, z.ZodMiniType>>;
  /** In addition to those of `commonErrors`. */
  readonly errors: readonly ErrorCode[];
  /** Whether its answers reveal if a RUT is registered, so that its calls are limited; see `address-limits.ts`. */
  readonly showsWhoIsRegistered?: boolean;
  /** Accepts `Idempotency-Key`. */
  readonly idempotent?: boolean;
}

/** The size limits of a JSON body. */
export interface BodyLimits {
  readonly bytesMax: number;
  /** Values of all types, including those in lists and objects. */
  readonly valuesMax: number;
}

/** No valid body has half as many values. */
export const BODY_LIMITS: BodyLimits = { bytesMax: 64 * 1024, valuesMax: 4_096 };
/** Lower limits for public credentials, which anyone can obtain. */
export const PUBLIC_BODY_LIMITS: BodyLimits = { bytesMax: 16 * 1024, valuesMax: 512 };

/** The limits of an endpoint's body: the larger ones only if its callers need a secret. */
export function bodyLimits({ credentials, also = [] }: Pick<Endpoint, "credentials" | "also">): BodyLimits {
  const isSecret = (credential: Credential) => credential === "client_secret" || credential === "secret_key";
  const needsSecret = (credentials.length > 0 && credentials.every(isSecret)) || also.some(isSecret);
  return needsSecret ? BODY_LIMITS : PUBLIC_BODY_LIMITS;
}

/** The errors that every endpoint may answer, in addition to those that it declares. */
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
    // The widget host forwards these calls if the API runs on another server.
    ...(endpoint.caller === "widget" ? (["upstream_unavailable"] as const) : []),
  ];
}

/** Keeps the literal types of a declaration. */
export function endpoint<const E extends Endpoint>(declaration: E): E {
  return declaration;
}
