import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Part } from "./child-process.ts";

/** Stops the given parts if this process ends without doing so. */
export interface Keeper {
  keep(part: Part): void;
  /** Ends the keeper after the parts were stopped; it then stops whatever is left of their process groups. */
  release(): Promise<void>;
}

/**
 * Starts the keeper (`keeper.ts`) in a separate process group, so that signals which end this process do not reach
 * it.
 */
export function startKeeper(argv: readonly string[], stopWithinMs: number): Keeper {
  const child = spawn(process.execPath, [...argv, String(stopWithinMs)], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  // A keeper that could not be started, or was killed, protects nothing, but the product still runs.
  const ended = once(child, "exit").catch(() => undefined);
  child.stdin.on("error", () => undefined);
  return {
    keep: ({ pid }) => void (pid !== undefined && child.stdin.write(`${pid}\n`)),
    async release() {
      child.stdin.end();
      await ended;
    },
  };
}
