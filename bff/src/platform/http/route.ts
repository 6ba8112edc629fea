import type express from "express";
import type * as z from "zod/mini";
import type { Endpoint } from "../../contract/endpoint.ts";
import type { FieldIssue } from "../../contract/errors.ts";
import { holdsCardNumber } from "../../contract/vocabulary/card-number.ts";
import { readPhone } from "../../contract/vocabulary/phone.ts";
import type { Principal, PrincipalVersion } from "../provider.ts";
import type { Admission, Admitted } from "./admission-store.ts";
import { ApiError } from "./api-error.ts";
import type { KeptAnswer } from "./idempotency-store.ts";
import type { RateLimit } from "./rate-limit.ts";

/** What an endpoint's declaration makes of a request's body; `undefined` where it declares none. */
export type BodyOf<E extends Endpoint> = E extends { readonly body: infer Schema extends z.ZodMiniType }
  ? z.output<Schema>
  : undefined;

/** What an endpoint's declaration makes of the query; `undefined` where it declares none. */
export type QueryOf<E extends Endpoint> = E extends { readonly query: infer Schema extends z.ZodMiniType }
  ? z.output<Schema>
  : undefined;

/** `null` where the path itself holds the secret, so that nobody has proved who they are. */
export type PrincipalOf<E extends Endpoint> = E["credentials"] extends readonly [] ? null : Principal;

/** What is known of a request once it is authenticated and its body could be read, before anything in it is judged. */
export interface ReceivedRequest<CallerPrincipal = Principal | null> {
  readonly principal: CallerPrincipal;
  /** The parts of the path in braces, decoded and otherwise as they came. */
  readonly params: Readonly<Record<string, string>>;
  /** Now in the provider's own time; real time where there is no principal. */
  readonly now: Date;
  readonly requestId: string;
  readonly ip: string;
  readonly request: express.Request;
  /** The parsed JSON before the schema, for a `load` that must find a 404 before the 422; `undefined` without a body. */
  readonly unparsedBody: unknown;
}

/** What a handler gets. `query` and `body` have passed the endpoint's schemas. */
export interface RouteContext<Body, Query, Resource, CallerPrincipal = Principal>
  extends ReceivedRequest<CallerPrincipal> {
  readonly query: Query;
  readonly body: Body;
  readonly resource: Resource;
}

/** The context of one endpoint's handler. */
export type ContextOf<E extends Endpoint, Resource = undefined> = RouteContext<
  BodyOf<E>,
  QueryOf<E>,
  Resource,
  PrincipalOf<E>
>;

