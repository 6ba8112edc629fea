import { AsyncLocalStorage } from "node:async_hooks";
import type { Request } from "express";
import { createFairQueue, type FairQueueOptions, QueueFull } from "../fair-queue.ts";
import { ApiError } from "./api-error.ts";
import { networkOf } from "./network.ts";

/**
 * Requests without a proven secret are processed a few at a time, and their addresses take turns. An address with many
 * requests only delays itself, and requests with a secret are not delayed.
 */
export interface Turns {
  /** Processes a request in its address's turn. Throws 429 `rate_limited` if too many requests of the address wait. */
  take<Result>(request: Request, work: () => Promise<Result>): Promise<Result>;
}

const RETRY_SECONDS = 1;

const current = new AsyncLocalStorage<() => void>();

/** Ends the turn of the current request, which is about to wait for another party, a body or a child process. */
export function leaveTurn(): void {
  current.getStore()?.();
}

export function createTurns(options: FairQueueOptions): Turns {
  const queue = createFairQueue(options);
  return {
    async take(request, work) {
      const isGone = () => request.socket.destroyed;
      try {
        return await queue.run(networkOf(request.ip ?? ""), (leave) =>
          isGone() ? Promise.reject(new ApiError("unreadable_body")) : current.run(leave, work),
        );
      } catch (error) {
        throw error instanceof QueueFull ? new ApiError("rate_limited", { retry_after_seconds: RETRY_SECONDS }) : error;
      }
    },
  };
}
