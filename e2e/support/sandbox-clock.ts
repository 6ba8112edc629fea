import { setTimeout as pause } from "node:timers/promises";
import { sandboxEndpoints } from "bff/contract/sandbox-endpoints";
import { productUrls } from "./tenant.ts";

const { moveSandboxClock, readSandboxClock } = sandboxEndpoints;
type Clock = { readonly remaining_seconds: number };

/** A long move is answered before it is done, and continues. */
const POLL_MS = 250;

/** Moves a tenant's time forward (`45d`, `61m`). Returns when all work due meanwhile has been done. */
export async function moveClock(
  credentials: { readonly client_secret: string },
  advance: string,
  { orderApiUrl }: { readonly orderApiUrl: string } = productUrls(),
): Promise<void> {
  const ask = async ({ method, path }: { method: string; path: string }, body?: object): Promise<Clock> => {
    const response = await fetch(new URL(path, orderApiUrl), {
      method,
      headers: { "content-type": "application/json", authorization: `Bearer ${credentials.client_secret}` },
      body: body === undefined ? null : JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}`);
    return readSandboxClock.success[200].parse(await response.json());
  };
  for (let clock = await ask(moveSandboxClock, { advance }); clock.remaining_seconds > 0; ) {
    await pause(POLL_MS);
    clock = await ask(readSandboxClock);
  }
}
