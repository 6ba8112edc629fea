import type { Readable } from "node:stream";
import { type FileStorage, FileStorageUnavailable } from "../../../src/gateways/file-storage.ts";

/** A file storage in memory whose files tests can read, and that fails on demand. */
export function memoryStorage(): FileStorage & { readonly files: Map<string, Buffer>; failNextPuts: number } {
  const files = new Map<string, Buffer>();
  return {
    files,
    failNextPuts: 0,
    async put(name: string, content: Readable | Uint8Array) {
      if (this.failNextPuts > 0) {
        this.failNextPuts -= 1;
        throw new FileStorageUnavailable("The disk is full.");
      }
      if (content instanceof Uint8Array) {
        files.set(name, Buffer.from(content));
        return;
      }
      files.set(name, Buffer.alloc(0));
      const chunks: Buffer[] = [];
      for await (const chunk of content) {
        chunks.push(Buffer.from(chunk));
        files.set(name, Buffer.concat(chunks));
      }
    },
    async get(name) {
      const content = files.get(name);
      if (content === undefined) throw new Error("There is no such file.");
      return content;
    },
    async delete(name) {
      files.delete(name);
    },
    async list(beginning) {
      return [...files.keys()].filter((name) => name.startsWith(beginning));
    },
  };
}
