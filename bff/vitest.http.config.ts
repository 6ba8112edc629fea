import { defineConfig } from "vitest/config";

/** Tests that need a database or a running server: TEST_DATABASE says which database (pglite or postgres). */
export default defineConfig({
  resolve: { conditions: ["source"] },
  ssr: { resolve: { conditions: ["source"] } },
  test: {
    include: ["test/http/**/*.test.ts"],
    globalSetup: ["test/forget-answers.ts"],
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
});
