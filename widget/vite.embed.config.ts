import { defineConfig } from "vite";
import { INTERNAL_NAMES } from "./scripts/internal-names.ts";

/*
 * Builds one artefact of the embed kit per run, named by the mode: `esm` (v1.js), `classic` (v1.classic.js, the global
 * `Aapd`), `preload`, `message` or `diagnose`. They share nothing. scripts/build-embed.ts runs them all and writes
 * their manifest.
 */
const artefacts = {
  esm: { entry: "embed/index.ts", file: "v1.js", format: "es" },
  classic: { entry: "embed/index.ts", file: "v1.classic.js", format: "iife" },
  preload: { entry: "embed/preload-checkout.ts", file: "preload.js", format: "es" },
  diagnose: { entry: "embed/diagnose.ts", file: "diagnose.js", format: "es" },
  message: { entry: "embed/message-element.ts", file: "message.js", format: "es" },
} as const;

/** Whole names alone. */
const internalNames = new RegExp(`^(?:${INTERNAL_NAMES.join("|")})$`);

const isArtefact = (mode: string): mode is keyof typeof artefacts => Object.hasOwn(artefacts, mode);

export default defineConfig(({ mode }) => {
  const { entry, file, format } = artefacts[isArtefact(mode) ? mode : "esm"];
  return {
    publicDir: false,
    define: { "process.env.NODE_ENV": '"production"' },
    build: {
      target: ["chrome105", "safari16.4", "firefox121"],
      outDir: "dist/embed",
      emptyOutDir: false,
      copyPublicDir: false,
      minify: "oxc",
      modulePreload: false,
      // A library: its one dynamic import stays as it is written, without Vite's helper for pages.
      lib: { entry, formats: [format], name: "Aapd" },
      rolldownOptions: {
        preserveEntrySignatures: "strict",
        output: {
          format,
          name: "Aapd",
          entryFileNames: file,
          minify: { compress: true, mangle: true, codegen: true, mangleProps: { include: internalNames } },
          comments: false,
          generatedCode: { symbols: false },
        },
      },
    },
  };
});
