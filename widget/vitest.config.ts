import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  // Packages of the workspace are tested from their source, not from what was last built.
  resolve: {
    conditions: ["source"],
    // What the guide prints stands in another package, and loads the kit from the widget host.
    dedupe: ["react"],
    alias: { "https://WIDGET_HOST/embed/v1.js": fileURLToPath(new URL("embed/index.ts", import.meta.url)) },
  },
  test: {
    environment: "happy-dom",
    include: ["{src,embed,scripts,packages}/**/*.test.{ts,tsx}"],
    setupFiles: ["test/setup.ts"],
    // Screens keep nothing between tests, which the setup holds them to: React, the widget and the page are made once, not 34 times.
    isolate: false,
    restoreMocks: true,
    // A whole way of a patient takes seconds on a machine that does other things too.
    testTimeout: 30_000,
  },
});
