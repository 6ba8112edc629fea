import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: { conditions: ["source"] },
  ssr: { resolve: { conditions: ["source"] } },
  // Some start processes, which takes its time on a machine that does other work.
  test: { include: ["src/**/*.test.ts"], testTimeout: 30_000 },
});
