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

it("takes a cut line away, so that every later start reads what is there", async () => {
  await (await open()).append("Ñusta");
  await writeFile(path, '"Mat', { flag: "a" });
  expect((await open()).entries).toEqual(["Ñusta"]);
  const again = await open();
  expect(again.entries).toEqual(["Ñusta"]);
  await again.append("Yan");
  expect((await open()).entries).toEqual(["Ñusta", "Yan"]);
});

it("goes on after an entry that could not be kept, which is told to who added it", async () => {
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

it("is closed when all that was to be kept is kept, and keeps nothing more", async () => {
  const journal = await open();
  const added = journal.append("Ñusta");
  await journal.close();
  expect((await open()).entries).toEqual(["Ñusta"]);
  await added;
  await rm(join(folder, "kept"), { recursive: true });
  await expect(journal.append("Yan")).rejects.toThrow(JournalClosed);
  expect((await open()).entries).toEqual([]);
});

it("names the file and the line of what it cannot read", async () => {
  await (await open()).append("Ñusta");
  await writeFile(path, "Mat\n", { flag: "a" });
  await expect(open()).rejects.toThrow(`${path}:2 `);
});
