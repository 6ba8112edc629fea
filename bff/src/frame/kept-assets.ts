import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import type { RequestHandler } from "express";
import { type FileStorage, FileUnreadable } from "../gateways/file-storage.ts";
import type { AddressLimits } from "../platform/http/address-limits.ts";

/*
 * The widget's files of every build that was ever served, in the storage that all processes share. A page of one build
 * finds its files at a process of another build, even after its build was replaced on disk.
 */

/** Files whose names are never used again for other contents. */
export interface KeptFiles {
  /** The path under which they are served. */
  readonly name: "assets" | "embed";
  readonly isKept: (file: string) => boolean;
}

export const KEPT_ASSETS: KeptFiles = { name: "assets", isKept: () => true };
/** `1.4.0.js` never changes; `v1.js` and the manifest do. */
export const KEPT_EMBED: KeptFiles = { name: "embed", isKept: (file) => /\d+\.\d+\.\d+[^/\\]*$/.test(file) };

/** Stores the files of a folder before the first page names one of them. */
export async function keepFiles(
  storage: Pick<FileStorage, "get" | "put">,
  { name, isKept }: KeptFiles,
  folder: string,
): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && isKept(entry.name)).map((entry) => entry.name);
  await Promise.all(
    files.map(async (file) => {
      const key = keyOf(name, file);
      if ((await read(storage, key)) === null) await storage.put(key, await readFile(join(folder, file)));
    }),
  );
}

/** Serves a stored file that is not in this process's build. Mount it after that build's own files. */
export function serveKept(
  {
    files,
    addressLimits,
  }: { readonly files: Pick<FileStorage, "get">; readonly addressLimits: Pick<AddressLimits, "countPublicCall"> },
  { name, isKept }: KeptFiles,
  caching: string,
): RequestHandler {
  return async (request, response, next) => {
    const file = request.path.slice(1);
    if (request.method !== "GET" || !/^[\w.-]{1,128}$/.test(file) || !isKept(file)) {
      next();
      return;
    }
    await addressLimits.countPublicCall(request.ip ?? "");
    const content = await read(files, keyOf(name, file));
    if (content === null) {
      next();
      return;
    }
    // The type of a compressed file was set when it was chosen.
    if (!response.hasHeader("Content-Type")) response.type(extname(file));
    response.setHeader("Cache-Control", caching);
    response.end(content);
  };
}

async function read(storage: Pick<FileStorage, "get">, key: string): Promise<Uint8Array | null> {
  try {
    return await storage.get(key);
  } catch (error) {
    if (error instanceof FileUnreadable) return null;
    throw error;
  }
}

/** A name in the storage has neither dots nor capitals. */
function keyOf(folder: string, file: string): string {
  return `widget-${createHash("sha256").update(`${folder}/${file}`).digest("hex")}`;
}
