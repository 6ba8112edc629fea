/** @module-tag both-databases */
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createSandboxGateways } from "../../../sandbox/sandbox-gateways.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { type OpenDatabase, openDatabase } from "../../../src/platform/database/database.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { silentLogger } from "../../../src/platform/logger.ts";
import { builtProgram } from "../../built-program.ts";
import { layTestDatabase, openTestDatabase, testDatabaseKind } from "../../database.ts";
import { callOf, newOrderId } from "./start-gateways.ts";

const program = builtProgram("test/http/gateways/fixtures/charge-and-die.ts");

/** The exit code of a process with these arguments. */
function ending(parameters: readonly string[]): Promise<{ signal: string | null; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...parameters], (error, _stdout, stderr) =>
      resolve({ signal: error?.signal ?? null, stderr }),
    );
  });
}

/** A database that outlives the process that writes to it. */
async function placeForDatabase(): Promise<{ url: string; remove: () => Promise<void> }> {
  if (testDatabaseKind === "postgres") {
    const { url, close } = await openTestDatabase();
    return { url, remove: close };
  }
  const folder = await mkdtemp(join(tmpdir(), "aapd-kill-"));
  await layTestDatabase(folder);
  return { url: folder, remove: () => rm(folder, { recursive: true }) };
}

it("kill_after kills the process right after its charge, which the sandbox has once", async () => {
  const { url, remove } = await placeForDatabase();
  let database: OpenDatabase | undefined;
  try {
    const call = callOf();
    const { signal, stderr } = await ending([url, JSON.stringify({ ...call, orderHash: newOrderId() })]);
    expect(signal, stderr).toBe("SIGKILL");
    database = await openDatabase({ url }, silentLogger);
    const { cardProcessor } = createSandboxGateways({
      db: database.db,
      ids: systemIds,
      clock: systemClock,
      challengeOrigin: "http://127.0.0.1:4040",
      kill: () => expect.unreachable(),
    });
    expect(await cardProcessor.inquireCharge(call)).toMatchObject({ outcome: "captured", amount: 13_500 });
    const day = new Date(call.at.getTime() + 86_400_000);
    expect(await cardProcessor.listMovements(call.providerId, call.at, day)).toHaveLength(1);
  } finally {
    await database?.close();
    await remove();
  }
});
