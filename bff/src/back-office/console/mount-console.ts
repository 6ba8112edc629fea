import { parseCookie, stringifySetCookie } from "cookie";
import express, { type Express, type Request, type Response } from "express";
import * as z from "zod";
import { ResolutionRefused } from "../../platform/exceptions.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import { expressMethod, expressPath } from "../../platform/http/express-endpoint.ts";
import { isStorable, readJsonBody } from "../../platform/http/json-body.ts";
import { asApiError } from "../../platform/http/render-error.ts";
import { requestContextOf } from "../../platform/http/request-context.ts";
import { fieldIssues } from "../../platform/http/unknown-fields.ts";
import { NoTermsAgreed } from "../../settlement/payout-terms.ts";
import { OverlapRefused } from "../../tenants/credentials.ts";
import { ApprovalRefused } from "../approvals/approvals.ts";
import type { ConsoleDependencies } from "../dependencies.ts";
import { OperatorRefused } from "../operators/operator.ts";
import type { KnownOperator } from "../operators/operator-store.ts";
import { may } from "../operators/role.ts";
import { actorOf, operatorOfToken } from "../operators.ts";
import { findSession } from "../session.ts";
import { consoleDocument } from "./console-document.ts";
import { type ConsoleRoute, wantsJson } from "./console-route.ts";
import { renderConsolePage } from "./layout.ts";
import { refusalPage } from "./pages/refusal-page.ts";
import { ConsoleRefused, REFUSALS, type refusalSchema } from "./refusal.ts";
import type { Session } from "./sign-in/session-store.ts";

/* The path of a request through the console: authenticate, authorize, validate, act, answer as a page or as JSON. */

export const SESSION_COOKIE = "aapd_operator";

const DOCUMENT_PATH = "/openapi.json";

/** Mounts the console's addresses and the document that lists them. */
export function mountConsole(app: Express, dependencies: ConsoleDependencies, routes: readonly ConsoleRoute[]): void {
  app.get(DOCUMENT_PATH, (request, response) =>
    withRefusals(dependencies, request, response, async () => {
      await requireOperator(dependencies, request);
      response.json(consoleDocument(dependencies.consoleUrl));
    }),
  );
  for (const route of routes) {
    const { method, path } = route.endpoint;
    app[expressMethod({ method })](expressPath(path), (request, response) =>
      withRefusals(dependencies, request, response, () => answer(dependencies, route, request, response)),
    );
  }
  app.use((request, response) =>
    withRefusals(dependencies, request, response, async () => {
      throw new ConsoleRefused("not_found");
    }),
  );
}

async function answer(
  dependencies: ConsoleDependencies,
  { endpoint, handle, page }: ConsoleRoute,
  request: Request,
  response: Response,
): Promise<void> {
  const operator = await requireOperator(dependencies, request);
  requestContextOf(request).note({ operator: operator.name });
  if (!may(operator.role, endpoint.ability)) throw new ConsoleRefused("not_allowed");
  const params = pathParameters(request);
  const query = judged(endpoint.query, filledIn(request.query));
  const body = judged(endpoint.body, endpoint.body && (await bodyOf(request)));
  const data = await handle({ params, query, body, operator, actor: actorOf(operator.name) });
  // Only declared fields are sent, whatever else a reader returns.
  const answer = endpoint.answer.parse(data);
  if (wantsJson(request)) response.json(answer);
  else {
    const context = { ...dependencies, operator, params, query: request.query };
    const shown = page(answer, context);
    if (shown.file === undefined) sendPage(response, 200, renderConsolePage(shown, context, endpoint.path));
    else response.attachment(shown.file.name).type(shown.file.type).send(Buffer.from(shown.file.base64, "base64"));
  }
}

export function sendPage(response: Response, status: number, text: string): void {
  response.status(status).type("html").send(text);
}

/** The parameters of the path. What the database cannot store does not exist. */
function pathParameters({ params }: Request): Record<string, string> {
  const given = Object.entries(params).map(([name, value]) => [name, String(value)] as const);
  if (!given.every(([, value]) => isStorable(value))) throw new ConsoleRefused("not_found");
  return Object.fromEntries(given);
}

async function requireOperator(dependencies: ConsoleDependencies, request: Request): Promise<KnownOperator> {
  const { authorization } = request.headers;
  if (authorization !== undefined) {
    const [, token] = /^Bearer (\S+)$/i.exec(authorization) ?? [];
    const operator = token === undefined ? null : await operatorOfToken(dependencies, token);
    if (operator === null) throw new ConsoleRefused("not_signed_in");
    if (dependencies.clock.now() >= operator.tokenEndsAt) throw new ConsoleRefused("token_expired");
    return operator;
  }
  const session = await sessionOf(dependencies, request);
  if (session === null) throw new ConsoleRefused("not_signed_in");
  if (request.method !== "GET") requireOwnPage(dependencies, request);
  return session.operator;
}

/** The session of the request's cookie; null if there is none. */
export async function sessionOf(dependencies: ConsoleDependencies, request: Request): Promise<Session | null> {
  const token = readCookies(dependencies, request)[SESSION_COOKIE];
  return token === undefined ? null : findSession(dependencies, token);
}

/** Cookies are sent with requests from any page; browsers state the page's origin. */
export function requireOwnPage({ consoleUrl }: Pick<ConsoleDependencies, "consoleUrl">, { headers }: Request): void {
  if (headers.origin !== new URL(consoleUrl).origin) throw new ConsoleRefused("foreign_page");
}

