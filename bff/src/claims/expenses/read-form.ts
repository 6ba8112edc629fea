import type { IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import { ApiError } from "../../platform/http/api-error.ts";
import { leaveTurn } from "../../platform/http/turns.ts";
import { boundaryIn, type FormPart, MalformedForm, splitForm } from "./multipart.ts";

/** Receives the parts of a form in sequence. An error from either method rejects the form and ends the reading. */
export interface FormReceiver {
  /** Whether a part with this name is a file, even if nothing else says so. */
  isFile(name: string): boolean;
  /** `isCut`: the value exceeded the limit, and this is its beginning. */
  onField(name: string, value: string, isCut: boolean): void;
  onFile(name: string, fileName: string, content: AsyncIterable<Buffer>): Promise<void>;
}

export interface FormLimits {
  readonly filesMax: number;
  /** The maximum number of parts that are not files, including empty file inputs. */
  readonly fieldsMax: number;
  readonly fieldBytesMax: number;
  /** The time limit for the whole form. */
  readonly timeoutMs: number;
}

/**
 * Reads a `multipart/form-data` request part by part, holding at most one chunk in memory. Throws the first failure in
 * the stream and leaves the rest of the request unread. Throws the receiver's error, or `no_files` (not a form at all),
 * `unreadable_body` (malformed, truncated, too slow), `too_many_files` or `processing_error`.
 */
export async function readForm(request: IncomingMessage, receiver: FormReceiver, limits: FormLimits): Promise<void> {
  const type = request.headers["content-type"] ?? "";
  if (!/^\s*multipart\/form-data\b/i.test(type)) throw new ApiError("no_files");
  const boundary = boundaryIn(type);
  if (boundary === null) throw new ApiError("unreadable_body");
  leaveTurn();
  const body = new PassThrough();
  const cut = () => body.destroy(new Error("The form was truncated, or arrived too slowly."));
  const onClose = () => {
    if (!request.complete) cut();
  };
  const deadline = AbortSignal.timeout(limits.timeoutMs);
  deadline.addEventListener("abort", cut);
  request.once("close", onClose);
  request.pipe(body);
  try {
    await receiveParts(splitForm(readable(body), boundary), receiver, limits);
  } catch (error) {
    throw error instanceof MalformedForm ? unreadable(error) : error;
  } finally {
    request.off("close", onClose);
    deadline.removeEventListener("abort", cut);
    request.unpipe(body);
    body.destroy();
  }
}

async function* readable(body: PassThrough): AsyncGenerator<Buffer> {
  try {
    yield* body as AsyncIterable<Buffer>;
  } catch (cause) {
    throw unreadable(cause);
  }
}

async function receiveParts(parts: AsyncIterable<FormPart>, receiver: FormReceiver, limits: FormLimits): Promise<void> {
  let [files, fields] = [0, 0];
  for await (const { head, content } of parts) {
    const name = head.name ?? "";
    if (head.contentType?.startsWith("multipart/")) throw fieldRefusal(name, "a part must not be a form itself");
    const isFile = head.fileName !== null || head.contentType === "application/octet-stream" || receiver.isFile(name);
    const file = isFile ? await unlessEmptyInput(head.fileName ?? "", content) : null;
    if (file !== null) {
      files += 1;
      if (files > limits.filesMax) throw new ApiError("too_many_files");
      await receiver.onFile(name, head.fileName ?? "", file);
      continue;
    }
    fields += 1;
    if (fields > limits.fieldsMax) throw fieldRefusal("", "too many fields");
    if (isFile) continue;
    if (head.name === null) throw fieldRefusal("", "a part of the form has no name");
    const { bytes, isCut } = await readValue(content, limits.fieldBytesMax);
    receiver.onField(name, decode(bytes, head.charset), isCut);
  }
}

/** Null for an empty file input, which browsers send with no name and no bytes. */
async function unlessEmptyInput(
  fileName: string,
  content: AsyncGenerator<Buffer>,
): Promise<AsyncIterable<Buffer> | null> {
  if (fileName !== "") return content;
  const first = await content.next();
  if (first.done === true) return null;
  return (async function* () {
    yield first.value;
    yield* content;
  })();
}

async function readValue(content: AsyncIterable<Buffer>, bytesMax: number): Promise<{ bytes: Buffer; isCut: boolean }> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of content) {
    if (bytes <= bytesMax) chunks.push(chunk.subarray(0, bytesMax + 1 - bytes));
    bytes += chunk.length;
  }
  return { bytes: Buffer.concat(chunks).subarray(0, bytesMax), isCut: bytes > bytesMax };
}

function decode(bytes: Buffer, charset: string | null): string {
  try {
    return new TextDecoder(charset ?? "utf-8").decode(bytes);
  } catch {
    return bytes.toString();
  }
}

/** The error for one field, with its name and its problem. */
export function fieldRefusal(path: string, message: string): ApiError {
  const detail = `The submission could not be processed: ${path === "" ? "" : `${path}: `}${message}.`;
  return new ApiError("processing_error", { errors: [{ path, message }] }, { detail });
}

function unreadable(cause: unknown): ApiError {
  return new ApiError("unreadable_body", {}, { cause });
}
