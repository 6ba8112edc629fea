import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { fileTypeFromBuffer } from "file-type";
import { type FileType, fileTypeSchema } from "../../contract/expenses.ts";
import { EXPENSE_FILE_BYTES_MAX } from "../../contract/terms.ts";
import { withoutCardNumber } from "../../contract/vocabulary/card-number.ts";
import { type FileStorage, FileStorageUnavailable } from "../../gateways/file-storage.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import { isReceipt, isXml, watchReceipt } from "./electronic-receipt.ts";
import { ENCRYPTION_NAME, needsPassword } from "./locked-pdf.ts";
import { fieldRefusal } from "./read-form.ts";

/** The bytes at the beginning that suffice to recognise a file's type. */
const TYPE_BYTES = 4_100;

/** PDF readers accept a header within the first 1,024 bytes, for example after a line break or mail headers. */
const PDF_HEADER = "%PDF-";
const PDF_HEADER_WITHIN = 1_024;

/** Phones name this kind of photo in several ways. */
const HEIC = /^image\/hei[cf](?:-sequence)?$/;

/** The type of a file by its first bytes, whatever its name says; null if the type is not accepted. */
async function fileTypeIn(beginning: Uint8Array): Promise<FileType | null> {
  if (isXml(beginning)) return "application/xml";
  const detected = await fileTypeFromBuffer(beginning);
  if (detected === undefined && holdsPdfHeader(beginning)) return "application/pdf";
  const mime = detected?.mime ?? "";
  const type = fileTypeSchema.safeParse(HEIC.test(mime) ? "image/heic" : mime);
  return type.success && type.data !== "application/xml" ? type.data : null;
}

function holdsPdfHeader(beginning: Uint8Array): boolean {
  const { buffer, byteOffset, byteLength } = beginning;
  return Buffer.from(buffer, byteOffset, Math.min(byteLength, PDF_HEADER_WITHIN)).includes(PDF_HEADER);
}

/** A stored file that does not belong to an expense yet. */
export interface ReceivedFile {
  readonly storageName: string;
  /** The sender's name for the file, without a path. */
  readonly name: string;
  readonly type: FileType;
  readonly bytes: number;
  readonly sha256: string;
  /** True for a PDF that needs a password. */
  readonly isLocked: boolean;
}

const FILE_NAME_LENGTH_MAX = 255;
const EXTENSIONS: Readonly<Record<FileType, string>> = {
  "application/pdf": "pdf",
  "application/xml": "xml",
  "image/jpeg": "jpg",
  "image/png": "png",
  "image/heic": "heic",
  "image/webp": "webp",
};

/**
 * Streams one file into the storage. Throws `processing_error`, which names the file, if it is empty or its type is not
 * accepted; `file_too_large` at the first byte beyond the limit; `service_unavailable` if the storage is unavailable.
 * After a failure the storage may contain a part of the file under `storageName`.
 */
export async function receiveFile(
  storage: FileStorage,
  file: {
    readonly storageName: string;
    readonly name: string;
    /** Counted from 1. Names a file that was sent without a name. */
    readonly position: number;
    readonly content: AsyncIterable<unknown>;
  },
): Promise<ReceivedFile> {
  const chunks = bounded(file.content)[Symbol.asyncIterator]();
  const beginning = await readBeginning(chunks);
  const given = cleanName(file.name);
  const unnamed = `archivo-${file.position}`;
  const type = await typeOf(beginning, given || unnamed);
  const name = given || `${unnamed}.${EXTENSIONS[type]}`;
  const hash = createHash("sha256");
  const encryption = watchFor(ENCRYPTION_NAME);
  let bytes = 0;
  const all = joined(beginning, chunks);
  const measured = async function* () {
    for await (const chunk of type === "application/xml" ? watched(all, name) : all) {
      hash.update(chunk);
      encryption.watch(chunk);
      bytes += chunk.length;
      yield chunk;
    }
  };
  await storeStream(storage, file.storageName, measured());
  const mayBeLocked = type === "application/pdf" && encryption.isFound();
  const isLocked = mayBeLocked && needsPassword(await readStored(storage, file.storageName));
  return { storageName: file.storageName, name, type, bytes, sha256: hash.digest("hex"), isLocked };
}

