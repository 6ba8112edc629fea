import { type PartHead, readPartHead } from "./part-head.ts";

/** Thrown when a body does not follow the format, or ends before its last boundary. */
export class MalformedForm extends Error {
  override readonly name = "MalformedForm";
}

/** One part of a form. Unread content is skipped. */
export interface FormPart {
  readonly head: PartHead;
  readonly content: AsyncGenerator<Buffer>;
}

/** Longer than any boundary may be (RFC 2046, 5.1.1), with room for the browsers' boundaries. */
const BOUNDARY_LENGTH_MAX = 200;
const HEAD_BYTES_MAX = 16 * 1_024;
const HEAD_END = Buffer.from("\r\n\r\n");
const LINE_END = Buffer.from("\r\n");
const LAST = Buffer.from("--");

/** The boundary that a `Content-Type` names; null if there is no usable one. */
export function boundaryIn(contentType: string): string | null {
  const [, quoted, token] = /;\s*boundary=(?:"([^"]*)"|([^\s;"]+))/i.exec(contentType) ?? [];
  const boundary = quoted ?? token ?? "";
  return boundary === "" || boundary.length > BOUNDARY_LENGTH_MAX ? null : boundary;
}

/**
 * Splits a `multipart/form-data` body (RFC 7578) into its parts while reading it. Holds one chunk and the head of one
 * part. Throws `MalformedForm`, and the errors of the body.
 */
export async function* splitForm(body: AsyncIterable<Buffer>, boundary: string): AsyncGenerator<FormPart> {
  const reader = createReader(body);
  const delimiter = Buffer.from(`\r\n--${boundary}`, "latin1");
  // A form without a preamble begins with its first boundary, without a line end before it.
  reader.prepend(LINE_END);
  for await (const _preamble of reader.until(delimiter));
  while (!(await isLast(reader))) {
    const head = readPartHead(await readHead(reader));
    let isRead = false;
    const content = async function* () {
      yield* reader.until(delimiter);
      isRead = true;
    };
    yield { head, content: content() };
    if (!isRead) for await (const _skipped of reader.until(delimiter));
  }
  await reader.drain();
}

async function isLast(reader: Reader): Promise<boolean> {
  const next = await reader.take(LAST.length);
  if (!next.equals(LAST) && !next.equals(LINE_END)) throw new MalformedForm("A boundary is followed by other bytes.");
  return next.equals(LAST);
}

async function readHead(reader: Reader): Promise<Buffer> {
  // A part without any header begins with its empty line.
  reader.prepend(LINE_END);
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of reader.until(HEAD_END)) {
    bytes += chunk.length;
    if (bytes > HEAD_BYTES_MAX) throw new MalformedForm("The head of a part is too long.");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

interface Reader {
  /** Puts bytes before the next ones to read. */
  prepend(bytes: Buffer): void;
  take(length: number): Promise<Buffer>;
  /** All bytes before a delimiter, which is consumed. */
  until(delimiter: Buffer): AsyncGenerator<Buffer>;
  /** Reads the body to its end. */
  drain(): Promise<void>;
}

function createReader(body: AsyncIterable<Buffer>): Reader {
  const chunks = body[Symbol.asyncIterator]();
  let held: Buffer = Buffer.alloc(0);

  async function more(): Promise<void> {
    const next = await chunks.next();
    if (next.done === true) throw new MalformedForm("The form ends before its last boundary.");
    held = held.length === 0 ? next.value : Buffer.concat([held, next.value]);
  }

  return {
    prepend(bytes) {
      held = Buffer.concat([bytes, held]);
    },
    async take(length) {
      while (held.length < length) await more();
      const taken = held.subarray(0, length);
      held = held.subarray(length);
      return taken;
    },
    async *until(delimiter) {
      for (;;) {
        const at = held.indexOf(delimiter);
        // The end of the held bytes may be the start of the delimiter.
        const safe = at >= 0 ? at : Math.max(0, held.length - delimiter.length + 1);
        const passed = held.subarray(0, safe);
        held = held.subarray(at >= 0 ? at + delimiter.length : safe);
        if (passed.length > 0) yield passed;
        if (at >= 0) return;
        await more();
      }
    },
    async drain() {
      held = Buffer.alloc(0);
      while ((await chunks.next()).done !== true);
    },
  };
}
