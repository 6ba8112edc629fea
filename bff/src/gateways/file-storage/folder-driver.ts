import { mkdir, open, rename, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { FSDriver } from "flydrive/drivers/fs";

/**
 * Stores files in a local folder, or in one that several machines share. A file appears under its name only when it is
 * complete, and `put` returns only when the file would survive a power loss. Flydrive's own driver guarantees neither:
 * it writes in place without fsync, and moves by copying.
 */
export class FolderDriver extends FSDriver {
  readonly #folder: string;
  readonly #sync: typeof syncFolder;
  /** Folders that are known to survive a power loss. */
  readonly #settled = new Set<string>();

  constructor(folder: string, sync: typeof syncFolder = syncFolder) {
    super({ location: folder, visibility: "private" });
    this.#folder = resolve(folder);
    this.#sync = sync;
  }

  override async put(key: string, contents: string | Uint8Array): Promise<void> {
    const draft = this.#draftOf(key);
    const target = join(this.#folder, key);
    await this.#makeFolder(dirname(target));
    await mkdir(dirname(draft), { recursive: true, mode: 0o700 });
    try {
      await writeDurably(draft, contents);
      await rename(draft, target);
      await this.#sync(dirname(target));
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  }

  /** Also removes the partial file of a process that died during `put`. */
  override async delete(key: string): Promise<void> {
    await rm(this.#draftOf(key), { force: true });
    await super.delete(key);
  }

  /**
   * Creates a folder that survives a power loss. Every process does this once per folder, even if it exists: the
   * process that created it may have died before syncing it, or may not have synced it yet.
   */
  async #makeFolder(folder: string): Promise<void> {
    const firstMade = await mkdir(folder, { recursive: true, mode: 0o700 });
    if (firstMade === undefined && this.#settled.has(folder)) return;
    for (const above of foldersFrom(dirname(folder), dirname(resolve(firstMade ?? folder)))) await this.#sync(above);
    this.#settled.add(folder);
  }

  #draftOf(key: string): string {
    return join(this.#folder, "drafts", basename(key));
  }
}

async function writeDurably(path: string, contents: string | Uint8Array): Promise<void> {
  const file = await open(path, "w", 0o600);
  try {
    await file.writeFile(contents);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** A folder and its parent folders, up to `last`. */
function foldersFrom(folder: string, last: string): string[] {
  return folder === last || folder === dirname(folder) ? [folder] : [folder, ...foldersFrom(dirname(folder), last)];
}

/** Syncs a folder to disk, which makes the names of new files and folders in it durable. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
