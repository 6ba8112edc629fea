import { lookup as lookUpInDns } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import { Agent, buildConnector, type Dispatcher } from "undici";
import { isLoopbackAddress, isPublicAddress } from "./network.ts";
import { leaveTurn } from "./turns.ts";

/** Why a URL is refused before anything is sent to it. */
export type UrlRefusal = "malformed" | "not_https" | "has_credentials" | "address_not_public" | "too_many_redirects";

/** Thrown when a URL, or one that it redirects to, may not be called. Nothing was sent to the refused address. */
export class UrlRefused extends Error {
  override readonly name = "UrlRefused";
  readonly reason: UrlRefusal;

  constructor(reason: UrlRefusal, options: ErrorOptions = {}) {
    super("The URL may not be called.", options);
    this.reason = reason;
  }
}

/**
 * Why a permitted URL gave no usable answer. `dns`: its name could not be resolved; `refused`: its port is closed;
 * `tls`: its certificate is not trusted or the handshake failed; `network`: anything else.
 */
export type FetchFailure = "timeout" | "too_large" | "dns" | "refused" | "tls" | "network";

/** Thrown when a permitted URL gave no usable answer. Whether the other side acted on the request is unknown. */
export class FetchFailed extends Error {
  override readonly name = "FetchFailed";
  readonly reason: FetchFailure;

  constructor(reason: FetchFailure, options: ErrorOptions = {}) {
    super("The URL gave no usable answer.", options);
    this.reason = reason;
  }
}

export interface GuardedRequest {
  readonly url: string;
  readonly method?: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** The limit for everything together: the name lookup, connecting, redirects and the whole answer. */
  readonly timeoutMs: number;
  /** With 0, a redirect is returned like any other answer. Only GET requests follow redirects. */
  readonly redirectsMax: number;
  /** The maximum number of bytes of the answer's body that are read. */
  readonly answerBytesMax: number;
  /**
   * What to do with an answer whose status is known, but whose body is too long, is interrupted or takes too long:
   * `refuse` throws, `cut` returns the beginning.
   */
  readonly longerAnswer: "refuse" | "cut";
}

export interface GuardedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Uint8Array;
}

/** Calls URLs that were supplied from outside, but never addresses of the internal network. */
export interface GuardedFetch {
  /** Returns the answer whatever its status. Throws `UrlRefused` or `FetchFailed`. */
  fetch(request: GuardedRequest): Promise<GuardedAnswer>;
  /** Checks a URL against the rules and looks up its name, without calling it. Throws `UrlRefused` or `FetchFailed`. */
  check(url: string): Promise<void>;
  /** Closes all connections. */
  close(): Promise<void>;
}

/** All addresses of a name. */
export type ResolveName = (hostname: string) => Promise<ReadonlyArray<{ address: string; family: number }>>;

export interface GuardedFetchOptions {
  /** Also allows URLs on this machine, including `http:`. For development and tests, never in production. */
  readonly allowLoopback: boolean;
  /** Looks names up; defaults to the system's resolver. */
  readonly resolve?: ResolveName;
  /** Certificates to trust in addition to the system's, in PEM. */
  readonly certificateAuthority?: string;
}

const CONNECT_TIMEOUT_MS = 5_000;

/**
 * Creates the guard. It checks every address of a name while connecting and connects only to checked addresses. A name
 * server could otherwise return one address for the check and another for the connection. A name is refused if any of
 * its addresses is not public. Redirects pass the same checks. Answers are not decompressed.
 */
export function createGuardedFetch(options: GuardedFetchOptions): GuardedFetch {
  const resolve = options.resolve ?? ((hostname) => lookUpInDns(hostname, { all: true, order: "verbatim" }));
  const mayConnect = (address: string, secure: boolean) =>
    (secure && isPublicAddress(address)) || (options.allowLoopback && isLoopbackAddress(address));
  const agent = new Agent({ connect: guardedConnector(options, resolve, mayConnect), allowH2: false });
  return {
    fetch(request) {
      leaveTurn();
      return follow(agent, options.allowLoopback, request);
    },
    async check(text) {
      leaveTurn();
      const url = readUrl(text, options.allowLoopback);
      await addressesOf(bareHostname(url.hostname), resolve, (address) =>
        mayConnect(address, url.protocol === "https:"),
      );
    },
    close: () => agent.destroy(),
  };
}

type MayConnect = (address: string, secure: boolean) => boolean;

