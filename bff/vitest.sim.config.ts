import { defineConfig } from "vitest/config";

/** Tests of the simulation itself: that it goes the same way every time, and finds what is planted into it. */
export default defineConfig({
  resolve: { conditions: ["source"] },
  ssr: { resolve: { conditions: ["source"] } },
  test: {
    include: ["lab/{sim,model}/**/*.test.ts"],
    testTimeout: 1_200_000,
    hookTimeout: 600_000,
    execArgv: ["--max-semi-space-size=64"],
  },
});
