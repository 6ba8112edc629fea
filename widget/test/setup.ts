import { cleanup, configure } from "@testing-library/react";
import { afterEach, beforeEach, expect, vi } from "vitest";
import { tabOfBank } from "./bank-page.ts";

// React runs effects after painting, in a later turn. On a busy machine a test may find an element before that turn, so
// each search lets the pending turns run first.
const { setImmediate: nextTurn } = globalThis;
async function effectsRun(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise<void>((resolve) => void nextTurn(() => resolve()));
}

configure(({ asyncWrapper }) => ({
  // Searches wait as long as a busy machine needs. A search that finds nothing still fails.
  asyncUtilTimeout: 10_000,
  asyncWrapper: (callback) =>
    asyncWrapper(async () => {
      const result = await callback();
      await effectsRun();
      return result;
    }),
}));

// A console error of React or a library is a fault of the screen under test. It fails the test at its end. Thrown
// during rendering, React would catch it and render again without end.
let complaints: string[] = [];
beforeEach(() => {
  complaints = [];
  vi.spyOn(console, "error").mockImplementation(
    (...complaint) => void complaints.push(complaint.map(String).join(" ")),
  );
});
afterEach(() => {
  expect(complaints, "console.error").toEqual([]);
});

// Bank pages are framed but never loaded, because tests have none. Some tests have no DOM at all.
const framePrototype = globalThis.HTMLIFrameElement?.prototype ?? {};
for (const symbol of Object.getOwnPropertySymbols(framePrototype)) {
  if (symbol.description === "connectedToDocument") Reflect.deleteProperty(framePrototype, symbol);
}

beforeEach(() => {
  if (globalThis.window !== undefined) vi.spyOn(window, "open").mockReturnValue(tabOfBank());
});

afterEach(() => {
  cleanup();
});
