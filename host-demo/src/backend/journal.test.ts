import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import * as z from "zod";
import { JournalClosed, openJournal } from "./journal.ts";

let folder = "";
let path = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "journal-"));
  path = join(folder, "kept", "journal.jsonl");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const open = () => openJournal(path, (value) => z.string().parse(value));

it("the journal removes a line that was cut off, so that later starts can read the file", async () => {
  await (await open()).append("Ñusta");
  await writeFile(path, '"Mat', { flag: "a" });
  expect((await open()).entries).toEqual(["Ñusta"]);
  const again = await open();
  expect(again.entries).toEqual(["Ñusta"]);
  await again.append("Yan");
  expect((await open()).entries).toEqual(["Ñusta", "Yan"]);
});

it("the journal reports an entry that could not be stored to its author, and continues", async () => {
  const journal = await open();
  await journal.append("Ñusta");
  const kept = await readFile(path);
  await rm(join(folder, "kept"), { recursive: true });
  await expect(journal.append("Matías")).rejects.toThrow("ENOENT");
  await openJournal(path, String);
  await writeFile(path, kept);
  await journal.append("Yan");
  expect((await open()).entries).toEqual(["Ñusta", "Yan"]);
});

it("the journal closes once every entry is stored, and accepts no more", async () => {
  const journal = await open();
  const added = journal.append("Ñusta");
  await journal.close();
  expect((await open()).entries).toEqual(["Ñusta"]);
  await added;
  await rm(join(folder, "kept"), { recursive: true });
  await expect(journal.append("Yan")).rejects.toThrow(JournalClosed);
  expect((await open()).entries).toEqual([]);
});

it("the journal names the file and the line that it cannot parse", async () => {
  await (await open()).append("Ñusta");
  await writeFile(path, "Mat\n", { flag: "a" });
  await expect(open()).rejects.toThrow(`${path}:2 `);
});
