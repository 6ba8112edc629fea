import type { IncomingMessage } from "node:http";

export interface DropLimits {
  readonly bytesMax: number;
  readonly timeoutMs: number;
}

/** What is still taken from a client whose upload was refused. */
export const DROP_LIMITS: DropLimits = { bytesMax: 16 * 1024 * 1024, timeoutMs: 10_000 };

/**
 * Reads what is left of a request's body and drops it, so that a client that is still sending comes to read its answer
 * instead of finding its connection reset. The connection is closed when the rest is longer than the limits. Does nothing
 * to a request that has been read, and nothing more when it is called again.
 */
export function dropRest(request: IncomingMessage, limits: DropLimits = DROP_LIMITS): void {
  if (request.complete || request.destroyed || dropping.has(request)) return;
  dropping.add(request);
  let left = limits.bytesMax;
  const timeout = setTimeout(() => request.destroy(), limits.timeoutMs);
  timeout.unref();
  request
    .on("data", (chunk: Uint8Array) => {
      left -= chunk.length;
      if (left < 0) request.destroy();
    })
    .on("error", () => undefined)
    .once("close", () => clearTimeout(timeout))
    .once("end", () => clearTimeout(timeout))
    .resume();
}

const dropping = new WeakSet<IncomingMessage>();
