#!/usr/bin/env node
/**
 * Runs one command with a throw-away PostgreSQL, to try a single test file on it:
 *
 *     cd bff && pnpm exec node ../.ci/with-postgres.mjs -- vitest run --config vitest.http.config.ts test/http/orders
 *
 * The command gets TEST_DATABASE=postgres and TEST_DATABASE_URL. An existing TEST_DATABASE_URL is used unchanged.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { delimiter, join } from "node:path";
import { findPostgres, startPostgres } from "./postgres.mjs";

const [program, ...args] = process.argv.slice(process.argv[2] === "--" ? 3 : 2);
if (program === undefined) {
  console.error("Usage: node .ci/with-postgres.mjs -- <command> [arguments]");
  process.exit(2);
}

/** @returns {Promise<{ url: string, stop: () => Promise<void> }>} */
async function database() {
  const given = process.env.TEST_DATABASE_URL;
  if (given) return { url: given, stop: async () => undefined };
  const installation = await findPostgres();
  if (installation) return await startPostgres(installation);
  throw new Error("PostgreSQL 15 or newer is not installed here; install it, or name one in TEST_DATABASE_URL.");
}

const { url, stop } = await database();
try {
  const child = spawn(program, args, {
    stdio: "inherit",
    env: {
      ...process.env,
      PATH: `${join(process.cwd(), "node_modules/.bin")}${delimiter}${process.env.PATH ?? ""}`,
      TEST_DATABASE: "postgres",
      TEST_DATABASE_URL: url,
    },
  });
  // The terminal sends Ctrl-C to the command as well, and this process ends with it.
  process.on("SIGINT", () => undefined);
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  const [code] = await once(child, "exit");
  process.exitCode = typeof code === "number" ? code : 1;
} finally {
  await stop();
}
