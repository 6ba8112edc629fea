import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: { conditions: ["source"] },
  ssr: { resolve: { conditions: ["source"] } },
  // Some tests start processes, which takes time on a busy machine.
  test: { include: ["src/**/*.test.ts"], testTimeout: 30_000 },
});
