import { mkdir, open, rename, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { FSDriver } from "flydrive/drivers/fs";

/**
 * A local folder, or one that several machines share. A file is on the disk under its name only when it is whole, and
 * `put` returns only when it would survive a power loss: flydrive's own driver writes in place, without fsync, and moves
 * by copying.
 */
export class FolderDriver extends FSDriver {
  readonly #folder: string;
  readonly #sync: typeof syncFolder;
  /** Folders whose own names are on the disk for certain. */
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
    await mkdir(dirname(draft), { recursive: true });
    try {
      await writeDurably(draft, contents);
      await rename(draft, target);
      await this.#sync(dirname(target));
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  }

  /** Removes what a process that died in the middle of `put` may have left, too. */
  override async delete(key: string): Promise<void> {
    await rm(this.#draftOf(key), { force: true });
    await super.delete(key);
  }

  /**
   * Makes a folder that survives a power loss. One that was there already may have been made by a process that died before it
   * could see to that, or by one that has not come to it yet: so each process does it once.
   */
  async #makeFolder(folder: string): Promise<void> {
    const firstMade = await mkdir(folder, { recursive: true });
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

/** A folder and those above it, up to the last. */
function foldersFrom(folder: string, last: string): string[] {
  return folder === last || folder === dirname(folder) ? [folder] : [folder, ...foldersFrom(dirname(folder), last)];
}

/** The name of a new file, or of a new folder, is on the disk only when the folder that holds it is. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
