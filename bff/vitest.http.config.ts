import { defineConfig } from "vitest/config";

/** Tests that need a database or a running server: TEST_DATABASE says which database (pglite or postgres). */
export default defineConfig({
  resolve: { conditions: ["source"] },
  ssr: { resolve: { conditions: ["source"] } },
  test: {
    include: ["test/http/**/*.test.ts"],
    globalSetup: ["test/forget-answers.ts"],
    // Each file has a server and a database of its own; the modules under test keep nothing, so that they are loaded once.
    isolate: false,
    // Vitest leaves one core to itself, which has little to do while tests wait for servers and databases.
    maxWorkers: "100%",
    // Some play two months through, which takes a few seconds, and many times that on a machine that does other work.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
