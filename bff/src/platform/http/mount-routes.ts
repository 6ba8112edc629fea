import type { IRouter, Request, RequestHandler } from "express";
import type { Endpoint } from "../../contract/endpoint.ts";
import type { Metrics } from "../metrics.ts";
import { type AdmitDependencies, type Admitted, admit, authenticate } from "./admit-request.ts";
import { ApiError } from "./api-error.ts";
import { expressMethod, expressPath } from "./express-endpoint.ts";
import { answerOnce, keptAnswer } from "./idempotency.ts";
import { isOpenToPages, openToOrigin, preflight } from "./open-to-pages.ts";
import { parseRequest, type ReceiveDependencies, receiveBytes, receiveHead } from "./receive-request.ts";
import { browserEngineOf } from "./request-context.ts";
import type { Answer, KeepAnswer, Route } from "./route.ts";
import { renderedError, sendAnswer, sendError } from "./send-answer.ts";

/*
 * The steps of every HTTP request: receive its head, authenticate its caller, receive its body, admit it, answer it.
 * Without a proven secret, a request waits for its address's turn. Errors are rendered at the end.
 */

export interface MountDependencies extends ReceiveDependencies, AdmitDependencies {
  /**
   * Checks every success against the endpoint's schema before sending it. Slow, so it is only on in tests and staging.
   */
  readonly checkAnswers: boolean;
  readonly metrics: Pick<Metrics, "widgetStep">;
  /**
   * Whether a page of this origin may call with this request's public credential; null if other origins get no answer.
   * Only called for preflights, because other answers allow the origins of the credential's provider.
   */
  readonly allowsOrigin: ((origin: string, request: Request) => Promise<boolean>) | null;
}

/** Thrown when a handler's success does not match the contract. It is the service's fault and is answered with 500. */
class AnswerBreaksContract extends Error {
  override readonly name = "AnswerBreaksContract";
  readonly code = "answer_breaks_contract";
}

/** Mounts endpoints on a router. Every request is received, then admitted together with its resource, then answered. */
export function mountRoutes(router: IRouter, dependencies: MountDependencies, routes: readonly Route[]): void {
  for (const route of routes) {
    const { endpoint } = route;
    const path = expressPath(endpoint.path);
    const { allowsOrigin } = dependencies;
    const isOpen = allowsOrigin !== null && isOpenToPages(endpoint);
    if (isOpen) router.options(path, preflight(endpoint, allowsOrigin, dependencies.addressLimits));
    router[expressMethod(endpoint)](path, handlerOf(route, dependencies, isOpen));
  }
}

/** Answers 405 with `Allow` if an endpoint's path is called with another method. Mount it after all endpoints. */
export function refuseOtherMethods(router: IRouter, endpoints: readonly Endpoint[]): void {
  // A path without parameters may also match one with parameters.
  for (const endpoint of endpoints.toSorted((a, b) => parametersOf(a) - parametersOf(b))) {
    const methods = endpoints.filter(({ path }) => path === endpoint.path).map(({ method }) => method);
    router.all(expressPath(endpoint.path), (request, response, next) => {
      // Express answers OPTIONS by itself.
      if (request.method === "OPTIONS") return next();
      response.setHeader("Allow", [...methods, ...(methods.includes("GET") ? ["HEAD"] : [])].join(", "));
      sendError(request, response, endpoint, new ApiError("method_not_allowed"));
    });
  }
}

function parametersOf({ path }: Endpoint): number {
  return path.split("{").length - 1;
}

function handlerOf(route: Route, dependencies: MountDependencies, isOpen: boolean): RequestHandler {
  const { endpoint } = route;
  return async (request, response) => {
    try {
      const isFromPage = isOpen && request.headers.origin !== undefined;
      const head = await receiveHead(route, dependencies, request, isFromPage);
      await authenticate(route, dependencies, head);
      const bytes = await receiveBytes(route, head);
      const work = async () => {
        const admitted = await admit(route, dependencies, await parseRequest(route, dependencies, head, bytes), {
          response,
          open: (principal) => isOpen && openToOrigin(request, response, principal),
        });
        return answer(route, dependencies, request, admitted);
      };
      const made = await (head.caller?.isSecret === true ? work() : dependencies.turns.take(request, work));
      sendAnswer(response, made, encodingOf(endpoint, request));
      // With an `Idempotency-Key` a refusal is an answer too.
      if (endpoint.caller === "widget" && made.status < 400) dependencies.metrics.widgetStep(stepOf(endpoint, request));
    } catch (error) {
      sendError(request, response, endpoint, error);
    }
  };
}

/** A patient's connection is slow. The length reveals nothing, because no answer repeats input from another page. */
function encodingOf({ caller }: Endpoint, request: Request): "gzip" | undefined {
  return caller === "widget" && request.acceptsEncodings("gzip") === "gzip" ? "gzip" : undefined;
}

/** A successful call of the widget is a step of its patient. */
function stepOf({ method, path }: Endpoint, { headers }: Request) {
  return { step: `${method} ${path}`, engine: browserEngineOf(headers["user-agent"]) };
}

/** Runs the handler. With an `Idempotency-Key`, it runs only once. */
async function answer(
  { endpoint }: Route,
  { checkAnswers, idempotency, clock }: MountDependencies,
  request: Request,
  { answers, keyed }: Admitted,
): Promise<Answer> {
  const promised = (made: Answer) => {
    if (checkAnswers) requireContract(endpoint, made);
    return made;
  };
  if (keyed === null) return promised(await answers.handle(() => null));
  const keep: KeepAnswer = (made, createdId) =>
    keptAnswer(keyed.slot, { status: promised(made).status, createdId, at: clock.now() });
  // A refusal is an answer too and is repeated; an error of the service (5xx) is thrown and never repeated.
  const refused = (error: unknown) => renderRefusal(request, endpoint, error);
  const first = await answerOnce(idempotency, keyed, () => answers.handle(keep).then(promised).catch(refused));
  if (!first.replayed) return first;
  const { replay, rebuild } = answers;
  const { createdId, status } = first;
  // If the resource has changed since, `replay` may refuse. This repeat then gets that refusal.
  const shown =
    replay !== undefined && status < 400
      ? await replay().then(promised).catch(refused)
      : createdId !== undefined && rebuild !== undefined
        ? promised(await rebuild(createdId))
        : first;
  return { ...shown, headers: { ...shown.headers, "Idempotency-Replayed": "true" } };
}

/** The answer to an error that the caller caused; throws any other error. */
function renderRefusal(request: Request, endpoint: Endpoint, error: unknown): Answer {
  if (!(error instanceof ApiError) || error.status >= 500) throw error;
  return renderedError(request, endpoint, error);
}

function requireContract(endpoint: Endpoint, { status, body }: Answer): void {
  const schema = endpoint.success[status];
  const name = `${endpoint.method} ${endpoint.path}`;
  if (schema === undefined) throw new AnswerBreaksContract(`${name} does not declare status ${status}.`);
  const result = schema.safeParse(body);
  if (result.success) return;
  // Only paths and messages, never values, because they may be personal data.
  const issues = result.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
  throw new AnswerBreaksContract(
    `${name} answers ${status} with a body that breaks the contract: ${issues.join("; ")}`,
  );
}
