import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Part } from "./child-process.ts";

/** Ends the parts that it was told of when this process has ended without doing so. */
export interface Keeper {
  keep(part: Part): void;
  /** Lets the keeper go, once the parts have been stopped: what they left of their process groups it ends. */
  release(): Promise<void>;
}

/** Starts the keeper (`keeper.ts`) in a process group of its own, out of reach of what ends this one. */
export function startKeeper(argv: readonly string[], stopWithinMs: number): Keeper {
  const child = spawn(process.execPath, [...argv, String(stopWithinMs)], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  // One that could not be started, or has been killed, keeps nothing; the product runs all the same.
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