/** The console's own cookies, without the prefix that they have over https. */
export function readCookies(
  { consoleUrl }: Pick<ConsoleDependencies, "consoleUrl">,
  { headers }: Request,
): Record<string, string | undefined> {
  const prefix = cookiePrefix(consoleUrl);
  const all = Object.entries(parseCookie(headers.cookie ?? ""));
  return Object.fromEntries(
    all.flatMap(([name, value]) => (name.startsWith(prefix) ? [[name.slice(prefix.length), value]] : [])),
  );
}

/** Sets a cookie that no script can read and no other host can set; an empty value removes it. */
export function setCookie(
  { consoleUrl }: Pick<ConsoleDependencies, "consoleUrl">,
  response: Response,
  { name, value, maxAgeSeconds }: { readonly name: string; readonly value: string; readonly maxAgeSeconds: number },
): void {
  const isSecure = consoleUrl.startsWith("https://");
  const cookie = stringifySetCookie({
    name: `${cookiePrefix(consoleUrl)}${name}`,
    value,
    path: "/",
    httpOnly: true,
    // The sign-in service returns the browser by a cross-site link: `strict` would withhold the cookie.
    sameSite: "lax",
    secure: isSecure,
    maxAge: value === "" ? 0 : maxAgeSeconds,
  });
  response.append("Set-Cookie", cookie);
}

function cookiePrefix(consoleUrl: string): string {
  return consoleUrl.startsWith("https://") ? "__Host-" : "";
}

function judged(schema: z.core.$ZodType | undefined, given: unknown): unknown {
  if (schema === undefined) return undefined;
  const result = z.safeParse(schema, given);
  if (result.success) return result.data;
  throw new ConsoleRefused("invalid_input", { issues: fieldIssues(schema, result.error.issues) });
}

/** A form's values, or JSON. */
export async function bodyOf(request: Request): Promise<unknown> {
  if (request.is("application/x-www-form-urlencoded") === false) return (await readJsonBody(request)).value ?? {};
  await new Promise<void>((resolve, reject) => {
    readForm(request, request.res as Response, (error: unknown) => (error === undefined ? resolve() : reject(error)));
  });
  const given = formSchema.parse(request.body);
  return filledIn(given);
}

/** A form sends an empty field as an empty text. Refuses NUL, which the database cannot store. */
function filledIn(given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  // The name is not repeated: the fields of the request are not known here.
  if (Object.values(given).flat().some(isUnstorable))
    throw new ConsoleRefused("invalid_input", { issues: [{ path: "", message: "must not hold a NUL character" }] });
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ""));
}

function isUnstorable(value: unknown): boolean {
  return typeof value === "string" && !isStorable(value);
}

const formSchema = z.record(z.string(), z.unknown());
const readForm = express.urlencoded({ extended: false, limit: "64kb", parameterLimit: 1_000 });

/** Answers refusals, as a page or as JSON; a browser without a session is redirected to sign in. */
export async function withRefusals(
  dependencies: ConsoleDependencies,
  request: Request,
  response: Response,
  run: () => Promise<void>,
): Promise<void> {
  try {
    await run();
  } catch (error) {
    const refused = asRefused(error) ?? failureOf(request, error);
    const { requestId, note } = requestContextOf(request);
    note({ code: refused.code });
    if (wantsJson(request)) response.status(refused.status).json(refusalJson(request, refused));
    else if (refused.code === "not_signed_in") response.redirect(303, "/sign-in");
    else
      sendPage(
        response,
        refused.status,
        refusalPage(refused, { ...dependencies, requestId, back: pageOfForm(request) }),
      );
  }
}

/**
 * The page of the submitted form, above the form's address; null if nothing was submitted, or to no address of the
 * console: `//evil.example/` would become a link to another host.
 */
function pageOfForm({ method, path, route }: Request): string | null {
  const above = path.slice(0, path.lastIndexOf("/"));
  return method === "GET" || route === undefined || above === "" ? null : above;
}

/** An unexpected error: logged, and hidden from the caller. */
function failureOf(request: Request, cause: unknown): ConsoleRefused {
  const error = asApiError(cause);
  requestContextOf(request).logger.error("http.failed", { code: error.code, error });
  return new ConsoleRefused(error.status === 503 ? "unavailable" : "failed", { cause });
}

function refusalJson(request: Request, { code, why, issues }: ConsoleRefused): z.infer<typeof refusalSchema> {
  const { requestId } = requestContextOf(request);
  const detail = why ?? REFUSALS[code].en;
  return { detail, code, request_id: requestId, ...(issues.length === 0 ? {} : { errors: issues }) };
}

const REFUSED = [ApprovalRefused, OperatorRefused, ResolutionRefused, OverlapRefused, NoTermsAgreed] as const;

function asRefused(error: unknown): ConsoleRefused | null {
  if (error instanceof ConsoleRefused) return error;
  if (REFUSED.some((kind) => error instanceof kind) && error instanceof Error)
    return new ConsoleRefused("refused", { why: error.message });
  const unread = unreadableStatus(error);
  if (unread !== null) return new ConsoleRefused(unread === 413 ? "too_large" : "invalid_input");
  if (error instanceof ApiError && error.status < 500) {
    const issues = error.additions.errors ?? [];
    if (error.status === 422 || error.status === 400) return new ConsoleRefused("invalid_input", { issues });
    return new ConsoleRefused(error.status === 404 ? "not_found" : "refused", { why: error.message });
  }
  return null;
}

/** The status of an unreadable form (as Express reports it) or JSON; null for any other error. */
function unreadableStatus(error: unknown): number | null {
  if (error instanceof ApiError) return error.status === 413 ? error.status : null;
  const status = error instanceof Error && "status" in error ? error.status : null;
  return typeof status === "number" && status >= 400 && status < 500 ? status : null;
}
