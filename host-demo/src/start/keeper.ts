import { text } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";

/*
 * Runs as a separate program and stops the parts when the starter is gone. It reads the parts' process groups from its
 * input, which ends with the starter in any case, so that even a killed starter leaves no part running.
 */

const LOOK_EVERY_MS = 50;

/** Sends a signal to every process of a group; returns false if none is left. Signal 0 only checks. */
function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-leader, signal);
  } catch {
    return false;
  }
}

async function endGroup(leader: number, withinMs: number): Promise<void> {
  signalGroup(leader, "SIGTERM");
  for (const deadline = Date.now() + withinMs; Date.now() < deadline; await wait(LOOK_EVERY_MS)) {
    if (!signalGroup(leader, 0)) return;
  }
  signalGroup(leader, "SIGKILL");
}

const withinMs = Number(process.argv[2]);
const leaders = (await text(process.stdin)).split("\n").filter(Boolean).map(Number);
await Promise.all(leaders.map((leader) => endGroup(leader, withinMs)));
