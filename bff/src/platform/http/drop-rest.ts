import type { IncomingMessage } from "node:http";

export interface DropLimits {
  readonly bytesMax: number;
  readonly timeoutMs: number;
}

/** How much is still read from a client whose upload was refused. */
export const DROP_LIMITS: DropLimits = { bytesMax: 16 * 1024 * 1024, timeoutMs: 10_000 };

/**
 * Reads and drops the rest of a request's body, so that a client that is still sending gets to read its answer instead
 * of a connection reset. The connection is closed when the rest exceeds the limits. Does nothing if the request was
 * read completely or is already being dropped.
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
