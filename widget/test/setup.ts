import { cleanup } from "@testing-library/react";
import { afterEach, beforeEach, expect, vi } from "vitest";

/* What React or a library complains of is a fault of the screen under test. */
beforeEach(() => {
  vi.spyOn(console, "error").mockImplementation((...complaint: readonly unknown[]) => {
    expect.fail(`console.error: ${complaint.map(String).join(" ")}`);
  });
});

afterEach(() => {
  cleanup();
});
