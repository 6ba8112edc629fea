import type { ErrorBody, ErrorCode, FieldIssue } from "../contract/errors.ts";
import { AapdError, AapdUnreachable } from "./errors.ts";

export interface RetryPolicy {
  /** Tries in all, the first one included. */
  readonly attemptsMax: number;
  /** Time-out of one try. */
  readonly timeoutMs: number;
  /** The same for an expense: its files are sent, or fetched by the service one after the other. */
  readonly expenseTimeoutMs: number;
  /** Wait before the second try; doubled before each further one, and spread by up to half. */
  readonly firstDelayMs: number;
}

export const DEFAULT_RETRY_POLICY: RetryPolicy = {
  attemptsMax: 4,
  timeoutMs: 15_000,
  expenseTimeoutMs: 60_000,
  firstDelayMs: 500,
};
const DELAY_MS_MAX = 10_000;
/** Who is asked to wait for longer than this is told so at once, in place of an answer that would come too late. */
const RETRY_AFTER_MS_MAX = 30_000;
/** An earlier try of the same act is still being worked on: the service gives up its hold on the key after 30 seconds. */
const IN_FLIGHT_DELAY_MS = 5_000;
const IN_FLIGHT_WAITS_MAX = 7;

/** What the client does to the outside; replaced in tests. */
export interface Surroundings {
  readonly fetch: typeof globalThis.fetch;
  readonly wait: (ms: number) => Promise<void>;
  readonly random: () => number;
  readonly uuid: () => string;
}

export interface PartnerRequest<Answer> {
  readonly method: "GET" | "POST" | "PUT";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Made anew for each try, since a stream can be sent once only. */
  readonly body?: () => string | FormData;
  readonly timeoutMs?: number;
  /** It would be done twice if it were sent twice: it is sent again only where it is certain that nothing was done. */
  readonly once?: boolean;
  /** Fields that every answer to this call has: without them it is somebody else's answer. All others are passed on unseen. */
  readonly answerHas: readonly (keyof Answer & string)[];
}

function isWorthAnotherTry(status: number, { once = false }: Pick<PartnerRequest<unknown>, "once">): boolean {
  return status === 429 || (status >= 500 && !once);
}

/** Said before the request is looked at, so that they tell nothing of an earlier try that the service may have carried out. */
function tellsOnlyOfThisTry(status: number): boolean {
  return status === 401 || status === 403 || status === 429;
}

/** Codes of a connection that never came about, so that nothing was sent. */
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

/** What `Retry-After` asks for; null where it says nothing that can be counted in seconds. */
function askedDelay(response: Response | null): number | null {
  const requested = Number(response?.headers.get("retry-after") ?? Number.NaN) * 1_000;
  return Number.isFinite(requested) && requested > 0 ? requested : null;
}

function ownDelayBefore(attempt: number, policy: RetryPolicy, random: () => number): number {
  return Math.min(DELAY_MS_MAX, policy.firstDelayMs * 2 ** (attempt - 2) * (1 + random() / 2));
}

/** What the service says of an error, with each field that it refuses. */
function wordsOf(body: Record<string, unknown>, status: number): string {
  const { detail, errors } = body;
  const isNested = typeof detail === "object" && detail !== null && "message" in detail;
  const words = isNested
    ? String(detail.message)
    : typeof detail === "string"
      ? detail
      : `The service answered ${status}.`;
  const fields = (Array.isArray(errors) ? errors : []).filter(isFieldIssue).map(fieldWords);
  return fields.length === 0 ? words : `${words} (${fields.join("; ")})`;
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
 * Sends a request and returns its JSON answer. A lost network, a time-out, a 5xx and a 429 are tried again with
 * growing waits (`Retry-After` is honoured up to half a minute), always under the same headers, so that an
 * `Idempotency-Key` among them makes the repeats harmless; 409 `idempotency_in_flight`, an earlier try that is not done, is
 * waited for. Throws `AapdError` for an error answer, and `AapdUnreachable` when none came, or none that tells what became of
 * an earlier try.
 */
export async function sendRequest<Answer extends object>(
  request: PartnerRequest<Answer>,
  policy: RetryPolicy,
  surroundings: Surroundings,
): Promise<Answer> {
  const unreachable = (options?: ErrorOptions) =>
    new AapdUnreachable(`${request.method} ${request.url.pathname} was not answered`, options);
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
        throw new TypeError(`The answer is not the service's. Is ${request.url.origin} its address?`);
      }
    } catch (cause) {
      // The answer, or the end of it, was lost or garbled: the request may have taken effect.
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
          wordsOf(body, response.status),
        );
        throw mayBeDone && tellsOnlyOfThisTry(response.status) ? unreachable({ cause: error }) : error;
      }
      mayBeDone ||= response.status >= 500;
    }
    attempt += 1;
    await surroundings.wait(requested ?? ownDelayBefore(attempt, policy, surroundings.random));
  }
}
