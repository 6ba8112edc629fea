import type { Request } from "express";

const LENGTH_MAX = 512;

/** What the caller's browser says that it is, for the record of what was accepted in it; a longer text is cut. */
export function userAgentOf(request: Pick<Request, "headers">): string | null {
  return request.headers["user-agent"]?.slice(0, LENGTH_MAX) ?? null;
}
