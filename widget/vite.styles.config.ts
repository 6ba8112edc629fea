import react from "@vitejs/plugin-react";
import { defaultClientConditions, defineConfig } from "vite";
import { scopedName } from "./scripts/scoped-name.ts";

/*
 * The styles of the page in parts, into `dist/styles`: `first.css` has those of the summary, which the first paint
 * waits for, and the others all that come later. Only the style sheets of this build are used: scripts/page-plugin.ts writes them
 * into the page.
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
