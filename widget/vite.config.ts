import react from "@vitejs/plugin-react";
import { defaultClientConditions, defineConfig } from "vite";
import { pagePlugin } from "./scripts/page-plugin.ts";

/** The checkout's page and its scripts, into `dist/app`. */
export default defineConfig({
  plugins: [react(), pagePlugin({ page: "index.html", manifest: "page-manifest.json" })],
  // Packages of the workspace are built from their source.
  resolve: { conditions: ["source", ...defaultClientConditions] },
  publicDir: false,
  build: {
    outDir: "dist/app",
    target: ["chrome105", "safari16.4", "firefox121"],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