function guardedConnector(
  options: GuardedFetchOptions,
  resolve: ResolveName,
  mayConnect: MayConnect,
): buildConnector.connector {
  const connectorOf = (secure: boolean) =>
    buildConnector({
      timeout: CONNECT_TIMEOUT_MS,
      // Each delivery has its own connection, which closes with it. An HTTP/2 session would be shared.
      allowH2: false,
      lookup: guardedLookup(resolve, (address) => mayConnect(address, secure)),
      ...(options.certificateAuthority === undefined ? {} : { ca: options.certificateAuthority }),
    });
  const connectors = { "https:": connectorOf(true), "http:": connectorOf(false) };
  return (target, callback) => {
    // An IP address in the URL itself is never looked up, so it is checked here.
    const hostname = bareHostname(target.hostname);
    const secure = target.protocol === "https:";
    if (isIP(hostname) !== 0 && !mayConnect(hostname, secure)) {
      callback(new UrlRefused("address_not_public"), null);
    } else {
      connectors[secure ? "https:" : "http:"](target, callback);
    }
  };
}

/** A lookup function for sockets that returns only checked addresses. */
function guardedLookup(resolve: ResolveName, mayConnect: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    addressesOf(hostname, resolve, mayConnect).then(
      (addresses) => {
        const [first] = addresses;
        if (options.all === true) callback(null, [...addresses]);
        else callback(null, first?.address ?? "", first?.family);
      },
      (error: unknown) => callback(error instanceof Error ? error : new FetchFailed("network", { cause: error }), ""),
    );
  };
}

async function addressesOf(
  hostname: string,
  resolve: ResolveName,
  mayConnect: (address: string) => boolean,
): Promise<ReadonlyArray<{ address: string; family: number }>> {
  const family = isIP(hostname);
  const addresses = family === 0 ? await resolved(hostname, resolve) : [{ address: hostname, family }];
  if (!addresses.every(({ address }) => mayConnect(address))) throw new UrlRefused("address_not_public");
  return addresses;
}

async function resolved(
  hostname: string,
  resolve: ResolveName,
): Promise<ReadonlyArray<{ address: string; family: number }>> {
  try {
    const addresses = await resolve(hostname);
    if (addresses.length > 0) return addresses;
  } catch (cause) {
    throw new FetchFailed("dns", { cause });
  }
  throw new FetchFailed("dns");
}

/** Parses the URL and checks every rule that needs no lookup. */
function readUrl(text: string, allowLoopback: boolean): URL {
  const url = parseUrl(text);
  if (url === null) throw new UrlRefused("malformed");
  if (url.protocol !== "https:" && !(allowLoopback && url.protocol === "http:")) throw new UrlRefused("not_https");
  if (url.username !== "" || url.password !== "") throw new UrlRefused("has_credentials");
  return url;
}

/** Parses once; `URL.canParse` first would parse every webhook URL twice. */
function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

function bareHostname(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, "");
}

async function follow(agent: Agent, allowLoopback: boolean, request: GuardedRequest): Promise<GuardedAnswer> {
  const deadline = new Deadline(request.timeoutMs);
  try {
    let url = readUrl(request.url, allowLoopback);
    for (let redirects = 0; ; redirects += 1) {
      const { location, ...answer } = await call(agent, url, request, deadline);
      if (location === null) return answer;
      if (redirects >= request.redirectsMax) throw new UrlRefused("too_many_redirects");
      url = readUrl(URL.canParse(location, url.href) ? new URL(location, url).href : location, allowLoopback);
    }
  } finally {
    deadline.end();
  }
}

/**
 * The time limit of a request with all its redirects. A plain timer, because an `AbortSignal` with its listeners would
 * add a quarter to the cost of a short request.
 */
class Deadline {
  /** The reader to stop when the time is up. */
  reader: AnswerReader | null = null;
  private readonly timer: NodeJS.Timeout;

  constructor(milliseconds: number) {
    this.timer = setTimeout(stopReader, milliseconds, this);
  }

  end(): void {
    clearTimeout(this.timer);
  }
}

function stopReader({ reader }: Deadline): void {
  reader?.stop(new FetchFailed("timeout"));
}

/** An answer. If it has a `location` to follow, its body was not read. */
interface CallAnswer extends GuardedAnswer {
  readonly location: string | null;
}

