import type { IncomingMessage } from "node:http";
import { BODY_LIMITS, type BodyLimits } from "../../contract/endpoint.ts";
import { ApiError } from "./api-error.ts";

interface DropLimits {
  readonly bytesMax: number;
  readonly timeoutMs: number;
}

/** The maximum that is still read from a client whose upload was refused. */
const DROP_LIMITS: DropLimits = { bytesMax: 16 * 1024 * 1024, timeoutMs: 10_000 };

/**
 * Reads and drops the rest of a request's body, so that a client that is still sending receives its answer instead of a
 * connection reset. The connection is closed when the rest exceeds the limits. Does nothing if the request was read
 * completely or is already being dropped.
 */
export function dropRest(request: IncomingMessage, limits: DropLimits = DROP_LIMITS): void {
  if (request.complete || request.destroyed || dropping.has(request)) return;
  dropping.add(request);
  let left = limits.bytesMax;
  const timeout = setTimeout(() => request.destroy(), limits.timeoutMs);
  timeout.unref();
  request
    .on("data", (chunk: Uint8Array) => {
      left -= chunk.length;
      if (left < 0) request.destroy();
    })
    .on("error", () => undefined)
    .once("close", () => clearTimeout(timeout))
    .once("end", () => clearTimeout(timeout))
    .resume();
}

const dropping = new WeakSet<IncomingMessage>();

export interface JsonBody {
  /** The parsed JSON; `undefined` if no body was sent. */
  readonly value: unknown;
  /** The received bytes, for hashing. */
  readonly bytes: Buffer;
}

/** The maximum nesting. Valid bodies have at most ten levels, and recursive code needs a limit. */
const DEPTH_MAX = 32;

/** Reads the body of a request as JSON: `readBytes`, then `parseJsonBody`. */
export async function readJsonBody(request: IncomingMessage, limits: BodyLimits = BODY_LIMITS): Promise<JsonBody> {
  return parseJsonBody(request, await readBytes(request, limits), limits);
}

/**
 * Parses the bytes of a body as JSON. Throws `ApiError`:
 *
 * - 400 `unreadable_body`: not declared as JSON in UTF-8, or compressed;
 * - 400 `malformed_json`: not JSON, nested deeper than 32, or with NUL or invalid Unicode, which the database cannot
 *   store;
 * - 413 `body_too_large`: more values than allowed, which are counted before anything is parsed.
 *
 * Fields named `__proto__` are removed from the value, because they could change a prototype.
 */
export function parseJsonBody(request: IncomingMessage, bytes: Buffer, { valuesMax }: BodyLimits): JsonBody {
  if (bytes.length === 0) return { value: undefined, bytes };
  requireJson(request);
  return { value: parse(bytes, valuesMax), bytes };
}

/**
 * Reads the bytes of a body. If the endpoint needs a credential, call it only once the caller is identified. Throws 400
 * `unreadable_body` if the body is cut off. Throws 413 `body_too_large` if it exceeds the limit; the rest is then read
 * and dropped so that the caller sees the answer.
 */
export async function readBytes(request: IncomingMessage, { bytesMax }: BodyLimits): Promise<Buffer> {
  const tooLarge = () => {
    dropRest(request);
    return new ApiError("body_too_large");
  };
  if (Number(request.headers["content-length"] ?? 0) > bytesMax) throw tooLarge();
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const settle = (finish: () => void) => {
      request.off("data", onData).off("end", onEnd).off("close", onCut);
      finish();
    };
    const onData = (chunk: Buffer) => {
      length += chunk.length;
      if (length > bytesMax) settle(() => reject(tooLarge()));
      else chunks.push(chunk);
    };
    const onEnd = () => settle(() => resolve(Buffer.concat(chunks, length)));
    const onCut = () => settle(() => reject(new ApiError("unreadable_body")));
    request.on("data", onData).once("end", onEnd).once("close", onCut);
    // `close` follows every error. Without a listener, the error itself would end the process.
    request.on("error", () => undefined);
  });
}

function requireJson(request: IncomingMessage): void {
  const { "content-type": type = "", "content-encoding": encoding = "identity" } = request.headers;
  if (encoding !== "identity") throw new ApiError("unreadable_body");
  const [mediaType = "", ...parameters] = type
    .toLowerCase()
    .split(";")
    .map((part) => part.trim());
  const charset = parameters
    .find((parameter) => parameter.startsWith("charset="))
    ?.slice("charset=".length)
    .replaceAll('"', "");
  const isJson = /^application\/(?:[\w.+-]+\+)?json$/.test(mediaType);
  if (!isJson || (charset !== undefined && charset !== "utf-8" && charset !== "utf8"))
    throw new ApiError("unreadable_body");
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

function parse(bytes: Buffer, valuesMax: number): unknown {
  const { depth, values } = measure(bytes);
  if (depth > DEPTH_MAX) throw new ApiError("malformed_json");
  if (values > valuesMax) throw new ApiError("body_too_large");
  const { text, value } = parseText(bytes);
  // Without `\\u`, the text has no NUL or lone surrogate; without `__proto__`, it has no such field.
  if (text.includes("\\u") || text.includes("__proto__")) sanitize(value);
  return value;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** The maximum depth and number of values that JSON can have, judged only by its brackets and commas. */
function measure(bytes: Uint8Array): { readonly depth: number; readonly values: number } {
  let [depth, deepest, values] = [0, 0, 1];
  let isInText = false;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] ?? 0;
    if (isInText) {
      if (byte === BACKSLASH) index += 1;
      else if (byte === QUOTE) isInText = false;
    } else if (byte === QUOTE) isInText = true;
    else if (byte === COMMA) values += 1;
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      values += 1;
      depth += 1;
      deepest = Math.max(deepest, depth);
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth -= 1;
  }
  return { depth: deepest, values };
}

function parseText(bytes: Buffer): { text: string; value: unknown } {
  try {
    const text = utf8.decode(bytes);
    return { text, value: JSON.parse(text) };
  } catch {
    // biome-ignore lint/style/useErrorCause: the parser's message quotes the body.
    throw new ApiError("malformed_json");
  }
}

/** Walks the whole value: removes `__proto__` fields, and refuses text that cannot be stored. */
function sanitize(value: unknown): void {
  if (typeof value === "string") requireStorable(value);
  if (typeof value !== "object" || value === null) return;
  for (const [name, child] of Object.entries(value)) {
    requireStorable(name);
    if (name === "__proto__") Reflect.deleteProperty(value, name);
    else sanitize(child);
  }
}

function requireStorable(text: string): void {
  if (!isStorable(text)) throw new ApiError("malformed_json");
}

/** Whether the database can store a text: without NUL and lone surrogates. */
export function isStorable(text: string): boolean {
  return !/[\0\p{Surrogate}]/u.test(text);
}