/** Searches chunks for a name, which may be split anywhere. */
function watchFor(name: string): { watch(chunk: Buffer): void; isFound(): boolean } {
  let end = Buffer.alloc(0);
  let isFound = false;
  return {
    watch(chunk) {
      if (isFound) return;
      isFound =
        chunk.includes(name, 0, "latin1") || Buffer.concat([end, chunk.subarray(0, name.length)]).includes(name);
      end = Buffer.concat([end, chunk.subarray(-name.length)]).subarray(-name.length);
    },
    isFound: () => isFound,
  };
}

/** An encrypted PDF is read back instead of being held in memory on arrival, because few files are encrypted. */
async function readStored(storage: FileStorage, name: string): Promise<Buffer> {
  try {
    return Buffer.from(await storage.get(name));
  } catch (cause) {
    throw unavailable(cause);
  }
}

function unavailable(cause: unknown): ApiError {
  return new ApiError("service_unavailable", {}, { cause });
}

/** Throws the error that made the stream fail, because the storage's own error says less. */
async function storeStream(storage: FileStorage, name: string, chunks: AsyncGenerator<Buffer>): Promise<void> {
  let failure: unknown;
  const watched = async function* () {
    try {
      yield* chunks;
    } catch (error) {
      failure = error;
      throw error;
    }
  };
  try {
    await storage.put(name, Readable.from(watched(), { objectMode: false }));
  } catch (error) {
    throw failure ?? asRefusal(error);
  }
}

/** An unavailable storage may work again soon. This request leaves nothing behind, so the client can repeat it. */
function asRefusal(error: unknown): unknown {
  return error instanceof FileStorageUnavailable ? unavailable(error) : error;
}

async function* bounded(content: AsyncIterable<unknown>): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of content) {
    if (!(chunk instanceof Uint8Array)) throw new TypeError("A file's content must come as bytes.");
    bytes += chunk.length;
    if (bytes > EXPENSE_FILE_BYTES_MAX) throw new ApiError("file_too_large");
    yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  }
}

async function readBeginning(chunks: AsyncIterator<Buffer>): Promise<Buffer> {
  const read: Buffer[] = [];
  let bytes = 0;
  while (bytes < TYPE_BYTES) {
    const next = await chunks.next();
    if (next.done === true) break;
    read.push(next.value);
    bytes += next.value.length;
  }
  return Buffer.concat(read);
}

async function* watched(chunks: AsyncIterable<Buffer>, name: string): AsyncGenerator<Buffer> {
  const isData = watchReceipt();
  for await (const chunk of chunks) {
    if (!isData(chunk)) throw typeRefusal(name);
    yield chunk;
  }
  if (!isData(null)) throw typeRefusal(name);
}

function typeRefusal(name: string): ApiError {
  return fieldRefusal(
    "uploaded_files",
    `the file "${name}" is neither a PDF, a photo (JPEG, PNG, HEIC, WebP) nor the XML of an electronic receipt`,
  );
}

async function typeOf(beginning: Buffer, name: string): Promise<FileType> {
  if (beginning.length === 0) throw fieldRefusal("uploaded_files", `the file "${name}" is empty`);
  const type = await fileTypeIn(beginning);
  // A short file is already complete, so it can be checked before anything is stored.
  const isJudged = beginning.length >= TYPE_BYTES || type !== "application/xml" || isReceipt(beginning);
  if (type !== null && isJudged) return type;
  throw typeRefusal(name);
}

/** Lets an ended iterator be called again: it reports its end again. */
async function* joined(beginning: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield beginning;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}

/** The first half of a surrogate pair that the cut has split. */
const HALF_CHARACTER = /[\uD800-\uDBFF]$/;

/**
 * Removes paths, control characters and card digits, and limits the length. Empty if nothing is left. The result never
 * names a file on a disk.
 */
export function cleanName(name: string): string {
  const last = name.replace(/^.*[/\\]/s, "");
  return withoutCardNumber(last)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "")
    .trim()
    .slice(0, FILE_NAME_LENGTH_MAX)
    .replace(HALF_CHARACTER, "")
    .replace(/^\.+$/, "");
}
