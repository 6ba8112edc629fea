import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Tab } from "./tab.ts";
import { type Wire, wireByHttp, wireByMarionette } from "./wire.ts";

/** A browser other than Chromium, in its vendor's version. */
export type Engine = "firefox" | "webkit";

export interface BrowserWishes {
  /** Whether frames of other sites get no cookies and no storage. */
  readonly isStorageBlocked?: boolean;
}

export interface RunningBrowser {
  readonly tab: Tab;
  close(): Promise<void>;
}

const STARTED_WITHIN_MS = 60_000;

/** The path of the engine's program; undefined if it is not installed. */
export function programOf(engine: Engine): string | undefined {
  return process.env[engine === "firefox" ? "FIREFOX_PATH" : "WEBKIT_DRIVER_PATH"];
}

/** Starts the browser with a new profile. */
export async function startBrowser(engine: Engine, wishes: BrowserWishes = {}): Promise<RunningBrowser> {
  const program = programOf(engine);
  if (program === undefined) throw new Error(`There is no ${engine} here.`);
  return engine === "firefox" ? startFirefox(program, wishes) : startWebKit(program, wishes);
}

async function startFirefox(program: string, { isStorageBlocked = false }: BrowserWishes): Promise<RunningBrowser> {
  const profile = await mkdtemp(join(tmpdir(), "aapd-firefox-"));
  const port = await freePort();
  const preferences = {
    "marionette.port": port,
    "intl.accept_languages": "es-CL",
    "app.update.disabledForTesting": true,
    "datareporting.policy.dataSubmissionEnabled": false,
    // 1 blocks third-party cookies. The default (5) partitions them by site.
    "network.cookie.cookieBehavior": isStorageBlocked ? 1 : 5,
  };
  const lines = Object.entries(preferences).map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});`);
  await writeFile(join(profile, "user.js"), lines.join("\n"));
  const child = spawn(program, ["--headless", "--marionette", "--no-remote", "--profile", profile], {
    stdio: "ignore",
  });
  const wire = await whenStarted(child, () => wireByMarionette(port));
  return running(wire, {}, async () => {
    await ended(child);
    await rm(profile, { recursive: true, force: true });
  });
}

async function startWebKit(program: string, { isStorageBlocked = false }: BrowserWishes): Promise<RunningBrowser> {
  const port = await freePort();
  const display = await openDisplay();
  const env = { ...process.env, DISPLAY: display.name };
  const child = spawn(program, [`--port=${port}`], { stdio: "ignore", env });
  const policy = isStorageBlocked ? "never" : "no-third-party";
  const options = { args: ["--automation", `--cookies-policy=${policy}`] };
  const driverUrl = `http://127.0.0.1:${port}`;
  const wire = await whenStarted(child, async () => {
    await fetch(`${driverUrl}/status`);
    return wireByHttp(driverUrl);
  });
  return running(wire, { "webkitgtk:browserOptions": options }, async () => {
    await ended(child);
    await display.close();
  });
}

/** A display in memory: WebKit's browser cannot run without windows. */
async function openDisplay(): Promise<{ readonly name: string; close(): Promise<void> }> {
  const child = spawn("Xvfb", ["-displayfd", "3", "-screen", "0", "1280x3000x24", "-nolisten", "tcp"], {
    stdio: ["ignore", "ignore", "ignore", "pipe"],
  });
  const number = await new Promise<string>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", () => reject(new Error("Xvfb has ended.")));
    child.stdio[3]?.once("data", (chunk: Buffer) => resolve(chunk.toString().trim()));
  });
  return { name: `:${number}`, close: () => ended(child) };
}

async function running(wire: Wire, options: object, end: () => Promise<void>): Promise<RunningBrowser> {
  await wire.send("newSession", { capabilities: { alwaysMatch: options } });
  // Large enough for the whole page, because WebKit's driver misses elements in a frame that it has to scroll to.
  await wire.send("setWindowRect", { x: 0, y: 0, width: 1_280, height: 3_000 });
  await wire.send("setTimeouts", { script: 30_000, pageLoad: 60_000, implicit: 0 });
  return {
    tab: new Tab(wire),
    async close() {
      await wire.send("endSession").catch(() => undefined);
      wire.close();
      await end();
    },
  };
}

/** Polls until the program answers. Rejects when it ends, or has not answered for a minute. */
async function whenStarted(child: ChildProcess, ask: () => Promise<Wire>): Promise<Wire> {
  const until = Date.now() + STARTED_WITHIN_MS;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (child.exitCode !== null || Date.now() > until) {
        child.kill("SIGKILL");
        throw new Error("The browser does not start.", { cause: error });
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const isOver = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await isOver;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
