/** @module-tag both-databases */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openDatabase } from "../../../src/platform/database/database.ts";
import { FolderInUse, lockFolder } from "../../../src/platform/database/folder-lock.ts";
import { silentLogger } from "../../../src/platform/logger.ts";
import { builtProgram } from "../../built-program.ts";
import { testDatabaseKind } from "../../database.ts";

let folder: string;
const started: ChildProcess[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "folder-lock-"));
});

afterEach(async () => {
  for (const child of started.splice(0)) {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill("SIGKILL");
      await once(child, "exit");
    }
  }
  await rm(folder, { recursive: true, force: true });
});

async function startHolder(row: string): Promise<{ child: ChildProcess; said: string }> {
  const program = builtProgram("test/http/platform/fixtures/hold-folder.ts");
  const child = spawn(process.execPath, [program, folder, row], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  started.push(child);
  const [said] = await once(createInterface({ input: child.stdout }), "line");
  return { child, said: String(said) };
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  child.kill(signal);
  await once(child, "exit");
}

async function rows(): Promise<string[]> {
  const database = await openDatabase({ url: folder }, silentLogger);
  const { rows } = await sql<{ key: string }>`select key from rate_limits order by key`.execute(database.db);
  await database.close();
  return rows.map(({ key }) => key);
}

// The folder is PGlite's alone; on PostgreSQL there is nothing to test.
describe.runIf(testDatabaseKind === "pglite")("a data folder", () => {
  it("a second process is refused with the holder's name, and a killed holder's lock is ignored", async () => {
    const first = await startHolder("first");
    expect(first.said).toBe("holding");

    const second = await startHolder("second");
    expect(second.said).toContain("FolderInUse");
    expect(second.said).toContain(`in use by process ${first.child.pid}`);
    expect(second.said).toContain("DATABASE_URL");

    await end(first.child, "SIGKILL");
    const third = await startHolder("third");
    expect(third.said).toBe("holding");
    await end(third.child, "SIGTERM");

    expect(await rows()).toEqual(["first", "third"]);
    expect((await readdir(folder)).filter((name) => name !== "pglite")).toEqual([]);
  });

  it("is awaited while its holder is closing", async () => {
    const unlock = await lockFolder(folder);
    const [second] = await Promise.all([lockFolder(folder), unlock()]);
    await second();
  });

  it("cannot be taken twice by one process", async () => {
    const unlock = await lockFolder(folder);
    await expect(lockFolder(folder)).rejects.toThrow(/this process itself/);
    await unlock();
    await (await lockFolder(folder))();
  });

  it("is given to at most one of many who come at once", async () => {
    const taken = await Promise.allSettled(Array.from({ length: 6 }, () => lockFolder(folder)));
    expect(taken.filter(({ status }) => status === "fulfilled").length).toBeLessThanOrEqual(1);
  });

  it("a process id that now belongs to another process holds no lock", async () => {
    await writeFile(
      join(folder, "lock-1-1"),
      JSON.stringify({ pid: process.pid, startedAt: "long ago", host: hostname() }),
    );
    await (await lockFolder(folder))();
  });

  it("a holder on another machine is trusted, and the file to remove is named", async () => {
    const file = join(folder, "lock-1-1");
    await writeFile(file, JSON.stringify({ pid: 1, startedAt: "", host: "elsewhere" }));
    const refused = lockFolder(folder);
    await expect(refused).rejects.toBeInstanceOf(FolderInUse);
    await expect(refused).rejects.toThrow(file);
    expect(await readFile(file, "utf8")).toContain("elsewhere");
  });
});
