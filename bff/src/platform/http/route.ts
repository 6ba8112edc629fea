import type express from "express";
import type * as z from "zod/mini";
import type { Endpoint } from "../../contract/endpoint.ts";
import type { ErrorCode } from "../../contract/errors.ts";
import { NO_COLUMN, type ReadColumn } from "../database/read-column.ts";
import type { KeptAnswer } from "../kept-answer.ts";
import type { Principal } from "../provider.ts";
import type { Traceparent } from "../tracing/traceparent.ts";
import type { SpanSubject } from "../tracing/tracing.ts";
import { ApiError } from "./api-error.ts";
import type { RequestLimit } from "./rate-limit.ts";
import { validateInputs } from "./validate-inputs.ts";

/** The type of the parsed body; `undefined` for an endpoint that declares none. */
export type BodyOf<E extends Endpoint> = E extends { readonly body: infer Schema extends z.ZodMiniType }
  ? z.output<Schema>
  : undefined;

/** The type of the parsed query; `undefined` for an endpoint that declares none. */
export type QueryOf<E extends Endpoint> = E extends { readonly query: infer Schema extends z.ZodMiniType }
  ? z.output<Schema>
  : undefined;

/** `null` if the secret is in the path, because then no provider is identified. */
export type PrincipalOf<E extends Endpoint> = E["credentials"] extends readonly [] ? null : Principal;

/** A request before anything was looked up or validated. */
export interface ReceivedRequest {
  /** The path's parameters, URL-decoded and not validated. */
  readonly params: Readonly<Record<string, string>>;
  readonly requestId: string;
  readonly ip: string;
  readonly request: express.Request;
  /** The parsed JSON before validation, for a `load` whose 404 comes before the 422; `undefined` without a body. */
  readonly unparsedBody: unknown;
}

/** The caller of a request, and the present time for that caller. */
export interface KnownCaller<CallerPrincipal = Principal | null> {
  readonly principal: CallerPrincipal;
  /** The provider's current time; real time without a principal. */
  readonly now: Date;
}

/** A request whose `query` and `body` have passed the endpoint's schemas. */
export interface ValidRequest<Body, Query> extends ReceivedRequest {
  readonly query: Query;
  readonly body: Body;
}