function call(agent: Agent, url: URL, request: GuardedRequest, deadline: Deadline): Promise<CallAnswer> {
  return new Promise((resolve, reject) => {
    const reader = new AnswerReader(request, resolve, reject);
    deadline.reader = reader;
    const options = {
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method: request.method ?? "GET",
      headers: { "accept-encoding": "identity", ...request.headers },
      body: request.body ?? null,
      // Undici's own timeouts are off: the deadline is stricter.
      headersTimeout: 0,
      bodyTimeout: 0,
    };
    agent.dispatch(options, reader);
  });
}

/**
 * Reads an answer directly from undici's dispatcher, because the streams of its `request` cost more than a short
 * answer. Once the answer is settled, the connection is closed so that no more data arrives.
 */
class AnswerReader implements Dispatcher.DispatchHandler {
  private readonly request: GuardedRequest;
  private readonly resolve: (answer: CallAnswer) => void;
  private readonly reject: (error: UrlRefused | FetchFailed) => void;
  private readonly chunks: Uint8Array[] = [];
  private bytes = 0;
  private head: Pick<GuardedAnswer, "status" | "headers"> | null = null;
  private connection: Dispatcher.DispatchController | null = null;
  private isSettled = false;

  constructor(
    request: GuardedRequest,
    resolve: (answer: CallAnswer) => void,
    reject: (error: UrlRefused | FetchFailed) => void,
  ) {
    this.request = request;
    this.resolve = resolve;
    this.reject = reject;
  }

  /** Stops the call in any state: waiting for a connection, sent, or receiving the answer. */
  stop(reason: FetchFailed): void {
    this.fail(reason);
    this.connection?.abort(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.connection = controller;
    if (this.isSettled) controller.abort(new FetchFailed("timeout"));
  }

  onResponseStart(_controller: unknown, status: number, headers: GuardedAnswer["headers"]): void {
    // A status below 200 is interim; the actual answer follows.
    if (status < 200) return;
    this.head = { status, headers };
    const location = redirectOf(this.head, this.request);
    if (location !== null) this.finishEarly(location);
  }

  onResponseData(_controller: unknown, chunk: Uint8Array): void {
    const left = this.request.answerBytesMax - this.bytes;
    const { longerAnswer } = this.request;
    if (chunk.length > left && longerAnswer === "refuse") this.stop(new FetchFailed("too_large"));
    this.chunks.push(chunk.subarray(0, left));
    this.bytes += Math.min(left, chunk.length);
    if (chunk.length >= left && longerAnswer === "cut") this.finishEarly(null);
  }

  onResponseEnd(): void {
    this.succeed(null);
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.fail(error);
  }

  private finishEarly(location: string | null): void {
    this.succeed(location);
    this.connection?.abort(new FetchFailed("too_large"));
  }

  private succeed(location: string | null): void {
    if (this.isSettled || this.head === null) return;
    this.isSettled = true;
    this.resolve({ status: this.head.status, headers: this.head.headers, body: joined(this.chunks), location });
  }

  private fail(error: Error): void {
    // With `cut`, the beginning of an interrupted answer counts as the answer.
    if (this.request.longerAnswer === "cut") this.succeed(null);
    if (this.isSettled) return;
    this.isSettled = true;
    this.reject(asFailure(error));
  }
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const [only = new Uint8Array(0)] = chunks;
  return chunks.length <= 1 ? only : Buffer.concat(chunks);
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** The redirect to follow, or null. */
function redirectOf(
  { status, headers }: Pick<GuardedAnswer, "status" | "headers">,
  { method = "GET", redirectsMax }: GuardedRequest,
): string | null {
  const { location } = headers;
  const isFollowed = redirectsMax > 0 && method === "GET" && REDIRECTS.has(status);
  return isFollowed && typeof location === "string" ? location : null;
}

/** Maps an error to ours. Undici's connector throws our own errors directly or as a cause. */
function asFailure(error: unknown): UrlRefused | FetchFailed {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
    if (at instanceof UrlRefused || at instanceof FetchFailed) return at;
    const failure = "code" in at && typeof at.code === "string" ? failureByCode(at.code) : null;
    if (failure !== null) return new FetchFailed(failure, { cause: error });
  }
  return new FetchFailed("network", { cause: error });
}

/** Codes of OpenSSL and Node for certificates that are not trusted and for handshakes that fail. */
const TLS_CODE = /^ERR_(TLS|SSL)_|CERT|^UNABLE_TO_|^EPROTO$|^HOSTNAME_MISMATCH$/;

function failureByCode(code: string): FetchFailure | null {
  if (code === "ECONNREFUSED") return "refused";
  return TLS_CODE.test(code) ? "tls" : null;
}
