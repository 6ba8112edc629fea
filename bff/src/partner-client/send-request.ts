import type { ErrorBody, ErrorCode } from "../contract/errors.ts";
import { AapdError, AapdUnreachable } from "./errors.ts";

export interface RetryPolicy {
  /** Tries in all, the first one included. */
  readonly attemptsMax: number;
  /** Time-out of one try. */
  readonly timeoutMs: number;
  /** Wait before the second try; doubled before each further one, and spread by up to half. */
  readonly firstDelayMs: number;
}

export const DEFAULT_RETRY_POLICY: RetryPolicy = { attemptsMax: 4, timeoutMs: 15_000, firstDelayMs: 500 };
const DELAY_MS_MAX = 10_000;

/** What the client does to the outside; replaced in tests. */
export interface Surroundings {
  readonly fetch: typeof globalThis.fetch;
  readonly wait: (ms: number) => Promise<void>;
  readonly random: () => number;
  readonly uuid: () => string;
}

export interface PartnerRequest {
  readonly method: "GET" | "POST" | "PUT";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Made anew for each try, since a stream can be sent once only. */
  readonly body?: () => string | FormData;
}

function isWorthAnotherTry(status: number): boolean {
  return status >= 500 || status === 429;
}

function delayBefore(attempt: number, policy: RetryPolicy, retryAfter: string | null, random: () => number): number {
  const asked = Number(retryAfter ?? Number.NaN) * 1_000;
  const own = policy.firstDelayMs * 2 ** (attempt - 2) * (1 + random() / 2);
  return Math.min(DELAY_MS_MAX, Number.isFinite(asked) && asked > 0 ? asked : own);
}

function wordsOf(body: Record<string, unknown>, status: number): string {
  const { detail } = body;
  if (typeof detail === "string") return detail;
  if (typeof detail === "object" && detail !== null && "message" in detail) return String(detail.message);
  return `The service answered ${status}.`;
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

/**
 * Sends a request and returns its JSON answer. A lost network, a time-out, a 5xx and a 429 are tried again with
 * growing waits (`Retry-After` is honoured), always under the same headers, so that an `Idempotency-Key` among them
 * makes the repeats harmless. Throws `AapdError` for an error answer and `AapdUnreachable` when none came.
 */
export async function sendRequest(
  request: PartnerRequest,
  policy: RetryPolicy,
  surroundings: Surroundings,
): Promise<Record<string, unknown>> {
  for (let attempt = 1; ; attempt += 1) {
    const isLast = attempt >= policy.attemptsMax;
    let response: Response | null = null;
    try {
      response = await surroundings.fetch(request.url, {
        method: request.method,
        headers: request.headers,
        body: request.body?.() ?? null,
        redirect: "error",
        signal: AbortSignal.timeout(policy.timeoutMs),
      });
      if (response.ok) {
        const answer: unknown = await response.json();
        if (typeof answer === "object" && answer !== null) return { ...answer };
      }
    } catch (cause) {
      // The answer, or the end of it, was lost: the request may have taken effect.
      if (isLast) throw new AapdUnreachable(`${request.method} ${request.url.pathname} was not answered`, { cause });
      response = null;
    }
    if (response !== null && (isLast || !isWorthAnotherTry(response.status))) {
      const body = await readJson(response);
      throw new AapdError(
        response.status,
        codeOf(body),
        response.headers.get("x-request-id"),
        body as Partial<ErrorBody>,
        wordsOf(body, response.status),
      );
    }
    await response?.body?.cancel();
    await surroundings.wait(
      delayBefore(attempt + 1, policy, response?.headers.get("retry-after") ?? null, surroundings.random),
    );
  }
}
