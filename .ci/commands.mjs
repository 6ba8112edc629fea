import { spawn } from "node:child_process";
import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";

/**
 * @typedef {object} Command
 * @property {string} program
 * @property {readonly string[]} args
 * @property {string} cwd
 * @property {Readonly<Record<string, string | undefined>>} [env] Added to this process's own environment.
 * @property {string} logPath Where everything that it prints goes; overwritten.
 * @property {number} limitMs After this it is ended and counts as failed.
 * @property {AbortSignal} signal Ends it early, as Ctrl-C does.
 */

/**
 * @typedef {object} CommandResult
 * @property {number} code The exit code; 1 where a signal, the limit or a missing program ended it.
 * @property {string} output Everything that it printed, without colours.
 * @property {string | undefined} ended Why it did not end by itself, in words.
 */

const graceMs = 5_000;

/**
 * Runs one command to its end in a process group of its own, so that whatever it started goes with it. It never throws:
 * a program that cannot be started is a result with code 1.
 *
 * @param {Command} command
 * @returns {Promise<CommandResult>}
 */
export async function runCommand({ program, args, cwd, env, logPath, limitMs, signal }) {
  const log = openSync(logPath, "w");
  try {
    const child = spawn(program, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ["ignore", log, log],
      detached: true,
    });
    /** @type {string | undefined} */
    let ended;
    /** @type {NodeJS.Timeout | undefined} */
    let force;
    /** @param {string} why */
    const end = (why) => {
      ended ??= why;
      signalGroup(child.pid, "SIGTERM");
      force ??= setTimeout(() => signalGroup(child.pid, "SIGKILL"), graceMs);
    };
    const onAbort = () => end("it was stopped");
    const limit = setTimeout(() => end(`it was ended after its limit of ${limitMs / 60_000} minutes`), limitMs);
    signal.addEventListener("abort", onAbort);
    if (signal.aborted) onAbort();

    /** @type {number} */
    const code = await new Promise((resolve) => {
      child.once("error", (error) => {
        writeSync(log, `${error.message}\n`);
        resolve(1);
      });
      child.once("exit", (exitCode) => resolve(exitCode ?? 1));
    });

    clearTimeout(limit);
    clearTimeout(force);
    signal.removeEventListener("abort", onAbort);
    signalGroup(child.pid, "SIGKILL");
    return { code: ended ? 1 : code, output: stripVTControlCharacters(readFileSync(logPath, "utf8")), ended };
  } finally {
    closeSync(log);
  }
}

/**
 * @param {number | undefined} leaderPid
 * @param {NodeJS.Signals} signal
 */
function signalGroup(leaderPid, signal) {
  if (leaderPid === undefined) return;
  try {
    process.kill(-leaderPid, signal);
  } catch (error) {
    // Nobody is left in the group: that is what was wanted.
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}
