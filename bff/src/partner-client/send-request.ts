import type { ErrorBody, ErrorCode, FieldIssue } from "../contract/errors.ts";
import { adviceFor, type Refusal } from "./advice.ts";
import { AapdError, AapdUnreachable } from "./errors.ts";

export interface RetryPolicy {
  /** All tries, including the first. */
  readonly attemptsMax: number;
  /** The timeout of one try. */
  readonly timeoutMs: number;
  /** The timeout of an expense: its files are sent, or fetched by the service one after the other. */
  readonly expenseTimeoutMs: number;
  /** The wait before the second try; doubled before each further one, and varied by up to half. */
  readonly firstDelayMs: number;
}

export const DEFAULT_RETRY_POLICY: RetryPolicy = {
  attemptsMax: 4,
  timeoutMs: 15_000,
  expenseTimeoutMs: 60_000,
  firstDelayMs: 500,
};
const DELAY_MS_MAX = 10_000;
/** A longer wait is reported to the caller at once, because the answer would come too late. */
const RETRY_AFTER_MS_MAX = 30_000;
/** An earlier attempt of the same call is still running. The service releases its lease on the key after 30 seconds. */
const IN_FLIGHT_DELAY_MS = 5_000;
const IN_FLIGHT_WAITS_MAX = 7;

/** The client's effects on the outside; replaced in tests. */
export interface Surroundings {
  readonly fetch: typeof globalThis.fetch;
  readonly wait: (ms: number) => Promise<void>;
  readonly random: () => number;
  readonly uuid: () => string;
}

export interface PartnerRequest<Answer> {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly url: URL;
  /** The path as messages name it, if the URL's holds a token. */
  readonly namedPath?: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Created again for each try, since a stream can be sent only once. */
  readonly body?: () => string | FormData;
  readonly timeoutMs?: number;
  /** Sending it twice would perform it twice, so it is only resent if it certainly had no effect. */
  readonly once?: boolean;
  /**
   * Fields that every answer to this call has. An answer without them is not from the service. All other fields pass
   * through unchecked.
   */
  readonly answerHas: readonly (keyof Answer & string)[];
}

function isWorthAnotherTry(status: number, { once = false }: Pick<PartnerRequest<unknown>, "once">): boolean {
  return status === 429 || (status >= 500 && !once);
}

/**
 * Statuses that are decided before the request is processed. They reveal nothing about an earlier attempt, which may
 * have taken effect.
 */
function tellsOnlyOfThisTry(status: number): boolean {
  return status === 401 || status === 403 || status === 429;
}

/** Error codes of connections that were never established, so that nothing was sent. */
const NOTHING_SENT: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "UND_ERR_CONNECT_TIMEOUT",
]);

function isNothingSent(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return typeof cause === "object" && cause !== null && "code" in cause && NOTHING_SENT.has(cause.code);
}

/** The wait that `Retry-After` asks for; null without a number of seconds. */
function askedDelay(response: Response | null): number | null {
  const requested = Number(response?.headers.get("retry-after") ?? Number.NaN) * 1_000;
  return Number.isFinite(requested) && requested > 0 ? requested : null;
}

function ownDelayBefore(attempt: number, policy: RetryPolicy, random: () => number): number {
  return Math.min(DELAY_MS_MAX, policy.firstDelayMs * 2 ** (attempt - 2) * (1 + random() / 2));
}

/** The service's message for an error, with each refused field, and what to do. */
function wordsOf(body: Record<string, unknown>, refusal: Refusal): string {
  const advice = adviceFor(refusal);
  return `${refusalWords(body, refusal.status)}${advice === null ? "" : ` ${advice}`}`;
}

function refusalWords({ detail, errors }: Record<string, unknown>, status: number): string {
  const isNested = typeof detail === "object" && detail !== null && "message" in detail;
  const words = isNested
    ? String(detail.message)
    : typeof detail === "string"
      ? detail
      : `The service answered ${status}.`;
  const fields = (Array.isArray(errors) ? errors : []).filter(isFieldIssue).map(fieldWords);
  return fields.length === 0 ? words : `${words} (${fields.join("; ")})`;
}

