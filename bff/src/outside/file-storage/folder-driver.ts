import { mkdir, open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { FSDriver } from "flydrive/drivers/fs";

/**
 * A local folder, or one that several machines share. A file is on the disk under its name only when it is whole, and
 * `put` returns only when it would survive a power loss: flydrive's own driver writes in place, without fsync, and moves
 * by copying.
 */
export class FolderDriver extends FSDriver {
  readonly #folder: string;

  constructor(folder: string) {
    super({ location: folder, visibility: "private" });
    this.#folder = folder;
  }

  override async put(key: string, contents: string | Uint8Array): Promise<void> {
    const draft = this.#draftOf(key);
    const target = join(this.#folder, key);
    await mkdir(dirname(draft), { recursive: true });
    await mkdir(dirname(target), { recursive: true });
    try {
      await writeDurably(draft, contents);
      await rename(draft, target);
      await syncFolder(dirname(target));
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

/** The name of a new file is on the disk only when its folder is. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
