import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  // Tests import packages of the workspace from source, not from the last build.
  resolve: {
    conditions: ["source"],
    alias: { "@aapd/embed": fileURLToPath(new URL("packages/embed/src/index.ts", import.meta.url)) },
  },
  test: {
    environment: "happy-dom",
    include: ["{src,embed,scripts,packages}/**/*.test.{ts,tsx}"],
    setupFiles: ["test/setup.ts"],
    // Modules of screens keep nothing, and what a test has rendered the setup removes: all files share React, the
    // widget and a page.
    isolate: false,
    restoreMocks: true,
    // A whole way of a patient takes seconds on a machine that does other things too.
    testTimeout: 30_000,
  },
});
