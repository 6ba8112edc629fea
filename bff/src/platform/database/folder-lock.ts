import { execFile } from "node:child_process";
import { link, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import * as z from "zod";

/** Thrown when the data folder is already open in this or another process. The message is for the operator. */
export class FolderInUse extends Error {
  override readonly name = "FolderInUse";
  readonly code = "folder_in_use";
}

const holderSchema = z.object({
  pid: z.number(),
  /**
   * When the process started, as the system reports it: a process id alone may since have been given to another
   * process.
   */
  startedAt: z.string(),
  host: z.string(),
});
type Holder = z.infer<typeof holderSchema>;

const lockPrefix = "lock-";
const attemptsMax = 8;
const retryDelayMs = 250;
let locksMade = 0;

/**
 * Makes this process the only user of a data folder until the returned function is called. Two processes that write to
 * one PGlite folder would silently lose rows.
 *
 * Each process first creates its own file, then looks for others, so that of two processes starting at once at most one
 * continues. The file of a process that has died (SIGKILL, power loss) is ignored and removed. If another process is
 * just closing the folder, as in a restart, this waits for it briefly.
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const me: Holder = { pid: process.pid, startedAt: await startOf(process.pid), host: hostname() };
  for (let attempt = 1; ; attempt += 1) {
    const file = await putFile(folder, me);
    const other = await findOther(folder, file);
    if (other === null) return () => rm(join(folder, file), { force: true });
    await rm(join(folder, file), { force: true });
    if (attempt === attemptsMax) throw new FolderInUse(describe(folder, other));
    // Each process waits for a different time, so that two that started together do not collide on every attempt.
    await wait(retryDelayMs + (process.pid % 97));
  }
}

async function putFile(folder: string, me: Holder): Promise<string> {
  locksMade += 1;
  const file = `${lockPrefix}${me.pid}-${locksMade}`;
  const draft = join(folder, `draft-${me.pid}-${locksMade}`);
  await writeFile(draft, JSON.stringify(me));
  // A link appears together with its content, so no process can read a half-written file.
  try {
    await link(draft, join(folder, file));
  } finally {
    await rm(draft, { force: true });
  }
  return file;
}

/** The lock of another live process; files of dead processes are removed. */
async function findOther(folder: string, own: string): Promise<{ file: string; holder: Holder } | null> {
  for (const file of await readdir(folder)) {
    if (!file.startsWith(lockPrefix) || file === own) continue;
    const holder = await readHolder(join(folder, file));
    if (holder === null) continue;
    if (await isAlive(holder)) return { file, holder };
    await rm(join(folder, file), { force: true });
  }
  return null;
}

/** Null if the file is gone or invalid. Files appear as a whole, so an invalid one is not a lock. */
async function readHolder(path: string): Promise<Holder | null> {
  const text = await readFile(path, "utf8").catch(() => "");
  try {
    return holderSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

async function isAlive(holder: Holder): Promise<boolean> {
  // Processes on another machine or in another container cannot be checked, so they count as alive.
  if (holder.host !== hostname()) return true;
  return (await startOf(holder.pid)) === holder.startedAt;
}

/** When a process started; empty if no process has this id. */
async function startOf(pid: number): Promise<string> {
  if (process.platform === "linux") {
    const [stat, boot] = await Promise.all([
      readText(`/proc/${pid}/stat`),
      readText("/proc/sys/kernel/random/boot_id"),
    ]);
    // The command name, in parentheses, may contain spaces; the start time in ticks is the 20th field after it.
    const ticks = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
    return ticks === undefined ? "" : `${boot.trim()}/${ticks}`;
  }
  const requested = await promisify(execFile)("ps", ["-o", "lstart=", "-p", String(pid)]).catch(() => ({ stdout: "" }));
  return requested.stdout.trim();
}

function readText(path: string): Promise<string> {
  return readFile(path, "utf8").catch(() => "");
}

function describe(folder: string, { file, holder }: { file: string; holder: Holder }): string {
  const who = holder.pid === process.pid ? "this process itself" : `process ${holder.pid}`;
  const foreign =
    holder.host === hostname() ? "" : ` on ${holder.host} (if that machine is gone, remove ${join(folder, file)})`;
  return `The data folder ${folder} is in use by ${who}${foreign}. Stop it first, give this one another folder, or use PostgreSQL (DATABASE_URL), which several processes may share.`;
}
