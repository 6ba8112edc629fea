import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { runCommand } from "./commands.mjs";

const triesMax = 5;
const pauseMs = 10_000;

/** @returns {boolean} Whether packages can be installed here: Debian, and this process is root. */
export function canInstallPackages() {
  return process.getuid?.() === 0 && distribution() === "debian";
}

/** @returns {string | undefined} The `ID` of /etc/os-release. */
function distribution() {
  try {
    return /^ID="?([^"\n]+)"?$/m.exec(readFileSync("/etc/os-release", "utf8"))?.[1];
  } catch {
    return undefined; // Not Linux, or a Linux without a name.
  }
}

/**
 * Installs Debian packages without questions. It waits for another apt on the same machine: apt itself waits for dpkg's
 * lock but not for that of the package lists.
 *
 * @param {readonly string[]} packages
 * @param {{ logPath: string, signal: AbortSignal }} run
 * @throws {Error} If apt fails; the message ends with its last output.
 */
export async function installPackages(packages, run) {
  await apt(["update"], run);
  await apt(["install", "--yes", "--no-install-recommends", ...packages], run);
}

/**
 * @param {readonly string[]} args
 * @param {{ logPath: string, signal: AbortSignal }} run
 */
async function apt(args, { logPath, signal }) {
  for (let tries = 1; ; tries += 1) {
    const { code, output, ended } = await runCommand({
      program: "apt-get",
      args: ["-q", "-o", "DPkg::Lock::Timeout=120", ...args],
      cwd: "/",
      env: { DEBIAN_FRONTEND: "noninteractive" },
      logPath,
      limits: { stallMs: 3 * 60_000, mostMs: 10 * 60_000 },
      signal,
    });
    if (code === 0) return;
    const locked = /Could not get lock|Unable to lock/.test(output);
    if (ended || !locked || tries === triesMax) {
      throw new Error(`apt-get ${args.join(" ")} failed\n${output.trimEnd().split("\n").slice(-15).join("\n")}`);
    }
    await sleep(pauseMs, undefined, { signal });
  }
}
