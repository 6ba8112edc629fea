import react from "@vitejs/plugin-react";
import { defaultClientConditions, defineConfig } from "vite";
import { bareImports } from "./scripts/bare-imports.ts";
import { embedInDevelopment } from "./scripts/embed-in-development.ts";
import { galleryInDevelopment } from "./scripts/gallery-in-development.ts";
import { pagePlugin } from "./scripts/page-plugin.ts";
import { scopedName } from "./scripts/scoped-name.ts";

/** The checkout's page and its scripts, into `dist/app`. */
export default defineConfig({
  plugins: [
    react(),
    bareImports(),
    embedInDevelopment(),
    galleryInDevelopment(),
    pagePlugin({ page: "index.html", manifest: "page-manifest.json", stylesInParts: "dist/styles" }),
  ],
  // Packages of the workspace are built from their source.
  resolve: { conditions: ["source", ...defaultClientConditions] },
  css: { modules: { generateScopedName: scopedName } },
  publicDir: false,
  build: {
    outDir: "dist/app",
    target: ["chrome105", "safari16.4", "firefox121"],
    assetsInlineLimit: 0,
    // All styles stand in the page itself: later screens are never without theirs.
    cssCodeSplit: false,
    modulePreload: false,
    // Making a schema does nothing but make it: those of the contract that the widget does not use are left out.
    rolldownOptions: { treeshake: { manualPureFunctions: ["z"] } },
  },
});
