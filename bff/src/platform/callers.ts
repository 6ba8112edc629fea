import { AsyncLocalStorage } from "node:async_hooks";
import { DatabaseUnavailable } from "./database/errors.ts";

/*
 * Bulkheads: requests and background work share connections to the database and to gateways, and background work never
 * takes the last ones. Other work, such as the worker's claims and renewals, counts as neither.
 */

type Caller =
  | { readonly kind: "request"; hasEntered: boolean }
  | { readonly kind: "background"; readonly held: Map<symbol, number> };

const callers = new AsyncLocalStorage<Caller | undefined>();

/** Runs a request. What its handlers start belongs to it. */
export function asRequest(run: () => void): void {
  callers.run({ kind: "request", hasEntered: false }, run);
}

/** Runs work that no caller waits for, even if a request woke it. */
export function asBackground<Result>(run: () => Promise<Result>): Promise<Result> {
  return callers.run({ kind: "background", held: new Map() }, run);
}

/** Runs a worker's own queries and what they start. They count as neither kind, even if a request woke the worker. */
export function asNeither<Result>(run: () => Promise<Result>): Promise<Result> {
  return callers.run(undefined, run);
}

export function isBackground(): boolean {
  return callers.getStore()?.kind === "background";
}

/**
 * Called before each connection. Throws `DatabaseUnavailable` if the caller is a request that would wait behind too
 * many others for its first connection: it has done nothing yet. A request that has had one is never refused, because
 * it may have called a gateway since.
 */
export function enterQueue({ waiting, waitingMax }: { readonly waiting: number; readonly waitingMax: number }): void {
  const caller = callers.getStore();
  if (caller?.kind !== "request" || caller.hasEntered) return;
  if (waiting >= waitingMax) throw new DatabaseUnavailable("Too many callers are waiting for a connection.");
  caller.hasEntered = true;
}

/** The places that background work may take. */
export interface BackgroundPlaces {
  /**
   * Waits for a place if the caller is background work; anything else gets a place at once. Work that holds a place
   * gets further ones at once, so that it never waits for itself. The result releases the place.
   */
  take(): Promise<() => void>;
}

export function createBackgroundPlaces(placesMax: number): BackgroundPlaces {
  // A place at a gateway does not count as one at the database.
  const these = Symbol("places");
  let free = placesMax;
  const waiting: (() => void)[] = [];
  const release = () => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };
  const heldBy = ({ held }: { readonly held: ReadonlyMap<symbol, number> }) => held.get(these) ?? 0;
  return {
    async take() {
      const caller = callers.getStore();
      if (caller?.kind !== "background" || heldBy(caller) > 0) return () => undefined;
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      // Set only after the wait, so that work started meanwhile waits for a place too.
      caller.held.set(these, heldBy(caller) + 1);
      return () => {
        caller.held.set(these, heldBy(caller) - 1);
        release();
      };
    },
  };
}
