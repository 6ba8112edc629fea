import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { packageFolder } from "../../src/platform/program.ts";
import { loadsFrom, unpack } from "./version-before.ts";

async function folderWith(config: string | null): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "version-before-"));
  await mkdir(join(folder, "src/app"), { recursive: true });
  if (config !== null) await writeFile(join(folder, "src/app/config.ts"), config);
  return folder;
}

describe("the folder of a version is removed", () => {
  it("if a file is missing", async () => {
    const folder = await folderWith(null);
    expect([await loadsFrom(folder), existsSync(folder)]).toEqual([false, false]);
  });

  it("if its code fails", async () => {
    const folder = await folderWith('throw new Error("broken");');
    await expect(loadsFrom(folder)).rejects.toThrow("broken");
    expect(existsSync(folder)).toBe(false);
  });

  it("if it cannot be unpacked", async () => {
    await mkdir(join(packageFolder, ".cache"), { recursive: true });
    const folders = async () => (await readdir(join(packageFolder, ".cache"))).filter((name) => /^version-/.test(name));
    const before = await folders();
    await expect(unpack({ commit: "0".repeat(40), why: "" })).rejects.toThrow("could not be unpacked");
    expect(await folders()).toEqual(before);
  });
});
