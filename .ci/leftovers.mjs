import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * The variable that a command and all that it starts carry in their environments, whatever process group they are in.
 */
export const MARK = "AAPD_CHECK_MARK";

const lookEveryMs = 100;

/**
 * What a command has started ends with it: browsers and products notice that they are alone. What does not within a
 * time is killed.
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
 * @returns {{ pid: number, command: string }[]} Nobody where the system does not tell the environments of processes.
 */
function marked(mark) {
  return processes().flatMap((pid) => {
    try {
      if (!readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").includes(`${MARK}=${mark}`)) return [];
      return [{ pid, command: readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim() }];
    } catch {
      return []; // It has ended meanwhile, or is somebody else's.
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
