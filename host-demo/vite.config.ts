import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  plugins: [react()],
  resolve: { conditions: ["source", "module", "browser", "development|production"] },
  build: {
    outDir: "dist/page",
    // The polyfill is an inline script, which the page's policy refuses. No supported browser needs it.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
  },
});
