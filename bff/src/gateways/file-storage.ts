import type { Readable } from "node:stream";

/**
 * Thrown when a file could not be stored: the disk is full or the bucket does not answer. A part of it may have been
 * stored.
 */
export class FileStorageUnavailable extends Error {
  override readonly name = "FileStorageUnavailable";
  readonly code = "file_storage_unavailable";
}

/** Thrown when a file does not exist, cannot be read, or was changed after it was stored. */
export class FileUnreadable extends Error {
  override readonly name = "FileUnreadable";
  readonly code = "file_unreadable";
}

/** Stores uploads, encrypted, under random names. */
export interface FileStorage {
  /** Resolves when the file would survive a power loss. Throws `FileStorageUnavailable`. */
  put(name: string, content: Readable | Uint8Array): Promise<void>;
  /** Throws `FileUnreadable`. */
  get(name: string): Promise<Uint8Array>;
  delete(name: string): Promise<void>;
  /** The names with this prefix; `beginning` has at least two characters. */
  list(beginning: string): Promise<readonly string[]>;
}
