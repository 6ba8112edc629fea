import type { IncomingMessage } from "node:http";
import { ApiError } from "./api-error.ts";
import { dropRest } from "./drop-rest.ts";

export interface JsonBody {
  /** The parsed JSON; `undefined` if no body was sent. */
  readonly value: unknown;
  /** The received bytes, for hashing. */
  readonly bytes: Buffer;
}

/** The most bytes of a body. */
export const JSON_BODY_BYTES_MAX = 64 * 1024;

/**
 * The deepest nesting. No valid body is nested deeper than ten levels, and code that walks a value recursively needs a
 * limit.
 */
const depthMax = 32;

/**
 * Reads the body of a request as JSON. If the endpoint needs a credential, it is called only after one was presented,
 * so that the bodies of other requests are never read. Throws `ApiError`:
 *
 * - 400 `unreadable_body`: not declared as JSON in UTF-8, compressed, or cut off;
 * - 400 `malformed_json`: not JSON, nested deeper than 32, or with NUL or invalid Unicode, which the database cannot
 *   store;
 * - 413 `body_too_large`: more than `bytesMax` bytes; the rest is read and dropped, so that the caller sees the answer.
 *
 * Fields named `__proto__` are removed from the value, because they could change a prototype.
 */
export async function readJsonBody(
  request: IncomingMessage,
  { bytesMax = JSON_BODY_BYTES_MAX } = {},
): Promise<JsonBody> {
  const bytes = await readBytes(request, bytesMax);
  if (bytes.length === 0) return { value: undefined, bytes };
  requireJson(request);
  return { value: parse(bytes), bytes };
}

async function readBytes(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
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
    // `close` follows every error; without a listener the error itself would end the process.
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

function parse(bytes: Buffer): unknown {
  const { text, value } = parseText(bytes);
  if (!isPlain(text)) sanitize(value);
  return value;
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

/**
 * Whether the parsed value needs no check: without `\u` there is no NUL or lone surrogate, without `__proto__` there is
 * no such field, and with few brackets it cannot be nested too deep.
 */
function isPlain(text: string): boolean {
  if (text.includes("\\u") || text.includes("__proto__")) return false;
  let brackets = 0;
  for (let index = 0; index < text.length && brackets < depthMax; index += 1) {
    const character = text.charCodeAt(index);
    if (character === OPEN_BRACE || character === OPEN_BRACKET) brackets += 1;
  }
  return brackets < depthMax;
}

const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;

/**
 * Walks the whole value without recursion: removes `__proto__` fields, and refuses deep nesting and text that cannot be
 * stored.
 */
function sanitize(root: unknown): void {
  const pending: { value: unknown; depth: number }[] = [{ value: root, depth: 0 }];
  for (let entry = pending.pop(); entry !== undefined; entry = pending.pop()) {
    const { value, depth } = entry;
    if (typeof value === "string") requireStorable(value);
    if (typeof value !== "object" || value === null) continue;
    if (depth >= depthMax) throw new ApiError("malformed_json");
    for (const [name, child] of Object.entries(value)) {
      requireStorable(name);
      if (name === "__proto__") Reflect.deleteProperty(value, name);
      else pending.push({ value: child, depth: depth + 1 });
    }
  }
}

function requireStorable(text: string): void {
  if (/[\0\p{Surrogate}]/u.test(text)) throw new ApiError("malformed_json");
}
