import { defineConfig } from "vitest/config";
import { LONG } from "./vitest.tags.ts";

/**
 * Tests that need a database or a running server: TEST_DATABASE says which database (pglite or postgres).
 *
 * `pnpm test` runs them on PostgreSQL, without those tagged `long`, and on PGlite those of `platform` tagged
 * `both-databases`. `pnpm test all` runs all on both. The tag is for tests of code that is specific to PGlite (its one
 * session, its folder and lock) and of code close to the database (migrations, timers, outbox, counters). Everything
 * else only sends statements, and PGlite is PostgreSQL itself.
 *
 * Three checks make sure of that. Each statement sent to PostgreSQL has the same columns on PGlite
 * (`test/same-statements.ts`). A query past an open transaction is refused on PostgreSQL too
 * (`test/watch-postgres.ts`).
 * And a test that PostgreSQL skips fails the check if it lacks the tag. The browser tests, the simulation, the fuzzer
 * and the crash tests run on PGlite.
 */
export default defineConfig({
  resolve: { conditions: ["source"] },
  ssr: { resolve: { conditions: ["source"] } },
  test: {
    include: ["test/http/**/*.test.ts"],
    tags: [{ name: "both-databases", description: "What can differ between PostgreSQL and PGlite." }, LONG],
    setupFiles: ["test/watch-postgres.ts", "test/conformance/hold-statements.ts"],
    globalSetup: ["test/forget-answers.ts"],
    // Each file has a separate server and database. The modules under test keep no state, so they are loaded once.
    isolate: false,
    // Vitest leaves one core to itself, which has little to do while tests wait for servers and databases.
    maxWorkers: "100%",
    // Some play two months, which takes a few seconds, and many times that on a busy machine. A test that never ends
    // still fails, and no test sets a shorter limit.
    testTimeout: 600_000,
    // Awaited values arrive within milliseconds on an idle machine, and within seconds on a busy one.
    expect: { poll: { timeout: 120_000 } },
    // A whole service with its database: a second on an idle machine, more than a minute next to thirty processes.
    hookTimeout: 600_000,
  },
});
