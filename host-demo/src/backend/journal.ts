import { appendFile, mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { readTextFile } from "../files/read-text-file.ts";

/**
 * A file to which one JSON line is added for each thing that happened. Read back at start, it is the clinic's memory;
 * a last line that was cut by a crash is left out, since nothing was acknowledged for it.
 */
export interface Journal<Entry> {
  readonly entries: readonly Entry[];
  append(entry: Entry): Promise<void>;
}

export async function openJournal<Entry>(path: string, parse: (value: unknown) => Entry): Promise<Journal<Entry>> {
  await mkdir(dirname(path), { recursive: true });
  const text = (await readTextFile(path)) ?? "";
  const complete = text.slice(0, text.lastIndexOf("\n") + 1);
  const entries = complete
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => parse(JSON.parse(line)));
  if (complete.length < text.length) await appendFile(path, "\n");
  let last: Promise<void> = Promise.resolve();
  return {
    entries,
    append(entry) {
      last = last.then(() => appendFile(path, `${JSON.stringify(entry)}\n`, { mode: 0o600 }));
      return last;
    },
  };
}
