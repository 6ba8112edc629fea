import { defineConfig, mergeConfig } from "vitest/config";
import http from "./vitest.http.config.ts";

/**
 * The HTTP tests of orders with PgBouncer in transaction mode between the service and PostgreSQL. Also tests a process
 * without the setting for it:
 *
 *     cd bff && pnpm exec node ../.ci/with-postgres.mjs -- vitest run --config vitest.pooled.config.ts
 */
export default mergeConfig(
  { ...http, test: { ...http.test, include: [], globalSetup: [] } },
  defineConfig({
    test: {
      include: ["test/pooled/**/*.test.ts", "test/http/orders/**/*.test.ts", "test/http/stores/order-stores.test.ts"],
      globalSetup: ["test/start-pgbouncer.ts"],
    },
  }),
);
