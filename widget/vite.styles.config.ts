import react from "@vitejs/plugin-react";
import { defaultClientConditions, defineConfig } from "vite";
import { scopedName } from "./scripts/scoped-name.ts";

/*
 * Writes the page's styles in parts into `dist/styles`: `main.css` holds the styles that the page's own script imports,
 * and the other parts those that it loads later. Only the style sheets of this build are used: scripts/page-plugin.ts
 * writes them into the page.
 */
const OF_THE_SUMMARY =
  /src\/(design\/(base|tokens|frame|amounts|button|fold|notice)|form\/form-shell|checkout\/summary\/[\w-]+)(\.module)?\.css/;

export default defineConfig({
  plugins: [react()],
  resolve: { conditions: ["source", ...defaultClientConditions] },
  css: { modules: { generateScopedName: scopedName } },
  publicDir: false,
  build: {
    outDir: "dist/styles",
    target: ["chrome105", "safari16.4", "firefox121"],
    assetsInlineLimit: 0,
    cssCodeSplit: true,
    modulePreload: false,
    minify: false,
    cssMinify: true,
    rolldownOptions: {
      input: "src/main.tsx",
      output: {
        assetFileNames: "[name][extname]",
        codeSplitting: { groups: [{ name: "first", test: OF_THE_SUMMARY }] },
      },
    },
  },
});
