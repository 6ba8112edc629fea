import { mkdir, open, truncate } from "node:fs/promises";
import { dirname } from "node:path";
import { readTextFile } from "../files/read-text-file.ts";

/**
 * A file with one JSON line for each event of the clinic, from which its state is restored at start. If a crash cut the
 * last line off, that line is removed, since nothing was acknowledged for it.
 */
export interface Journal<Entry> {
  readonly entries: readonly Entry[];
  append(entry: Entry): Promise<void>;
  /** Waits for pending writes. Later ones are refused, because the file may be gone by then. */
  close(): Promise<void>;
}

/** Thrown when an entry is added after the journal was closed. */
export class JournalClosed extends Error {
  override readonly name = "JournalClosed";
}

export async function openJournal<Entry>(path: string, parse: (value: unknown) => Entry): Promise<Journal<Entry>> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const text = (await readTextFile(path)) ?? "";
  const complete = text.slice(0, text.lastIndexOf("\n") + 1);
  const entries = readLines(path, complete, parse);
  let keptBytes = Buffer.byteLength(complete);
  if (complete.length < text.length) await truncate(path, keptBytes);
  let isCut = false;
  let isClosed = false;
  let last: Promise<void> = Promise.resolve();

  async function add(line: string): Promise<void> {
    const file = await open(path, "a", 0o600);
    try {
      if (isCut) await file.truncate(keptBytes);
      isCut = true;
      await file.appendFile(line);
      isCut = false;
      keptBytes += Buffer.byteLength(line);
    } finally {
      await file.close();
    }
  }

  return {
    entries,
    append(entry) {
      if (isClosed) return Promise.reject(new JournalClosed());
      const added = last.then(() => add(`${JSON.stringify(entry)}\n`));
      // If a write fails, for example on a full disk, its caller receives the error. The next write is still attempted.
      last = added.catch(() => undefined);
      return added;
    },
    close() {
      isClosed = true;
      return last;
    },
  };
}

function readLines<Entry>(path: string, text: string, parse: (value: unknown) => Entry): readonly Entry[] {
  return text.split("\n").flatMap((line, index) => {
    if (line === "") return [];
    try {
      return [parse(JSON.parse(line))];
    } catch (cause) {
      throw new Error(`${path}:${index + 1} is not an entry of this journal.`, { cause });
    }
  });
}
