import type { Request } from "express";
import { withoutCardNumber } from "../../contract/vocabulary/card-number.ts";

const LENGTH_MAX = 512;

/** The caller's `User-Agent`, cut to a maximum length, to record with which browser something was accepted. */
export function userAgentOf(request: Pick<Request, "headers">): string | null {
  const userAgent = request.headers["user-agent"]?.slice(0, LENGTH_MAX) ?? null;
  return userAgent && withoutCardNumber(userAgent);
}
