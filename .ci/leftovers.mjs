import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** The environment variable that marks a command and all its child processes, in any process group. */
export const MARK = "AAPD_CHECK_MARK";

const lookEveryMs = 100;

/**
 * Ends everything that a command has started. Browsers and products detect that their parent is gone, and processes
 * that do not end in time are killed.
 *
 * @param {string} mark
 * @param {number} withinMs
 * @returns {Promise<string[]>} The commands that had to be killed.
 */
export async function endMarked(mark, withinMs) {
  for (const deadline = Date.now() + withinMs; Date.now() < deadline; await sleep(lookEveryMs)) {
    if (marked(mark).length === 0) return [];
  }
  const left = marked(mark);
  for (const { pid } of left) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended meanwhile.
    }
  }
  return left.map(({ command }) => command);
}

/**
 * @param {string} mark
 * @returns {{ pid: number, command: string }[]} Empty if the system does not show the environments of processes.
 */
function marked(mark) {
  return processes().flatMap((pid) => {
    try {
      if (!readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").includes(`${MARK}=${mark}`)) return [];
      return [{ pid, command: readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim() }];
    } catch {
      return []; // It has ended meanwhile, or belongs to another user.
    }
  });
}

/** @returns {number[]} */
function processes() {
  try {
    return readdirSync("/proc").map(Number).filter(Boolean);
  } catch {
    return [];
  }
}
