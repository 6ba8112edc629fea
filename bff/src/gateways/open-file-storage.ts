import type { Readable } from "node:stream";
import { Disk } from "flydrive";
import type { Keyring } from "../platform/keyring.ts";
import { FolderDriver } from "./file-storage/folder-driver.ts";
import { type FileStorage, FileStorageUnavailable, FileUnreadable } from "./file-storage.ts";

/** The place where files are stored. */
export type FileLocation =
  | { readonly kind: "folder"; readonly path: string }
  | {
      readonly kind: "s3";
      readonly bucket: string;
      readonly region: string;
      /** The endpoint of an S3-compatible service; null for Amazon's. */
      readonly endpoint: string | null;
      /** Null if Amazon's client finds them itself (environment, instance role). */
      readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | null;
    };

/** The largest file; the limits for uploads are far lower. */
export const STORED_FILE_BYTES_MAX = 8 * 1024 * 1024;

/** Callers choose random names of letters, digits and dashes, so that no name can be a path. */
const NAME_SHAPE = /^[a-z0-9][a-z0-9-]{7,127}$/;

/** Thrown when a name is not valid or a file is too large. */
export class FileRefused extends Error {
  override readonly name = "FileRefused";
  readonly code = "file_refused";
}

/**
 * Opens the storage for uploads. Each file is encrypted with the keyring for its own name. Someone with access to the
 * disk or the bucket can therefore neither read a file, nor change it unnoticed, nor replace it by another.
 */
export async function openFileStorage({
  location,
  keyring,
}: {
  readonly location: FileLocation;
  readonly keyring: Pick<Keyring, "sealBytes" | "openBytes">;
}): Promise<FileStorage> {
  const disk = new Disk(location.kind === "folder" ? new FolderDriver(location.path) : await openBucket(location));
  return {
    async put(name, content) {
      const key = keyOf(name);
      const bytes = content instanceof Uint8Array ? content : await collect(content);
      if (bytes.length > STORED_FILE_BYTES_MAX) throw new FileRefused("The file is too large to be stored.");
      const sealed = keyring.sealBytes(bytes, purposeOf(name));
      await disk.put(key, sealed).catch((cause: unknown) => {
        throw new FileStorageUnavailable("The file could not be stored.", { cause });
      });
    },
    async get(name) {
      try {
        return keyring.openBytes(await disk.getBytes(keyOf(name)), purposeOf(name));
      } catch (cause) {
        throw new FileUnreadable("The file is missing, or cannot be opened.", { cause });
      }
    },
    delete: async (name) => disk.delete(keyOf(name)),
    async list(beginning) {
      const folder = folderOf(beginning);
      const names: string[] = [];
      let page: string | undefined;
      do {
        const listed = await disk.listAll(folder, page === undefined ? {} : { paginationToken: page }).catch(noFolder);
        names.push(...[...listed.objects].flatMap((object) => (object.isFile ? [object.name] : [])));
        page = listed.paginationToken;
      } while (page !== undefined);
      return names.filter((name) => name.startsWith(beginning));
    },
  };
}

/** A folder that was never written to does not exist. */
function noFolder(error: unknown): { readonly objects: readonly never[]; readonly paginationToken?: string } {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return { objects: [] };
  throw new FileStorageUnavailable("The files could not be listed.", { cause: error });
}

/** Loads Amazon's client only if a bucket is used. */
async function openBucket({ bucket, region, endpoint, credentials }: Extract<FileLocation, { kind: "s3" }>) {
  const { S3Driver } = await import("flydrive/drivers/s3");
  return new S3Driver({
    bucket,
    region,
    visibility: "private",
    // Buckets no longer have access lists by default; the bucket's policy keeps files private.
    supportsACL: false,
    ...(endpoint === null ? {} : { endpoint, forcePathStyle: true }),
    ...(credentials === null ? {} : { credentials }),
  });
}

/** A two-letter prefix keeps every folder small. */
function keyOf(name: string): string {
  if (!NAME_SHAPE.test(name)) throw new FileRefused("This is not a valid name of a stored file.");
  return `${folderOf(name)}/${name}`;
}

function folderOf(name: string): string {
  return name.slice(0, 2);
}

function purposeOf(name: string): string {
  return `file:${name}`;
}

/** Reads the whole stream; throws the stream's error, or `FileRefused` as soon as it exceeds the limit. */
async function collect(content: Readable): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of content) {
    if (!(chunk instanceof Uint8Array)) throw new FileRefused("A stored file must consist of bytes.");
    bytes += chunk.length;
    if (bytes > STORED_FILE_BYTES_MAX) throw new FileRefused("The file is too large to be stored.");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
