import { defineConfig } from "vitest/config";

export default defineConfig({
  // Packages of the workspace are tested from their source, not from what was last built.
  resolve: { conditions: ["source"] },
  test: {
    environment: "happy-dom",
    include: ["src/**/*.test.{ts,tsx}", "embed/**/*.test.{ts,tsx}"],
    setupFiles: ["test/setup.ts"],
    // The pages of banks are framed, never loaded.
    environmentOptions: { happyDOM: { settings: { disableIframePageLoading: true, handleDisabledFileLoadingAsSuccess: true } } },
    restoreMocks: true,
  },
});
