import type { Request } from "express";

const LENGTH_MAX = 512;

/** The caller's `User-Agent`, cut to a maximum length, to record with which browser something was accepted. */
export function userAgentOf(request: Pick<Request, "headers">): string | null {
  return request.headers["user-agent"]?.slice(0, LENGTH_MAX) ?? null;
}
