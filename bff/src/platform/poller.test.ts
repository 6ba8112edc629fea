import { setImmediate as turn } from "node:timers/promises";
import { expect, it } from "vitest";
import { asBackground, isBackground } from "./callers.ts";
import { silentLogger } from "./logger.ts";
import { createPoller } from "./poller.ts";

it("a poller woken by background work does not itself count as background work", async () => {
  const looks: boolean[] = [];
  const poller = createPoller({
    look: async () => void looks.push(isBackground()),
    pollMs: 60_000,
    logger: silentLogger,
  });
  poller.start();
  await turn();
  await asBackground(async () => poller.wake());
  await poller.stop();
  expect(looks).toEqual([false, false]);
});
