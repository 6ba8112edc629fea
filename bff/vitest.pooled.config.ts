import { defineConfig, mergeConfig } from "vitest/config";
import http from "./vitest.http.config.ts";

/**
 * The HTTP tests of orders once more, with PgBouncer in transaction mode between the service and PostgreSQL, and what a
 * process does that was not told of it:
 *
 *     cd bff && pnpm exec node ../.ci/with-postgres.mjs -- vitest run --config vitest.pooled.config.ts
 */
export default mergeConfig(
  { ...http, test: { ...http.test, include: [], globalSetup: [] } },
  defineConfig({
    test: {
      include: ["test/pooled/**/*.test.ts", "test/http/orders/**/*.test.ts"],
      globalSetup: ["test/start-pgbouncer.ts"],
    },
  }),
);
