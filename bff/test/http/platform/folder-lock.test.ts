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

async function startHolder(row: string): Promise<{ child: ChildProcess; reported: string }> {
  const program = builtProgram("test/http/platform/fixtures/hold-folder.ts");
  const child = spawn(process.execPath, [program, folder, row], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  started.push(child);
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  return { child, reported: String(line) };
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

// Only PGlite has a data folder; on PostgreSQL there is nothing to test.
describe.runIf(testDatabaseKind === "pglite")("a data folder", () => {
  it("refuses a second process and names its owner, and is taken over from a killed one", async () => {
    const first = await startHolder("first");
    expect(first.reported).toBe("holding");

    const second = await startHolder("second");
    expect(second.reported).toContain("FolderInUse");
    expect(second.reported).toContain(`in use by process ${first.child.pid}`);
    expect(second.reported).toContain("DATABASE_URL");

    await end(first.child, "SIGKILL");
    const third = await startHolder("third");
    expect(third.reported).toBe("holding");
    await end(third.child, "SIGTERM");

    expect(await rows()).toEqual(["first", "third"]);
    expect((await readdir(folder)).filter((name) => name !== "pglite")).toEqual([]);
  });

  it("is waited for while its owner is closing", async () => {
    const unlock = await lockFolder(folder);
    const [second] = await Promise.all([lockFolder(folder), unlock()]);
    await second();
  });

  it("cannot be opened twice by one process", async () => {
    const unlock = await lockFolder(folder);
    await expect(lockFolder(folder)).rejects.toThrow(/this process itself/);
    await unlock();
    await (await lockFolder(folder))();
  });

  it("is given to at most one of many concurrent processes", async () => {
    const taken = await Promise.allSettled(Array.from({ length: 6 }, () => lockFolder(folder)));
    expect(taken.filter(({ status }) => status === "fulfilled").length).toBeLessThanOrEqual(1);
  });

  it("does not belong to a process id that another process has reused", async () => {
    await writeFile(
      join(folder, "lock-1-1"),
      JSON.stringify({ pid: process.pid, startedAt: "long ago", host: hostname() }),
    );
    await (await lockFolder(folder))();
  });

  it("belongs to a process on another machine, which the refusal says, with the file to remove", async () => {
    const file = join(folder, "lock-1-1");
    await writeFile(file, JSON.stringify({ pid: 1, startedAt: "", host: "elsewhere" }));
    const refused = lockFolder(folder);
    await expect(refused).rejects.toBeInstanceOf(FolderInUse);
    await expect(refused).rejects.toThrow(file);
    expect(await readFile(file, "utf8")).toContain("elsewhere");
  });
});
