import { mkdir, open, truncate } from "node:fs/promises";
import { dirname } from "node:path";
import { readTextFile } from "../files/read-text-file.ts";

/**
 * A file to which one JSON line is added for each thing that happened. Read back at start, it is the clinic's memory;
 * a last line that was cut by a crash is taken away, since nothing was acknowledged for it.
 */
export interface Journal<Entry> {
  readonly entries: readonly Entry[];
  append(entry: Entry): Promise<void>;
}

export async function openJournal<Entry>(path: string, parse: (value: unknown) => Entry): Promise<Journal<Entry>> {
  await mkdir(dirname(path), { recursive: true });
  const text = (await readTextFile(path)) ?? "";
  const complete = text.slice(0, text.lastIndexOf("\n") + 1);
  const entries = readLines(path, complete, parse);
  let keptBytes = Buffer.byteLength(complete);
  if (complete.length < text.length) await truncate(path, keptBytes);
  let isCut = false;
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
      const added = last.then(() => add(`${JSON.stringify(entry)}\n`));
      // One that fails, as on a full disk, is told to its caller; the next is tried all the same.
      last = added.catch(() => undefined);
      return added;
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
