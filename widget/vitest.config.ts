import { defineConfig } from "vitest/config";

export default defineConfig({
  // Packages of the workspace are tested from their source, not from what was last built.
  resolve: { conditions: ["source"] },
  test: {
    environment: "happy-dom",
    include: ["{src,embed,scripts}/**/*.test.{ts,tsx}"],
    setupFiles: ["test/setup.ts"],
    restoreMocks: true,
    // A whole way of a patient takes seconds on a machine that does other things too.
    testTimeout: 30_000,
  },
});
