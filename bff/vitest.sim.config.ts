import { defineConfig } from "vitest/config";
import { LONG } from "./vitest.tags.ts";

/** Tests of the simulation itself: that it is deterministic, and finds planted bugs. */
export default defineConfig({
  resolve: { conditions: ["source"] },
  ssr: { resolve: { conditions: ["source"] } },
  test: {
    include: ["lab/{sim,model}/**/*.test.ts"],
    tags: [LONG],
    testTimeout: 1_200_000,
    hookTimeout: 600_000,
    execArgv: ["--max-semi-space-size=64"],
  },
});
