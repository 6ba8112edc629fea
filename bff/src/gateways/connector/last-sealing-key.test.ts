import type { Request } from "express";
import { expect, it } from "vitest";
import { movableClock } from "../../platform/clock.ts";
import { createTurns } from "../../platform/http/turns.ts";
import { lastSealingKey } from "./last-sealing-key.ts";

it("a request waiting for a key that another request is fetching gives up its turn", async () => {
  const clock = movableClock(new Date("2026-11-21T12:00:00Z"));
  let answer = (_key: { kid: string }): void => undefined;
  const reading = new Promise<{ kid: string }>((resolve) => {
    answer = resolve;
  });
  const kept = { read: async () => null, keep: async () => undefined };
  const key = lastSealingKey({ clock, kept, read: () => reading });
  const turns = createTurns({ atOnceMax: 1, waitingMax: 10 });
  const requestOf = (ip: string) => ({ ip, socket: { destroyed: false } }) as unknown as Request;
  const waiting = ["10.0.0.1", "10.0.1.1"].map((ip) => turns.take(requestOf(ip), key));
  expect(await turns.take(requestOf("10.0.2.1"), async () => "served")).toBe("served");
  answer({ kid: "one" });
  expect(await Promise.all(waiting)).toEqual([{ kid: "one" }, { kid: "one" }]);
});
