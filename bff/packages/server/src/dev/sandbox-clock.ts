import { setTimeout as pause } from "node:timers/promises";
import * as z from "zod/mini";
import { call } from "./call.ts";
import type { SandboxKeys } from "./keys.ts";

const clockSchema = z.object({
  now: z.string(),
  ahead_seconds: z.number(),
  /** 0 when all that fell due has been done. */
  remaining_seconds: z.number(),
});
type SandboxClock = z.infer<typeof clockSchema>;

const POLL_MS = 500;

export async function readClock(keys: SandboxKeys): Promise<SandboxClock> {
  return clockSchema.parse(await call({ method: "GET", ...clockCall(keys) }));
}

/** Moves the tenant's time forward (`45d`, `12h`) and waits until all that fell due has been done. */
export async function moveClock(keys: SandboxKeys, advance: string): Promise<SandboxClock> {
  let clock = clockSchema.parse(await call({ method: "PUT", ...clockCall(keys), body: { advance } }));
  while (clock.remaining_seconds > 0) {
    await pause(POLL_MS);
    clock = await readClock(keys);
  }
  return clock;
}

function clockCall({ addresses, credentials }: SandboxKeys) {
  const url = new URL("/sandbox/clock", addresses.order_api);
  return { url, headers: { authorization: `Bearer ${credentials.client_secret}` } };
}
