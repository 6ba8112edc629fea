import type express from "express";
import type * as z from "zod/mini";
import type { Endpoint } from "../../contract/endpoint.ts";
import type { ErrorCode } from "../../contract/errors.ts";
import { NO_COLUMN, type ReadColumn } from "../database/read-column.ts";
import type { KeptAnswer } from "../kept-answer.ts";
import type { Principal } from "../provider.ts";
import { ApiError } from "./api-error.ts";
import { judgeInputs } from "./judge-inputs.ts";
import type { RequestLimit } from "./rate-limit.ts";

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

/** What a request says, before anything was looked up or judged. */
export interface ReceivedRequest {
  /** The parts of the path in braces, decoded and otherwise as they came. */
  readonly params: Readonly<Record<string, string>>;
  readonly requestId: string;
  readonly ip: string;
  readonly request: express.Request;
  /** The parsed JSON before the schema, for a `load` that must find a 404 before the 422; `undefined` without a body. */
  readonly unparsedBody: unknown;
}

/** Who makes a request, once that is known. */
export interface KnownCaller<CallerPrincipal = Principal | null> {
  readonly principal: CallerPrincipal;
  /** Now in the provider's own time; real time where there is no principal. */
  readonly now: Date;
}

/** A request whose `query` and `body` have passed the endpoint's schemas. */
export interface JudgedRequest<Body, Query> extends ReceivedRequest {
  readonly query: Query;
  readonly body: Body;
}

/** What a handler gets. */
export interface RouteContext<Body, Query, Resource, CallerPrincipal = Principal>
  extends JudgedRequest<Body, Query>,
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

/** How many requests may be made about one thing in a window; one too many is answered 429 `rate_limited`. */
export type RouteLimit = RequestLimit;

/** What a request is about, to be read by the statement that admits it. */
export interface Loading<Resource> {
  /** Over the CTE `caller`; null where there is no such thing. */
  readonly column: ReadColumn<unknown>["column"];
  readonly read: (column: unknown, by: KnownCaller & { readonly realNow: Date }) => Resource | null;
  /** What is answered where there is no such thing; null where what is wrong with the request is said afterwards. */
  readonly missing: ErrorCode | null;
}

/** A column of somebody's store as what a request is about. */
export function loading<Resource>({ column, read }: ReadColumn<Resource>, missing: ErrorCode): Loading<Resource> {
  return { column, read, missing };
}

/** For a request that names nothing: it will be refused for its shape, or is about nothing. */
export const NOTHING_NAMED: Loading<never> = { ...NO_COLUMN, missing: null };

/**
 * What a request that keeps its answer itself is to write for that, so that a repeat gets this answer; null where it has no
 * `Idempotency-Key`. `madeOf` is the id of what is made, from which `remake` makes the answer again.
 */
export type KeepAnswer = (answer: Answer, madeOf: string) => KeptAnswer | null;

interface RouteDefinition<E extends Endpoint, Resource> {
  /** What the request is about, for the 404: it is said before anything in the query or the body is judged. */
  readonly load?: (received: ReceivedRequest) => Loading<Resource>;
  /** What this request counts against, once it is known to be well formed. */
  readonly limits?: (judged: JudgedRequest<BodyOf<E>, QueryOf<E>>) => readonly RouteLimit[];
  /** Does it. Throws `ApiError` for every answer that is no success. */
  readonly handle: (context: ContextOf<E, Resource>, keep: KeepAnswer) => Promise<Answer>;
  /**
   * Makes the first answer again, word for word, from what was made. Where it is there, `handle` keeps its successes itself, in the
   * one transaction in which it does what is asked for.
   */
  readonly remake?: (context: ContextOf<E, Resource>, madeOf: string) => Promise<Answer>;
  /**
   * Makes the answer to a repeat under an `Idempotency-Key` whose first answer was a success, where it must show the
   * thing as it is now. Left out, the first answer is repeated word for word.
   */
  readonly replay?: (context: ContextOf<E, Resource>) => Promise<Answer>;
}

/** What an admitted request may be answered with. */
export interface RequestAnswers {
  readonly handle: (keep: KeepAnswer) => Promise<Answer>;
  readonly replay: (() => Promise<Answer>) | undefined;
  readonly remake: ((madeOf: string) => Promise<Answer>) | undefined;
}

/** What a request asks for, as far as it can be known from itself. */
export type Question = { readonly loading: Loading<unknown> } & (
  | {
      /** The 422, to be said once it is known that there is what the request is about. */
      readonly refusal: ApiError;
    }
  | {
      readonly refusal: null;
      readonly limits: readonly RouteLimit[];
      readonly answersTo: (caller: KnownCaller, resource: unknown) => RequestAnswers;
    }
);

/** An endpoint's declaration with the functions that answer it. */
export interface Route {
  readonly endpoint: Endpoint;
  readonly keepsItsAnswer: boolean;
  readonly ask: (received: ReceivedRequest) => Question;
}

/**
 * Binds an endpoint of the contract to what answers it. The checks run in this order: 401, unreadable body 400, 403, 404
 * (`load`), 422 (the schemas), 429 (`limits`), and then `handle` with its 400, 409 and 410. All before `handle` are made of what the
 * request says and of one statement; whatever is refused by them has changed nothing but the count of a limit that refuses it.
 */
export function defineRoute<const E extends Endpoint, Resource = undefined>(
  endpoint: E,
  definition: RouteDefinition<E, Resource>,
): Route {
  const { load, limits, remake } = definition;
  return {
    endpoint,
    keepsItsAnswer: remake !== undefined,
    ask(received) {
      const wanted: Loading<unknown> = load?.(received) ?? NOTHING_NAMED;
      const judged = judge(endpoint, received);
      if (judged instanceof ApiError) return { loading: wanted, refusal: judged };
      return {
        loading: wanted,
        refusal: null,
        limits: limits?.(judged) ?? [],
        // The declaration says which principal and resource there are; TypeScript cannot follow it from value to type.
        answersTo: (caller, resource) =>
          answersTo(definition, { ...judged, ...caller, resource } as ContextOf<E, Resource>),
      };
    },
  };
}

function judge<E extends Endpoint>(
  endpoint: E,
  received: ReceivedRequest,
): JudgedRequest<BodyOf<E>, QueryOf<E>> | ApiError {
  try {
    const { query, body } = judgeInputs(endpoint, { query: received.request.query, body: received.unparsedBody });
    return { ...received, query: query as QueryOf<E>, body: body as BodyOf<E> };
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

function answersTo<E extends Endpoint, Resource>(
  { handle, replay, remake }: RouteDefinition<E, Resource>,
  context: ContextOf<E, Resource>,
): RequestAnswers {
  return {
    handle: (keep) => handle(context, keep),
    replay: replay === undefined ? undefined : () => replay(context),
    remake: remake === undefined ? undefined : (madeOf) => remake(context, madeOf),
  };
}
