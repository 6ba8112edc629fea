import { appendFileSync, mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { type Credential, commonErrors, type Endpoint } from "../src/contract/endpoint.ts";
import { errorBodySchema, errorCodes, isErrorCode, orderNotFoundBodySchema } from "../src/contract/errors.ts";
import type { CredentialKind } from "../src/tenants/credential.ts";

/** The values of a provider's credentials, by kind. */
export type CredentialValues = Readonly<Record<CredentialKind, string>>;

export interface CallOptions {
  /** The provider whose credentials are sent; none by default. */
  readonly as?: { readonly credentials: CredentialValues };
  /** The credential to send instead of the first one that the endpoint accepts. */
  readonly using?: Credential;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent unchanged, with the content type in `headers`. */
  readonly rawBody?: string | Uint8Array | FormData | ReadableStream<Uint8Array>;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface TestAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers, which the contract has checked.
  readonly body: any;
  readonly headers: Headers;
}

/** Calls an endpoint of the contract and checks the answer against its declaration. */
export type Call = (endpoint: Endpoint, options?: CallOptions) => Promise<TestAnswer>;

/** A client of one API. A test fails on an answer that the endpoint does not declare, or that has another body. */
export function createTestClient(baseUrl: string): Call {
  return async (endpoint, options = {}) => {
    const { url, init } = requestOf(baseUrl, endpoint, options);
    const response = await fetch(url, init);
    const text = await response.text();
    const body: unknown = text === "" ? undefined : JSON.parse(text);
    const code = requireDeclared(endpoint, response, body);
    recordAnswer(endpoint, response.status, code);
    return { status: response.status, body, headers: response.headers };
  };
}

function requestOf(baseUrl: string, endpoint: Endpoint, options: CallOptions): { url: URL; init: RequestInit } {
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_braces, name: string) =>
    encodeURIComponent(options.params?.[name] ?? ""),
  );
  const url = new URL(path, baseUrl);
  const headers = new Headers();
  if (options.body !== undefined) headers.set("content-type", "application/json");
  const kinds = options.using === undefined ? endpoint.credentials.slice(0, 1) : [options.using];
  for (const kind of options.as === undefined ? [] : [...kinds, ...(endpoint.also ?? [])]) {
    present(kind, options.as?.credentials[kind] ?? "", { url, headers });
  }
  for (const [name, value] of Object.entries(options.query ?? {})) url.searchParams.set(name, value);
  for (const [name, value] of Object.entries(options.headers ?? {})) headers.set(name, value);
  const body = options.rawBody ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
  return {
    url,
    init: {
      method: endpoint.method,
      headers,
      redirect: "manual",
      ...(body === undefined ? {} : { body }),
      ...(body instanceof ReadableStream ? { duplex: "half" } : {}),
    },
  };
}

function present(kind: Credential, value: string, { url, headers }: { url: URL; headers: Headers }): void {
  if (kind === "public_key") url.searchParams.set("public_key", value);
  else if (kind === "secret_key") headers.set("x-secret-key", value);
  else headers.set("authorization", `Bearer ${value}`);
}

/** Throws if the endpoint does not declare the answer. Returns the code of an error. */
function requireDeclared(endpoint: Endpoint, { status, headers }: Response, body: unknown): string | null {
  const name = `${endpoint.method} ${endpoint.path}`;
  if (headers.get("x-request-id") === null) throw new Error(`${name} answered ${status} without X-Request-Id.`);
  const schema = endpoint.success[status];
  if (schema !== undefined) {
    schema.parse(body);
    return null;
  }
  const isOrder404 = endpoint.family === "order" && status === 404;
  const { code } = (isOrder404 ? orderNotFoundBodySchema : errorBodySchema).parse(body);
  const declared: readonly string[] = [...endpoint.errors, ...commonErrors(endpoint)];
  if (!isErrorCode(code) || !declared.includes(code)) throw new Error(`${name} does not declare ${status} ${code}.`);
  if (errorCodes[code].status !== status) throw new Error(`${name} answered ${code} with ${status}.`);
  return code;
}

const answersFolder = fileURLToPath(new URL("../.cache/answers/", import.meta.url));
const recorded = new Set<string>();

/**
 * Records which endpoint gave which answer in which test, so that a later check can list answers that no test has seen.
 */
function recordAnswer(endpoint: Endpoint, status: number, code: string | null): void {
  const { testPath, currentTestName: test = "" } = expect.getState();
  const file = testPath?.replace(/^.*\/test\//, "test/") ?? "unknown";
  const line = JSON.stringify({ endpoint: `${endpoint.method} ${endpoint.path}`, status, code, file, test });
  if (recorded.has(line)) return;
  recorded.add(line);
  mkdirSync(answersFolder, { recursive: true });
  appendFileSync(`${answersFolder}${process.pid}.ndjson`, `${line}\n`);
}
