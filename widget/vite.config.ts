import react from "@vitejs/plugin-react";
import { defaultClientConditions, defineConfig } from "vite";
import { bareImports } from "./scripts/bare-imports.ts";
import { embedInDevelopment } from "./scripts/embed-in-development.ts";
import { galleryInDevelopment } from "./scripts/gallery-in-development.ts";
import { pagePlugin } from "./scripts/page-plugin.ts";
import { scopedName } from "./scripts/scoped-name.ts";

/** Builds the checkout's page and its scripts into `dist/app`. */
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
    // All styles are in the page itself, so later screens never lack theirs.
    cssCodeSplit: false,
    modulePreload: false,
    // Creating a schema has no side effects, so unused schemas of the contract are left out.
    rolldownOptions: { treeshake: { manualPureFunctions: ["z"] } },
  },
});
