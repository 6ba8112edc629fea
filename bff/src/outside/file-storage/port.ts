import type { Readable } from "node:stream";

/** Where uploads are kept, encrypted, under random names. */
export interface FileStorage {
  put(name: string, content: Readable | Uint8Array): Promise<void>;
  get(name: string): Promise<Uint8Array>;
  delete(name: string): Promise<void>;
}
