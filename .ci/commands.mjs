import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chmodSync, closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { constants, setPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { endMarked, MARK } from "./leftovers.mjs";
import { countProcessor, takeWaitedSeconds } from "./processor.mjs";
import { watchProgress } from "./progress.mjs";

/**
 * @typedef {object} Command
 * @property {string} program
 * @property {readonly string[]} args
 * @property {string} cwd
 * @property {Readonly<Record<string, string | undefined>>} [env] Added to this process's own environment.
 * @property {string} logPath The file for all its output; overwritten.
 * @property {Limits} limits
 * @property {AbortSignal} signal Ends it early, as Ctrl-C does.
 * @property {boolean} [yields] It runs at a lower priority.
 * @property {number} [graceMs] How long it may take to end when asked to, and then its child processes.
 */

/**
 * When a command is ended and counts as failed. On a busy machine it may take long, as long as it makes progress.
 *
 * @typedef {object} Limits
 * @property {number} stallMs The longest time without progress.
 * @property {number} mostMs The longest time altogether.
 * @property {RegExp} [progress] A line of its output that means progress; without it, any output does.
 */

/**
 * @typedef {object} CommandResult
 * @property {number} code The exit code; 1 if a signal, a limit or a missing program ended it.
 * @property {string} output All its output, without colours.
 * @property {string | undefined} ended Why it did not end by itself, in words.
 * @property {readonly string[]} left Processes that it left running; they have been ended.
 * @property {number | null} processorSeconds Null if the system does not report it.
 */

/**
 * Runs one command in a separate process group and with a separate folder for temporary files. Its processes and files
 * are removed when it ends, and when this process is killed. Never throws: a program that cannot be started is a result
 * with code 1.
 *
 * @param {Command} command
 * @returns {Promise<CommandResult>}
 */
export async function runCommand({
  program,
  args,
  cwd,
  env,
  logPath,
  limits,
  signal,
  yields = false,
  graceMs = 20_000,
}) {
  const log = openSync(logPath, "w");
  const mark = randomUUID();
  const temporary = mkdtempSync(join(tmpdir(), "aapd-check-"));
  // A database server runs as another user, who needs access to its folder inside this one.
  chmodSync(temporary, 0o711);
  try {
    // Started before the command, so that the command never runs without a keeper.
    const keeper = startKeeper(graceMs, mark, temporary);
    const processor = countProcessor();
    const child = spawn(...processor.counted(program, args), {
      cwd,
      env: { ...process.env, TMPDIR: temporary, ...env, [MARK]: mark },
      stdio: ["ignore", log, log],
      detached: true,
    });
    // Sent at once, because the keeper cannot end a command that it does not know.
    if (child.pid !== undefined) keeper.stdin?.write(`${child.pid}\n`);
    if (yields && child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
    /** @type {string | undefined} */
    let ended;
    /** @type {NodeJS.Timeout | undefined} */
    let force;
    /** @param {string} why */
    const end = (why) => {
      ended ??= why;
      // Test runners treat it like Ctrl-C: they close their resources, and report the results so far.
      signalGroup(child.pid, "SIGINT");
      force ??= setTimeout(() => signalGroup(child.pid, "SIGKILL"), graceMs);
    };
    const onAbort = () => end("it was stopped");
    const stopWatching = watchProgress(logPath, limits, end);
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
    const waitedSeconds = takeWaitedSeconds();

    stopWatching();
    clearTimeout(force);
    signal.removeEventListener("abort", onAbort);
    signalGroup(child.pid, "SIGKILL");
    keeper.stdin?.end("ended\n");
    const left = await endMarked(mark, graceMs);
    const processorSeconds = processor.end() ?? waitedSeconds;
    const output = stripVTControlCharacters(readFileSync(logPath, "utf8"));
    return { code: ended ? 1 : code, output, ended, left, processorSeconds };
  } finally {
    closeSync(log);
    rmSync(temporary, { recursive: true, force: true });
  }
}

/**
 * A watchdog process. It reads the leader of a process group. If its input closes without a further line, this process
 * was killed, and it ends the group. Without a leader it ends the processes that carry the mark.
 *
 * @param {number} graceMs
 * @param {string} mark
 * @param {string} temporary The folder to remove with it.
 */
function startKeeper(graceMs, mark, temporary) {
  const args = ["-c", keeperScript, String(graceMs / 1_000), `${MARK}=${mark}`, temporary];
  const keeper = spawn("/bin/sh", args, { stdio: ["pipe", "ignore", "ignore"], detached: true });
  keeper.once("error", () => undefined);
  keeper.stdin?.on("error", () => undefined);
  return keeper;
}

const keeperScript = `
read -r leader
[ "$leader" = ended ] && exit
[ -n "$leader" ] && read -r _ && exit
[ -n "$leader" ] || sleep 1
running() {
  if [ -n "$leader" ]; then kill -s 0 -- "-$leader" 2>/dev/null && echo "-$leader"
  else grep -ls -- "$1" /proc/[0-9]*/environ | cut -d / -f 3; fi
}
for each in $(running "$1"); do kill -s INT -- "$each" 2>/dev/null; done
for _ in $(seq "$0"); do [ -z "$(running "$1")" ] && break; sleep 1; done
for each in $(running "$1"); do kill -s KILL -- "$each" 2>/dev/null; done
rm -rf -- "$2"
`;

/**
 * @param {number | undefined} leaderPid
 * @param {NodeJS.Signals} signal
 */
function signalGroup(leaderPid, signal) {
  if (leaderPid === undefined) return;
  try {
    process.kill(-leaderPid, signal);
  } catch (error) {
    // The group is empty, as intended.
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}
