import type { Answer, Problem } from "./problem.ts";

/** After this time without an answer, the request fails as too slow. */
export const ANSWER_TIMEOUT_MS = 20_000;

/** Reads an answer. Both functions throw, or return null, if the text does not match the contract. */
export interface AnswerReader<Value> {
  readonly readSuccess: (body: unknown) => Value;
  readonly readProblem: (body: unknown, status: number, traceId: string | null) => Problem | null;
}

export interface RequestOptions {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly bearer?: string;
  readonly idempotencyKey?: string;
  readonly body?: unknown;
  /** The call sends consents or a code, so the content shown to the patient is reported first. */
  readonly afterReports?: true;
}

export interface Transport {
  /** Resolves once the content shown to the patient is reported, or one attempt to report it has failed. */
  readonly reported: () => Promise<void>;
  readonly fetch: typeof globalThis.fetch;
  readonly isOnline: () => boolean;
  readonly timeoutMs: number;
}

export const browserTransport: Omit<Transport, "reported"> = {
  fetch: (input, init) => globalThis.fetch(input, init),
  isOnline: () => navigator.onLine,
  timeoutMs: ANSWER_TIMEOUT_MS,
};

function noAnswer(
  fault: "offline" | "unreachable" | "timeout" | "unreadable",
  traceId: string | null = null,
): Answer<never> {
  return { ok: false, problem: { kind: "no_answer", fault, traceId } };
}

function initOf(options: RequestOptions, signal: AbortSignal): RequestInit {
  const headers = new Headers({ Accept: "application/json" });
  if (options.bearer !== undefined) headers.set("Authorization", `Bearer ${options.bearer}`);
  if (options.idempotencyKey !== undefined) headers.set("Idempotency-Key", options.idempotencyKey);
  if (options.body !== undefined) headers.set("Content-Type", "application/json");
  return {
    method: options.method,
    headers,
    signal,
    cache: "no-store",
    credentials: "omit",
    referrerPolicy: "no-referrer",
    redirect: "error",
    ...(options.body !== undefined && { body: JSON.stringify(options.body) }),
  };
}

/**
 * One call to the service on our own origin. Never throws: every outcome is returned as an answer or a problem. The
 * time-out includes the body. Nothing of the request or its answer is logged.
 */
export async function request<Value>(
  transport: Transport,
  options: RequestOptions,
  reader: AnswerReader<Value>,
): Promise<Answer<Value>> {
  if (options.afterReports) await transport.reported();
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), transport.timeoutMs);
  try {
    const response = await transport.fetch(options.path, initOf(options, abort.signal));
    const traceId = response.headers.get("X-Request-Id");
    const body = parseJson(await response.text());
    if (response.ok) return { ok: true, value: reader.readSuccess(body) };
    const problem = reader.readProblem(body, response.status, traceId);
    return problem === null ? noAnswer("unreadable", traceId) : { ok: false, problem };
  } catch (failure) {
    if (abort.signal.aborted) return noAnswer("timeout");
    if (!transport.isOnline()) return noAnswer("offline");
    return noAnswer(failure instanceof TypeError ? "unreachable" : "unreadable");
  } finally {
    clearTimeout(timer);
  }
}

/** `undefined` for text that is not JSON, such as a proxy's own page. The reader then refuses it. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
