import { setTimeout as pause } from "node:timers/promises";
import { call, type DevCall } from "./call.ts";
import type { SandboxKeys } from "./keys.ts";

interface SandboxClock {
  readonly now: string;
  readonly ahead_seconds: number;
  /** 0 when all due work is done. */
  readonly remaining_seconds: number;
}

const POLL_MS = 500;

/** A move forward as typed (`45d`, `+45d`, `+1d12h`), without its plus; null if it is invalid. */
export function parseAdvance(text: string): string | null {
  const advance = text.replace(/^\+/, "");
  return /^(?:\d{1,9}[smhd]){1,4}$/.test(advance) ? advance : null;
}

export async function readClock(keys: SandboxKeys): Promise<SandboxClock> {
  return call<SandboxClock>({ method: "GET", ...clockCall(keys) });
}

/** Moves the tenant's time forward (`45d`, `12h`) and waits until all due work is done. */
export async function moveClock(keys: SandboxKeys, advance: string): Promise<SandboxClock> {
  let clock = await call<SandboxClock>({ method: "PUT", ...clockCall(keys), body: { advance } });
  while (clock.remaining_seconds > 0) {
    await pause(POLL_MS);
    clock = await readClock(keys);
  }
  return clock;
}

function clockCall({ addresses, credentials }: SandboxKeys): Omit<DevCall<SandboxClock>, "method"> {
  const url = new URL("/sandbox/clock", addresses.order_api);
  const headers = { authorization: `Bearer ${credentials.client_secret}` };
  return { url, headers, answerHas: ["now", "remaining_seconds"] };
}
