import { describe, expect, it } from "vitest";
import { type LoggedMessage, logMessage } from "./message-log.ts";

const AT = new Date("2026-11-21T12:00:00.000Z");

describe("the inspector's log", () => {
  it("shows messages in their order, and refusals with their reason", () => {
    let log: readonly LoggedMessage[] = [];
    log = logMessage(log, "received", { type: "resize", payload: { height: 700 } }, AT);
    log = logMessage(log, "refused", "origin", AT);
    expect(log).toEqual([
      { id: 1, at: AT, direction: "received", name: "resize", payload: '{"height":700}' },
      { id: 2, at: AT, direction: "refused", name: "origin", payload: "" },
    ]);
  });

  it("never shows a token", () => {
    const [message] = logMessage([], "sent", { type: "token", payload: { widget_token: "wt_secret" } }, AT);
    expect(message?.payload).toBe('{"widget_token":"•••"}');
  });

  it("has a limited length", () => {
    let log: readonly LoggedMessage[] = [];
    for (let count = 0; count < 1_000; count += 1) log = logMessage(log, "refused", "shape", AT);
    expect(log.length).toBe(300);
    expect(log.at(-1)?.id).toBe(1_000);
  });
});
