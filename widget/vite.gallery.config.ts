import react from "@vitejs/plugin-react";
import { defaultClientConditions, defineConfig } from "vite";
import { bareImports } from "./scripts/bare-imports.ts";
import { pagePlugin } from "./scripts/page-plugin.ts";
import { scopedName } from "./scripts/scoped-name.ts";

/** The designers' gallery: in `dist/app` like the checkout, with separate scripts. Production never serves it. */
export default defineConfig({
  plugins: [react(), bareImports(), pagePlugin({ page: "gallery.html", manifest: null, stylesInParts: null })],
  resolve: { conditions: ["source", ...defaultClientConditions] },
  css: { modules: { generateScopedName: scopedName } },
  publicDir: false,
  build: {
    outDir: "dist/app",
    emptyOutDir: false,
    target: ["chrome105", "safari16.4", "firefox121"],
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    modulePreload: false,
    rolldownOptions: {
      input: "gallery.html",
      output: {
        entryFileNames: "assets/gallery-[hash].js",
        chunkFileNames: "assets/gallery-[name]-[hash].js",
        assetFileNames: "assets/gallery-[name]-[hash][extname]",
      },
    },
  },
});
