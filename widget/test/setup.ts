import { cleanup, configure } from "@testing-library/react";
import { afterEach, beforeEach, expect, vi } from "vitest";

// React runs effects after it has painted, in a turn of their own, and on a busy machine what is waited for is found before
// that turn. What follows of a screen is there once the turns that were asked for by then have come.
const { setImmediate: nextTurn } = globalThis;
async function effectsRun(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise<void>((resolve) => void nextTurn(() => resolve()));
}

configure(({ asyncWrapper }) => ({
  // What a screen comes to is waited for as long as a busy machine needs; a test that waits in vain still fails.
  asyncUtilTimeout: 10_000,
  asyncWrapper: (callback) =>
    asyncWrapper(async () => {
      const result = await callback();
      await effectsRun();
      return result;
    }),
}));

/* What React or a library complains of is a fault of the screen under test. */
beforeEach(() => {
  vi.spyOn(console, "error").mockImplementation((...complaint: readonly unknown[]) => {
    expect.fail(`console.error: ${complaint.map(String).join(" ")}`);
  });
});

// The pages of banks are framed, never loaded: no test has one. Some tests have no DOM at all.
const framePrototype = globalThis.HTMLIFrameElement?.prototype ?? {};
for (const symbol of Object.getOwnPropertySymbols(framePrototype)) {
  if (symbol.description === "connectedToDocument") Reflect.deleteProperty(framePrototype, symbol);
}

afterEach(() => {
  cleanup();
});
