import * as z from "zod/mini";
import type { GatewayCall } from "../gateway-call.ts";

/**
 * The connector protocol: how the service calls a gateway, or a connector in front of it, over HTTP. It is specified in
 * `docs/reference/gateways.md`. Each gateway has a table of its operations, from which both the HTTP adapter and the
 * sandbox's server are made.
 */

/**
 * The version of the protocol, as in its OpenAPI document. Additions that a connector may ignore raise the second
 * number; new requirements for connectors raise the first.
 */
export const CONNECTOR_PROTOCOL_VERSION = "1.15.0";

/** An operation that changes state at the gateway: it has an idempotency key, and an inquiry for its outcome. */
export interface CallOperation<Input, Outcome> {
  readonly path: string;
  /** False if the service never inquires about the outcome and repeats the call instead. Default: true. */
  readonly isInquired?: boolean;
  readonly input: z.ZodMiniType<Input>;
  /** The port's answers except `unknown`, which means that there is no valid answer. */
  readonly outcome: z.ZodMiniType<Outcome>;
}

/** An operation that only reads, so it can be repeated safely. */
export interface ReadOperation<Input, Answer> {
  readonly path: string;
  readonly input: z.ZodMiniType<Input>;
  readonly answer: z.ZodMiniType<Answer>;
}

export function callOperation<Input, Outcome>(operation: CallOperation<Input, Outcome>): CallOperation<Input, Outcome> {
  return operation;
}

export function readOperation<Input, Answer>(operation: ReadOperation<Input, Answer>): ReadOperation<Input, Answer> {
  return operation;
}

/**
 * A moment in the protocol: ISO 8601, UTC. Years before 1900 are refused, because the database cannot store the year 0.
 * A far future is not: a party may say 9999 for an end that it does not know, and callers bound it.
 */
export const momentSchema = z.pipe(
  z.iso.datetime().check(z.refine((text) => text >= "1900", "must be a time after 1899")),
  z.transform((text: string) => new Date(text)),
);

export const notFoundSchema = z.object({ outcome: z.literal("not_found") });

/** The fields of every call's body besides its input; the idempotency key is a header. */
export const callBodySchema = z.object({
  provider_id: z.string().check(z.minLength(1), z.maxLength(64)),
  at: momentSchema,
  input: z.optional(z.unknown()),
});

export const IDEMPOTENCY_HEADER = "idempotency-key";

/** One page of a list; `next` is sent as `after` in the next request. */
export const pageSchema = <Item>(item: z.ZodMiniType<Item>) =>
  z.object({ items: z.array(item), next: z.nullable(z.string()) });

export const rangeSchema = z.object({
  provider_id: z.string(),
  from: momentSchema,
  to: momentSchema,
  after: z.nullable(z.string().check(z.maxLength(200))),
});

/** The maximum number of lines in one page of a list. */
export const PAGE_ITEMS_MAX = 500;

/** The body of a call or an inquiry. */
export function callBodyOf(call: GatewayCall, input?: unknown): unknown {
  return { provider_id: call.providerId, at: call.at.toISOString(), ...(input === undefined ? {} : { input }) };
}
