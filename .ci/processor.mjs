import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The kernel counts in hundredths of a second (`USER_HZ`), whatever the machine. */
const ticksInSecond = 100;

/** The prefix of group names; the creating process's id follows. */
const NAME = "aapd-check-";

/** Fails as Node does if there is no such program. */
const JOIN = `echo $$ > "$0"
command -v "$1" > /dev/null || { echo "spawn $1 ENOENT" >&2; exit 1; }
exec "$@"`;

let taken = 0;
let groups = 0;

/**
 * Counts the processor time of processes and of everything that they start. Browsers and services often end without a
 * waiting parent, so the time of awaited children alone is a third too low.
 *
 * @typedef {object} ProcessorCount
 * @property {(pid: number | undefined) => void} add Counts the process from now on, with its future child processes.
 * @property {(program: string, args: readonly string[]) => [string, string[]]} counted The same command, which is
 *   counted from its start: it joins before it can start another process.
 * @property {() => number | null} end Seconds of all cores together; null if the system does not report it.
 */

/**
 * Uses a separate control group if this process may create one (root, or a delegated group of cgroup v2).
 *
 * @returns {ProcessorCount}
 */
export function countProcessor() {
  const group = makeGroup();
  return {
    add(pid) {
      if (group === null || pid === undefined) return;
      try {
        writeFileSync(join(group, "cgroup.procs"), String(pid));
      } catch {
        // It has ended already.
      }
    },
    counted(program, args) {
      if (group === null) return [program, [...args]];
      return ["/bin/sh", ["-c", JOIN, join(group, "cgroup.procs"), program, ...args]];
    },
    end() {
      if (group === null) return null;
      const used = /^usage_usec (\d+)$/m.exec(readFileSync(join(group, "cpu.stat"), "utf8"))?.[1];
      try {
        rmdirSync(group);
      } catch {
        // A process in it is still running, which is ended and reported elsewhere. An empty group costs nothing.
      }
      return used === undefined ? null : Number(used) / 1_000_000;
    },
  };
}

/** @returns {string | null} Its folder; null if there can be none. */
function makeGroup() {
  try {
    const mounts = readFileSync("/proc/self/mountinfo", "utf8").split("\n");
    const place = mounts.find((line) => line.includes(" - cgroup2 "))?.split(" ")[4];
    const own = /^0::(.*)$/m.exec(readFileSync("/proc/self/cgroup", "utf8"))?.[1];
    if (place === undefined || own === undefined) return null;
    if (groups === 0) removeEmptyGroups(join(place, own));
    groups += 1;
    const group = join(place, own, `${NAME}${process.pid}-${groups}`);
    mkdirSync(group);
    return group;
  } catch {
    return null;
  }
}

/**
 * Removes the groups of earlier checks that were killed or ended late. A group with a running process stays.
 *
 * @param {string} place
 */
function removeEmptyGroups(place) {
  for (const name of readdirSync(place)) {
    const owner = name.startsWith(NAME) ? name.slice(NAME.length).split("-")[0] : undefined;
    if (owner === undefined || existsSync(`/proc/${owner}`)) continue;
    try {
      rmdirSync(join(place, name));
    } catch {
      // A process in it is running, or another check has removed it first.
    }
  }
}

/**
 * Without control groups: the processor time of the commands that have ended since the last call, with all awaited
 * child processes. Null if the system does not report it. If two commands end at the same moment, both count for the
 * first.
 *
 * @returns {number | null} In seconds, of all cores together.
 */
export function takeWaitedSeconds() {
  const ended = endedSeconds();
  if (ended === null) return null;
  const since = ended - taken;
  taken = ended;
  return since;
}

/** @returns {number | null} */
function endedSeconds() {
  try {
    // The second field is the program's name in brackets, which may contain spaces.
    const fields = readFileSync("/proc/self/stat", "utf8").split(") ")[1]?.split(" ") ?? [];
    const [ofUser, ofSystem] = [Number(fields[13]), Number(fields[14])];
    return (ofUser + ofSystem) / ticksInSecond;
  } catch {
    return null;
  }
}
