import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkHealth, killProgram } from "./check-health.ts";

/** The answers of the probes: a liveness for each try. */
async function checked({ isReady, alive }: { readonly isReady: boolean; readonly alive: readonly boolean[] }) {
  let [tries, killed, pausedMs] = [0, 0, 0];
  const isHealthy = await checkHealth({
    ready: "ready",
    alive: "alive",
    async isAnswered(url) {
      if (url === "ready") return isReady;
      tries += 1;
      return alive[tries - 1] ?? false;
    },
    pause: async (milliseconds) => (pausedMs += milliseconds),
    kill: () => (killed += 1),
  });
  return { isHealthy, killed, pausedMs };
}

describe("the health check of a container", () => {
  it("is healthy if the service is ready", async () =>
    expect(await checked({ isReady: true, alive: [] })).toEqual({ isHealthy: true, killed: 0, pausedMs: 0 }));

  it("spares a service that is alive and not ready, such as one without its database", async () =>
    expect(await checked({ isReady: false, alive: [true] })).toEqual({ isHealthy: false, killed: 0, pausedMs: 0 }));

  it("spares a service that starts to answer meanwhile", async () => {
    const { isHealthy, killed } = await checked({ isReady: false, alive: [false, false, false, false, false, true] });
    expect([isHealthy, killed]).toEqual([false, 0]);
  });

  it("kills a service that has not answered for half a minute", async () =>
    expect(await checked({ isReady: false, alive: [] })).toEqual({ isHealthy: false, killed: 1, pausedMs: 30_000 }));

  it.runIf(process.platform === "linux")("ends a program that stands still, and no other", async () => {
    const folder = mkdtempSync(join(tmpdir(), "aapd-health-"));
    const start = async (name: string) => {
      const program = join(folder, name);
      writeFileSync(program, 'console.log("started"); setInterval(() => {}, 1_000);');
      const child = spawn(process.execPath, [program], { stdio: ["ignore", "pipe", "ignore"] });
      await once(child.stdout, "data");
      return { program, child };
    };
    const [frozen, other] = [await start("frozen.mjs"), await start("other.mjs")];
    try {
      frozen.child.kill("SIGSTOP");
      const ended = once(frozen.child, "exit");
      killProgram(frozen.program);
      expect(await ended).toEqual([null, "SIGKILL"]);
      expect(other.child.exitCode).toBeNull();
    } finally {
      other.child.kill("SIGKILL");
      rmSync(folder, { recursive: true });
    }
  });
});
