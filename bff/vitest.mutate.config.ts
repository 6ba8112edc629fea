import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { mutantPlugin, reachPlugin } from "./mutate/plugins.ts";

/** Unit and HTTP tests together: to see which of them reach what (`REACH_FILE`), or with a mutant (`MUTANT`, as JSON). */
const folder = fileURLToPath(new URL(".", import.meta.url));
const { MUTANT, REACH_FILE } = process.env;

export default defineConfig({
  resolve: { conditions: ["source"] },
  ssr: { resolve: { conditions: ["source"] } },
  plugins: [
    ...(MUTANT === undefined ? [] : [mutantPlugin(folder, MUTANT)]),
    ...(REACH_FILE === undefined ? [] : [reachPlugin(folder)]),
  ],
  test: {
    include: ["{src,sandbox}/**/*.test.ts", "test/http/**/*.test.ts"],
    tags: [{ name: "both-databases" }],
    setupFiles: ["test/watch-postgres.ts", "mutate/keep-reach.ts"],
    isolate: false,
    maxWorkers: REACH_FILE === undefined ? 1 : "100%",
    testTimeout: 60_000,
    expect: { poll: { timeout: 15_000 } },
    hookTimeout: 60_000,
  },
});
