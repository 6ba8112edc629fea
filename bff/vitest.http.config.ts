import { defineConfig } from "vitest/config";
import { LONG } from "./vitest.tags.ts";

/**
 * Tests that need a database or a running server: TEST_DATABASE says which database (pglite or postgres).
 *
 * `pnpm test` runs them on PostgreSQL, but for those with the tag `long`, and on PGlite those of `platform` with the tag
 * `both-databases`; `pnpm test all` runs all on both. The tag is for what PGlite has code of its own for: its one
 * session, its folder and lock, processes that share a folder one after the other, and what works close to the database
 * (migrations, timers, outbox, counters). Everything else reaches the database by statements alone, and PGlite is
 * PostgreSQL itself. What keeps that honest: each statement that was sent to PostgreSQL has the same columns on PGlite
 * (`test/same-statements.ts`); a query past an open transaction is refused on PostgreSQL as PGlite would
 * (`test/watch-postgres.ts`); and a test that PostgreSQL skips fails the check if it lacks the tag. Whole lives on
 * PGlite are in the browser tests, the simulation, the requests made from the document, and the processes that are
 * killed.
 */
export default defineConfig({
  resolve: { conditions: ["source"] },
  ssr: { resolve: { conditions: ["source"] } },
  test: {
    include: ["test/http/**/*.test.ts"],
    tags: [{ name: "both-databases", description: "What can differ between PostgreSQL and PGlite." }, LONG],
    setupFiles: ["test/watch-postgres.ts", "test/conformance/hold-statements.ts"],
    globalSetup: ["test/forget-answers.ts"],
    // Each file has a server and a database of its own; the modules under test keep nothing, so that they are loaded
    // once.
    isolate: false,
    // Vitest leaves one core to itself, which has little to do while tests wait for servers and databases.
    maxWorkers: "100%",
    // Some play two months through, which takes a few seconds, and many times that on a machine that does other work.
    // What never ends fails all the same, and no test has a shorter limit of its own.
    testTimeout: 600_000,
    // What is waited for comes within milliseconds on a free machine, and within seconds on one that does other work.
    expect: { poll: { timeout: 120_000 } },
    // A whole service with its database: a second on an idle machine, more than a minute beside thirty other processes.
    hookTimeout: 600_000,
  },
});
