import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import busboy from "busboy";
import { ApiError } from "../../platform/http/api-error.ts";

/**
 * Receives the parts of a form. Anything that either method throws or rejects with refuses the form and ends the reading.
 */
export interface FormReceiver {
  /** `isCut`: the value is longer than the limit, and this is its beginning. */
  onField(name: string, value: string, isCut: boolean): void;
  /** Must read the content to its end or fail, because the next part comes only after that. */
  onFile(name: string, fileName: string, content: Readable): Promise<void>;
}

export interface FormLimits {
  readonly filesMax: number;
  readonly fileBytesMax: number;
  readonly fieldsMax: number;
  readonly fieldBytesMax: number;
  /** The time limit for the whole form. */
  readonly timeoutMs: number;
}

/**
 * Reads a `multipart/form-data` request part by part, holding at most one chunk in memory. The failure that is first in
 * the stream ends the reading. It is thrown once no part is being processed any more: either the receiver's error, or
 * `ApiError` with `no_files` (not a form at all), `unreadable_body` (malformed, cut off, too slow), `too_many_files` or
 * `processing_error`. The rest of the request is then still unread.
 */
export async function readForm(request: IncomingMessage, receiver: FormReceiver, limits: FormLimits): Promise<void> {
  const parser = openParser(request, limits);
  const refusals: { at: number; error: unknown }[] = [];
  const refuse = (at: number, error: unknown) => {
    refusals.push({ at, error });
    parser.destroy();
  };
  const parts = receiveParts(parser, receiver, refuse, () => refusals.length > 0);
  const cut = () => refuse(Number.POSITIVE_INFINITY, new ApiError("unreadable_body"));
  const onClose = () => {
    if (!request.complete) cut();
  };
  const deadline = AbortSignal.timeout(limits.timeoutMs);
  deadline.addEventListener("abort", cut);
  request.once("close", onClose);
  await new Promise<void>((resolve) => {
    parser.on("error", cut).once("close", resolve);
    request.pipe(parser);
  });
  request.off("close", onClose);
  deadline.removeEventListener("abort", cut);
  await Promise.all(parts);
  const [first] = refusals.sort((a, b) => a.at - b.at);
  if (first !== undefined) throw first.error;
}

/**
 * Passes the parts to the receiver in their order. One chunk can hold several small parts, so a later part may be refused
 * before an earlier one has been checked; each refusal therefore carries its position in the stream.
 */
function receiveParts(
  parser: busboy.Busboy,
  receiver: FormReceiver,
  refuse: (at: number, error: unknown) => void,
  isRefused: () => boolean,
): readonly Promise<void>[] {
  const parts: Promise<void>[] = [];
  let count = 0;
  // A part may have no name, although the parser's types say that it always has one.
  parser.on("field", (name: string | undefined, value, { valueTruncated }) => {
    const at = count++;
    // The parser finishes the chunk in which a form is refused; the parts after the refusal are ignored.
    if (isRefused()) return;
    try {
      if (name === undefined) throw fieldRefusal("", "a part of the form has no name");
      receiver.onField(name, value, valueTruncated);
    } catch (error) {
      refuse(at, error);
    }
  });
  parser.on("file", (name, content, { filename }) => {
    const at = count++;
    // The reader of the content receives its errors; this listener only keeps an error from being unhandled when there is
    // no reader.
    content.on("error", () => undefined);
    if (isRefused()) return;
    const refuseFile = (error: unknown) => refuse(at, error === content.errored ? unreadable(error) : error);
    parts.push(receiver.onFile(name, filename ?? "", content).catch(refuseFile));
  });
  parser.on("filesLimit", () => refuse(count++, new ApiError("too_many_files")));
  parser.on("fieldsLimit", () => refuse(count++, fieldRefusal("", "too many fields")));
  return parts;
}

/** The refusal of one field, which says in words which it is and what is wrong. */
export function fieldRefusal(path: string, message: string): ApiError {
  const detail = `The submission could not be processed: ${path === "" ? "" : `${path}: `}${message}.`;
  return new ApiError("processing_error", { errors: [{ path, message }] }, { detail });
}

function openParser(request: IncomingMessage, limits: FormLimits): busboy.Busboy {
  const type = request.headers["content-type"] ?? "";
  if (!/^\s*multipart\/form-data\b/i.test(type)) throw new ApiError("no_files");
  try {
    return busboy({
      headers: request.headers,
      defParamCharset: "utf8",
      limits: {
        files: limits.filesMax,
        // One byte more than the limit, so that a file of exactly the limit can be distinguished from a longer one.
        fileSize: limits.fileBytesMax + 1,
        fields: limits.fieldsMax,
        fieldSize: limits.fieldBytesMax,
      },
    });
  } catch (cause) {
    throw unreadable(cause);
  }
}

function unreadable(cause: unknown): ApiError {
  return new ApiError("unreadable_body", {}, { cause });
}
