/**
 * This folder is the operators' console: pages that need no script, each of which is also available as data (`Accept:
 * application/json`).
 */

import type { Request } from "express";
import type * as z from "zod";
import type { Clock } from "../../platform/clock.ts";
import type { Html } from "../../platform/http/html.ts";
import type { Environment } from "../../platform/provider.ts";
import type { KnownOperator } from "../operators/operator-store.ts";
import type { Ability } from "../operators/role.ts";

/**
 * One address of the console. Its JSON and its page have the same content, and its form and its JSON body the same
 * fields.
 */
export interface ConsoleEndpoint {
  readonly method: "GET" | "POST";
  /** With parameters in braces: `/orders/{hash}`. */
  readonly path: string;
  /** The ability that the operator's role needs. */
  readonly ability: Ability;
  readonly summary: string;
  readonly query?: z.ZodType;
  /** In a form every value is text; an empty one counts as omitted. */
  readonly body?: z.core.$ZodType;
  readonly answer: z.ZodType;
}

type QueryOf<E extends ConsoleEndpoint> = E extends { readonly query: infer S extends z.ZodType }
  ? z.output<S>
  : undefined;
type BodyOf<E extends ConsoleEndpoint> = E extends { readonly body: infer S extends z.core.$ZodType }
  ? z.output<S>
  : undefined;
export type AnswerOf<E extends ConsoleEndpoint> = z.output<E["answer"]>;

/** A request of a signed-in operator whose inputs have passed the schemas. */
export interface ConsoleContext<E extends ConsoleEndpoint> {
  readonly params: Readonly<Record<string, string>>;
  readonly query: QueryOf<E>;
  readonly body: BodyOf<E>;
  readonly operator: KnownOperator;
  /** `operator:<name>`, for the audit trail. */
  readonly actor: string;
}

/** The context of a page besides its data. */
export interface PageContext {
  readonly operator: KnownOperator;
  readonly environment: Environment;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly clock: Clock;
}

export interface ConsolePage {
  readonly title: string;
  readonly body: Html;
  /** The page reloads after this many seconds, until its work has ended. */
  readonly refreshSeconds?: number;
  /** Sent instead of a page, to be saved. */
  readonly file?: { readonly name: string; readonly type: string; readonly base64: string };
}

interface Definition<E extends ConsoleEndpoint> {
  readonly handle: (context: ConsoleContext<E>) => Promise<AnswerOf<E>>;
  readonly page: (data: AnswerOf<E>, context: PageContext) => ConsolePage;
}

/** A request to any address. That address's own schemas have validated it. */
export interface JudgedContext extends Pick<ConsoleContext<ConsoleEndpoint>, "params" | "operator" | "actor"> {
  readonly query: unknown;
  readonly body: unknown;
}

export interface ConsoleRoute {
  readonly endpoint: ConsoleEndpoint;
  readonly handle: (context: JudgedContext) => Promise<unknown>;
  readonly page: (data: unknown, context: PageContext) => ConsolePage;
}

/** Binds an address to its handler and its page. */
export function consoleRoute<const E extends ConsoleEndpoint>(
  endpoint: E,
  { handle, page }: Definition<E>,
): ConsoleRoute {
  return {
    endpoint,
    // The endpoint decides the types of its inputs and of its answer; TypeScript cannot derive them from a value.
    handle: (context) => handle(context as unknown as ConsoleContext<E>),
    page: (data, context) => page(data as AnswerOf<E>, context),
  };
}

export function consoleEndpoint<const E extends ConsoleEndpoint>(declaration: E): E {
  return declaration;
}

/** Whether the caller requests data instead of the page. */
export function wantsJson(request: Request): boolean {
  return request.accepts(["html", "json"]) === "json";
}
