import * as z from "zod/mini";
import type { GatewayCall } from "../gateway-call.ts";

/**
 * The connector protocol: how the service speaks HTTP with an outside party, or with a connector in front of one. It is
 * written down in `docs/gateways.md`. Each party has a table of its operations; the HTTP adapter and the service
 * that serves a sandbox are both made from it.
 */

/** Something that changes a state over there: under an idempotency key, with an inquiry beside it. */
export interface CallOperation<Input, Outcome> {
  readonly path: string;
  readonly input: z.ZodMiniType<Input>;
  /** The answers of the port, but for `unknown`, which is no answer. */
  readonly outcome: z.ZodMiniType<Outcome>;
}

/** Something that is only read, so that a repeat does no harm. */
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

/** A moment on the wire: ISO 8601, UTC. */
export const momentSchema = z.pipe(
  z.iso.datetime(),
  z.transform((text: string) => new Date(text)),
);

export const notFoundSchema = z.object({ outcome: z.literal("not_found") });

/** What every call's body says beside its input; the idempotency key is a header. */
export const callBodySchema = z.object({
  provider_id: z.string().check(z.minLength(1), z.maxLength(64)),
  at: momentSchema,
  input: z.optional(z.unknown()),
});

export const IDEMPOTENCY_HEADER = "idempotency-key";

/** One page of a list; `next` goes into the next request's `after`. */
export const pageSchema = <Item>(item: z.ZodMiniType<Item>) =>
  z.object({ items: z.array(item), next: z.nullable(z.string()) });

export const rangeSchema = z.object({
  provider_id: z.string(),
  from: momentSchema,
  to: momentSchema,
  after: z.nullable(z.string().check(z.maxLength(200))),
});

/** Lines that one page of a list holds at most. */
export const PAGE_ITEMS_MAX = 500;

/** The body of a call or an inquiry. */
export function callBodyOf(call: GatewayCall, input?: unknown): unknown {
  return { provider_id: call.providerId, at: call.at.toISOString(), ...(input === undefined ? {} : { input }) };
}
