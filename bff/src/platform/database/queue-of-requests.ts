import { AsyncLocalStorage } from "node:async_hooks";
import { DatabaseUnavailable } from "./errors.ts";

/*
 * A request that would wait behind too many others for its first connection is refused before it has done anything. One
 * that has had a connection is never refused: it may have called a gateway since.
 */
const requests = new AsyncLocalStorage<{ hasEntered: boolean }>();

/** Runs a request. What its handlers start belongs to it. */
export function asRequest(run: () => void): void {
  requests.run({ hasEntered: false }, run);
}

/** Called before each connection. Throws `DatabaseUnavailable` if the caller is a new request and the queue is full. */
export function enterQueue({ waiting, waitingMax }: { readonly waiting: number; readonly waitingMax: number }): void {
  const request = requests.getStore();
  if (request === undefined || request.hasEntered) return;
  if (waiting >= waitingMax) throw new DatabaseUnavailable("Too many callers are waiting for a connection.");
  request.hasEntered = true;
}