/** The input of a handler. */
export interface RouteContext<Body, Query, Resource, CallerPrincipal = Principal>
  extends ValidRequest<Body, Query>,
    KnownCaller<CallerPrincipal> {
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

/** How many requests may be made about one subject in a window. Any more are answered with 429 `rate_limited`. */
export type RouteLimit = RequestLimit;

/** Loads the resource of a request, within the statement that admits the request. */
export interface Loading<Resource> {
  /** Selects from the CTE `caller`; null if the resource does not exist. */
  readonly column: ReadColumn<unknown>["column"];
  readonly read: (column: unknown, by: KnownCaller & { readonly realNow: Date }) => Resource | null;
  /** The error if the resource does not exist; null if the other checks then answer the request. */
  readonly missing: ErrorCode | null;
  /**
   * Whether a request about a missing resource counts against the limits, because "not found" reveals who is
   * registered. Only at endpoints that declare `showsWhoIsRegistered`.
   */
  readonly countsMissing?: boolean;
  about?(resource: Resource): RequestSubject;
}

/** The subject of a request, for its log lines and its trace. */
export interface RequestSubject {
  readonly subject: SpanSubject;
  /** The trace of the subject; null if it has none. */
  readonly trace: Traceparent | null;
}

/** Loads the resource of a request by a column that a store offers. */
export function loading<Resource>(
  { column, read }: ReadColumn<Resource>,
  missing: ErrorCode,
  about?: (resource: Resource) => RequestSubject,
): Loading<Resource> {
  return { column, read, missing, ...(about === undefined ? {} : { about }) };
}

/** For a request that names no resource, or whose shape does not reveal which one. */
export const NOTHING_NAMED: Loading<never> = { ...NO_COLUMN, missing: null };

/**
 * Creates the row in which a handler stores its own answer, so that a repeat gets the same answer; null if the request
 * has no `Idempotency-Key`. `createdId` is the id of the created resource, from which `rebuild` rebuilds the answer.
 */
export type KeepAnswer = (answer: Answer, createdId: string) => KeptAnswer | null;

interface RouteDefinition<E extends Endpoint, Resource> {
  /** Finds the resource of the request. Its 404 comes before query and body are validated. */
  readonly load?: (received: ReceivedRequest) => Loading<Resource>;
  /** The limits that a valid request counts against. */
  readonly limits?: (valid: ValidRequest<BodyOf<E>, QueryOf<E>>) => readonly RouteLimit[];
  /** Handles the request. Throws `ApiError` for every answer other than a success. */
  readonly handle: (context: ContextOf<E, Resource>, keep: KeepAnswer) => Promise<Answer>;
  /**
   * Rebuilds the first answer, word for word, from the id of the created resource. If it is defined, `handle` must keep
   * its successful answers itself, in the transaction of its change.
   */
  readonly rebuild?: (context: ContextOf<E, Resource>, createdId: string) => Promise<Answer>;
  /**
   * Answers a repeat with the same `Idempotency-Key` if the first answer was a success and a repeat must show the
   * current state. Without it, the first answer is repeated word for word.
   */
  readonly replay?: (context: ContextOf<E, Resource>) => Promise<Answer>;
  /** `handle` answers repeats itself, with `answerReceivedOnce`, because it reads the body. */
  readonly answersRepeats?: boolean;
}

/** The ways to answer an admitted request. */
export interface RequestAnswers {
  readonly handle: (keep: KeepAnswer) => Promise<Answer>;
  readonly replay: (() => Promise<Answer>) | undefined;
  readonly rebuild: ((createdId: string) => Promise<Answer>) | undefined;
}

/** The content of a request, as far as the request alone shows it. */
export type ParsedRequest = { readonly loading: Loading<unknown> } & (
  | {
      /** The 422, thrown once the request's resource has been found. */
      readonly refusal: ApiError;
    }
  | {
      readonly refusal: null;
      readonly limits: readonly RouteLimit[];
      readonly answersTo: (caller: KnownCaller, resource: unknown) => RequestAnswers;
    }
);

/** An endpoint of the contract with its implementation. */
export interface Route {
  readonly endpoint: Endpoint;
  readonly keepsItsAnswer: boolean;
  readonly answersRepeats: boolean;
  readonly parse: (received: ReceivedRequest) => ParsedRequest;
}

/**
 * Binds an endpoint of the contract to its implementation. The checks run in this order: 401, unreadable body 400, 403,
 * 404 (`load`), 422 (the schemas), 429 (`limits`), then `handle` with its 400, 409 and 410. All checks before `handle`
 * need only the request and one statement. A request that they refuse changes nothing except the count of a limit.
 */
export function defineRoute<const E extends Endpoint, Resource = undefined>(
  endpoint: E,
  definition: RouteDefinition<E, Resource>,
): Route {
  const { load, limits, rebuild, answersRepeats = false } = definition;
  return {
    endpoint,
    keepsItsAnswer: rebuild !== undefined,
    answersRepeats,
    parse(received) {
      const wanted: Loading<unknown> = load?.(received) ?? NOTHING_NAMED;
      const valid = validate(endpoint, received);
      if (valid instanceof ApiError) return { loading: wanted, refusal: valid };
      return {
        loading: wanted,
        refusal: null,
        limits: limits?.(valid) ?? [],
        // The endpoint decides the types of principal and resource; TypeScript cannot derive them from a value.
        answersTo: (caller, resource) =>
          answersTo(definition, { ...valid, ...caller, resource } as ContextOf<E, Resource>),
      };
    },
  };
}

function validate<E extends Endpoint>(
  endpoint: E,
  received: ReceivedRequest,
): ValidRequest<BodyOf<E>, QueryOf<E>> | ApiError {
  try {
    const { query, body } = validateInputs(endpoint, { query: received.request.query, body: received.unparsedBody });
    return { ...received, query: query as QueryOf<E>, body: body as BodyOf<E> };
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

function answersTo<E extends Endpoint, Resource>(
  { handle, replay, rebuild }: RouteDefinition<E, Resource>,
  context: ContextOf<E, Resource>,
): RequestAnswers {
  return {
    handle: (keep) => handle(context, keep),
    replay: replay === undefined ? undefined : () => replay(context),
    rebuild: rebuild === undefined ? undefined : (createdId) => rebuild(context, createdId),
  };
}