function unansweredWords(
  { method, url, namedPath, once = false }: Pick<PartnerRequest<unknown>, "method" | "url" | "namedPath" | "once">,
  idempotencyKey: string | null,
): string {
  const words = `${method} ${namedPath ?? url.pathname} was not answered`;
  if (once) return `${words}. It may have taken effect, and a repeat would have another effect.`;
  if (idempotencyKey === null) return `${words}. Check the address and the network, then repeat it.`;
  return `${words}. It may have taken effect: repeat it with the idempotency key ${idempotencyKey}.`;
}

function isFieldIssue(value: unknown): value is FieldIssue {
  return typeof value === "object" && value !== null && "path" in value && "message" in value;
}

function fieldWords({ path, message }: FieldIssue): string {
  return path === "" ? message : `${path}: ${message}`;
}

function codeOf(body: Record<string, unknown>): ErrorCode | null {
  const { code, detail } = body;
  if (typeof code === "string") return code as ErrorCode;
  const nested = typeof detail === "object" && detail !== null && "error_code" in detail ? detail.error_code : null;
  return typeof nested === "string" ? (nested as ErrorCode) : null;
}

async function readJson(response: Response): Promise<Record<string, unknown>> {
  const value: unknown = await response.json().catch(() => null);
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function isAnswer<Answer extends object>(
  value: unknown,
  { answerHas }: Pick<PartnerRequest<Answer>, "answerHas">,
): value is Answer {
  return typeof value === "object" && value !== null && answerHas.every((name) => Object.hasOwn(value, name));
}

/**
 * Sends a request and returns its JSON answer. A lost network, a timeout, a 5xx and a 429 are retried with growing
 * waits (`Retry-After` is honoured up to half a minute). All tries have the same headers, so an `Idempotency-Key` makes
 * repeats harmless. After 409 `idempotency_in_flight` it waits for the earlier try.
 *
 * Throws `AapdError` for an error answer, and `AapdUnreachable` without an answer, or if an earlier try may have taken
 * effect.
 */
export async function sendRequest<Answer extends object>(
  request: PartnerRequest<Answer>,
  policy: RetryPolicy,
  surroundings: Surroundings,
): Promise<Answer> {
  const { "idempotency-key": idempotencyKey = null } = request.headers;
  const unreachable = (options?: ErrorOptions) =>
    new AapdUnreachable(unansweredWords(request, idempotencyKey), { ...options, idempotencyKey });
  let inFlightWaits = 0;
  let mayBeDone = false;
  for (let attempt = 1; ; ) {
    const isLast = attempt >= policy.attemptsMax;
    let response: Response | null = null;
    try {
      response = await surroundings.fetch(request.url, {
        method: request.method,
        headers: request.headers,
        body: request.body?.() ?? null,
        redirect: "error",
        signal: AbortSignal.timeout(request.timeoutMs ?? policy.timeoutMs),
      });
      if (response.ok) {
        const answer: unknown = await response.json();
        if (isAnswer(answer, request)) return answer;
        throw new TypeError(`The answer is not from the service. Check that ${request.url.origin} is its address.`);
      }
    } catch (cause) {
      // The answer was lost or incomplete, so the request may have taken effect.
      mayBeDone ||= !isNothingSent(cause);
      if (isLast || (request.once === true && !isNothingSent(cause))) throw unreachable({ cause });
      response = null;
    }
    const requested = askedDelay(response);
    if (response !== null) {
      const body = await readJson(response);
      const code = codeOf(body);
      if (code === "idempotency_in_flight") {
        if (inFlightWaits >= IN_FLIGHT_WAITS_MAX) throw unreachable();
        inFlightWaits += 1;
        mayBeDone = true;
        await surroundings.wait(IN_FLIGHT_DELAY_MS);
        continue;
      }
      const isTooLong = requested !== null && requested > RETRY_AFTER_MS_MAX;
      if (isLast || isTooLong || !isWorthAnotherTry(response.status, request)) {
        const requestId = response.headers.get("x-request-id");
        const error = new AapdError(
          response.status,
          code,
          requestId,
          body as Partial<ErrorBody>,
          wordsOf(body, { status: response.status, code, request }),
          idempotencyKey,
        );
        throw mayBeDone && tellsOnlyOfThisTry(response.status) ? unreachable({ cause: error }) : error;
      }
      mayBeDone ||= response.status >= 500;
    }
    attempt += 1;
    await surroundings.wait(requested ?? ownDelayBefore(attempt, policy, surroundings.random));
  }
}