export interface Answer {
  readonly status: number;
  /** Sent as JSON; `undefined` sends no body. */
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** How many requests may be made about one thing in a window; one too many is answered 429 `rate_limited`. */
export type RouteLimit = RateLimit;

/** What a handler writes beside its own, in one statement. */
export interface WriteOnce {
  /** The caller must still be who it was: see `principalStands`. */
  readonly version: PrincipalVersion;
  /**
   * What to keep (`keptWith`), so that a repeat gets this answer; null where the request has no `Idempotency-Key`. `madeOf`
   * is the id of what is made, from which `remake` makes the answer again.
   */
  keep(answer: Answer, madeOf: string): KeptAnswer | null;
}

/** What a statement that loads settles beside that. */
export interface LoadedBeside {
  readonly version: PrincipalVersion;
  readonly admission: Admission;
}

export interface LoadedAtOnce<Resource> {
  readonly resource: Resource;
  readonly admitted: Admitted;
}

interface RouteDefinition<E extends Endpoint, Resource> {
  /** Finds what the path names; throws its 404. Runs before anything in the query or the body is judged. */
  readonly load?: (received: ReceivedRequest<PrincipalOf<E>>) => Promise<Resource>;
  /**
   * The same in one statement that also confirms a caller that is remembered and not yet proved (`versionStands`), and settles
   * the request's admission (`loadingWith`). Null, with nothing settled, wherever there is anything else to be said: then the
   * caller is looked up, and `load` runs. Only for endpoints without `limitsOfResource`.
   */
  readonly loadAtOnce?: (
    received: ReceivedRequest<PrincipalOf<E>>,
    beside: LoadedBeside,
  ) => Promise<LoadedAtOnce<Resource> | null>;
  /** What this request counts against, once it is known to be well formed. */
  readonly limits?: (context: Omit<ContextOf<E>, "resource">) => readonly RouteLimit[];
  /** The same, for limits that only what was loaded tells. */
  readonly limitsOfResource?: (context: ContextOf<E, Resource>) => readonly RouteLimit[];
  /** Does it. Throws `ApiError` for every answer that is no success. */
  readonly handle: (context: ContextOf<E, Resource>) => Promise<Answer>;
  /**
   * Does it in a single statement, for a caller that is remembered and not yet proved: the statement confirms the caller,
   * does what is asked for, and keeps the answer. Null, or any refusal, means that nothing was done: then everything is
   * looked at from the beginning, one thing after the other, with `handle`.
   */
  readonly handleAtOnce?: (context: ContextOf<E, Resource>, once: WriteOnce) => Promise<Answer | null>;
  /** Makes the first answer again, word for word, from what `handleAtOnce` made. */
  readonly remake?: (context: ContextOf<E, Resource>, madeOf: string) => Promise<Answer>;
  /**
   * Makes the answer to a repeat under an `Idempotency-Key` whose first answer was a success, where it must show the
   * thing as it is now. Left out, the first answer is repeated word for word.
   */
  readonly replay?: (context: ContextOf<E, Resource>) => Promise<Answer>;
}

/** A request that has passed every check that needs no effect. */
export interface PreparedRequest {
  readonly limits: readonly RouteLimit[];
  readonly handle: () => Promise<Answer>;
  readonly replay: (() => Promise<Answer>) | undefined;
  readonly handleAtOnce: ((once: WriteOnce) => Promise<Answer | null>) | undefined;
  readonly remake: ((madeOf: string) => Promise<Answer>) | undefined;
}

/** An endpoint's declaration with the functions that answer it. */
export interface Route {
  readonly endpoint: Endpoint;
  /** Whether what is prepared may be handled in a single statement. */
  readonly isAtOnce: boolean;
  /** Takes a request from 404 to 422: loads, refuses a card in the clear, holds query and body against the schemas. */
  readonly prepare: (received: ReceivedRequest) => Promise<PreparedRequest>;
  /** The same with `loadAtOnce`, where the endpoint has it. Throws what there is to refuse in the request itself. */
  readonly prepareAtOnce: ((received: ReceivedRequest) => PreparedAtOnce) | undefined;
}

/** A request that has passed every check for which nothing has to be loaded. */
export interface PreparedAtOnce {
  readonly limits: readonly RouteLimit[];
  /** Null where the caller must be looked up first; then nothing was settled. */
  readonly load: (
    beside: LoadedBeside,
  ) => Promise<{ readonly prepared: PreparedRequest; readonly admitted: Admitted } | null>;
}

/**
 * Binds an endpoint of the contract to what answers it. The checks run in this order: 401, unreadable body 400, 403
 * (all by `mountRoutes`), 404 (`load`), 422 (the schemas), 429 (`limits`), and then `handle` with its 400, 409 and 410.
 */
export function defineRoute<const E extends Endpoint, Resource = undefined>(
  endpoint: E,
  definition: RouteDefinition<E, Resource>,
): Route {
  const { load, loadAtOnce, limitsOfResource } = definition;
  // The declaration says which principal, query and body there are; TypeScript cannot follow it from value to type.
  const typed = (received: ReceivedRequest) => received as ReceivedRequest<PrincipalOf<E>>;
  return {
    endpoint,
    isAtOnce: definition.handleAtOnce !== undefined,
    async prepare(received) {
      const resource = (await load?.(typed(received))) as Resource;
      return prepared(definition, judged(endpoint, typed(received)), resource);
    },
    prepareAtOnce:
      loadAtOnce === undefined || limitsOfResource !== undefined
        ? undefined
        : (received) => {
            const context = judged(endpoint, typed(received));
            return {
              limits: definition.limits?.(context) ?? [],
              async load(beside) {
                const loaded = await loadAtOnce(typed(received), beside);
                if (loaded === null) return null;
                return { prepared: prepared(definition, context, loaded.resource), admitted: loaded.admitted };
              },
            };
          },
  };
}

/** Takes a request through the 422s. */
function judged<E extends Endpoint>(
  endpoint: E,
  received: ReceivedRequest<PrincipalOf<E>>,
): Omit<ContextOf<E>, "resource"> {
  if (endpoint.caller === "widget") refuseCardInTheClear(received.unparsedBody);
  const { query, body } = readInputs(endpoint, received);
  return { ...received, query: query as QueryOf<E>, body: body as BodyOf<E> };
}

function prepared<E extends Endpoint, Resource>(
  definition: RouteDefinition<E, Resource>,
  request: Omit<ContextOf<E>, "resource">,
  resource: Resource,
): PreparedRequest {
  const context = { ...request, resource };
  const { limits, limitsOfResource, replay, handleAtOnce, remake } = definition;
  return {
    limits: [...(limits?.(request) ?? []), ...(limitsOfResource?.(context) ?? [])],
    handle: () => definition.handle(context),
    replay: replay === undefined ? undefined : () => replay(context),
    handleAtOnce: handleAtOnce === undefined ? undefined : (once) => handleAtOnce(context, once),
    remake: remake === undefined ? undefined : (madeOf) => remake(context, madeOf),
  };
}

/** Holds query and body against the declaration; throws 422 with everything that is amiss in both. */
function readInputs(
  endpoint: Endpoint,
  received: Pick<ReceivedRequest, "request" | "unparsedBody">,
): { query: unknown; body: unknown } {
  const issues: FieldIssue[] = [];
  const query = readInput(endpoint.query, received.request.query, issues);
  const body = readInput(endpoint.body, received.unparsedBody, issues);
  if (issues.length > 0) throw new ApiError("validation_error", { errors: issues.slice(0, ISSUES_MAX) });
  return { query, body };
}

/** Issues that one answer lists at most. */
const ISSUES_MAX = 50;

function readInput(schema: z.ZodMiniType | undefined, input: unknown, issues: FieldIssue[]): unknown {
  if (schema === undefined) return undefined;
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  for (const issue of result.error.issues) issues.push(...fieldIssuesOf(issue));
  return undefined;
}

function fieldIssuesOf(issue: z.core.$ZodIssue): FieldIssue[] {
  const pathTo = (...names: string[]) => [...issue.path.map(String), ...names].join(".");
  if (issue.code !== "unrecognized_keys") return [{ path: pathTo(), message: issue.message }];
  return issue.keys.map((name) => ({ path: pathTo(name), message: "is not a field of this request" }));
}

/** Values that hold long digits by chance and never a card: UUIDs, hashes, compact JWE. */
const SAFE_SHAPES = /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{64}|[\w-]+(?:\.[\w-]+){4})$/i;

/** Throws 422 when any value or name in the body very probably is a card number in the clear. */
function refuseCardInTheClear(body: unknown): void {
  const pending: unknown[] = [body];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value === "string" || typeof value === "number") {
      const text = String(value);
      if (!SAFE_SHAPES.test(text) && holdsCardNumber(text)) throw new ApiError("raw_card_refused");
    } else if (typeof value === "object" && value !== null) {
      for (const [name, child] of Object.entries(value)) {
        pending.push(name);
        if (name !== "phone_number" || !isTooShortForACard(child)) pending.push(child);
      }
    }
  }
}

/** Cards that are issued have 14 digits at least; only those of long ago had 13. */
const TELEPHONE_DIGITS_MAX = 13;

/**
 * Is it a telephone number that cannot be a card? With its country code a foreign mobile has up to 13 digits, and may by
 * chance begin like a card and pass Luhn's check.
 */
function isTooShortForACard(typed: unknown): boolean {
  const phone = typeof typed === "string" ? readPhone(typed) : null;
  return phone !== null && phone.length <= "+".length + TELEPHONE_DIGITS_MAX;
}
