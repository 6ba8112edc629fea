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
    // Screens' modules keep no state, and the setup removes what a test has rendered, so all files share React, the
    // widget and a page.
    isolate: false,
    restoreMocks: true,
    // A patient's whole path takes seconds on a busy machine.
    testTimeout: 30_000,
  },
});
