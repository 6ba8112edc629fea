import { defineConfig } from "vitest/config";

/** Unit tests, next to the code. None opens a database or a port. */
export default defineConfig({
  resolve: { conditions: ["source"] },
  ssr: { resolve: { conditions: ["source"] } },
  test: {
    include: [
      "{src,sandbox,connectors,packages,lab/bench,lab/mutate,lab/crash,lab/changes}/**/*.test.ts",
      "lab/*.test.ts",
      "test/{alerts,architecture,answers,conformance,content-checks,dashboards,databases,deployment,documents,english,regular-expressions,sql-features,table-owners,terms,words}.test.ts",
    ],
    // The modules under test keep no state, so they are loaded once for all files.
    isolate: false,
    // Ten thousand lives take a second, and many times that on a machine that does other work.
    testTimeout: 60_000,
  },
});
