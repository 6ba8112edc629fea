import { cleanup, configure } from "@testing-library/react";
import { afterEach, beforeEach, expect, vi } from "vitest";

// What a screen comes to is waited for as long as a busy machine needs; a test that waits in vain still fails.
configure({ asyncUtilTimeout: 10_000 });

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
