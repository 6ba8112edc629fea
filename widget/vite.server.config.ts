import react from "@vitejs/plugin-react";
import { defaultServerConditions, defineConfig } from "vite";
import { scopedName } from "./scripts/scoped-name.ts";

/** The renderer that the widget host calls (`dist/server/render.js`), in one file that needs no installed package. */
export default defineConfig({
  plugins: [react()],
  resolve: { conditions: ["source", ...defaultServerConditions] },
  ssr: { noExternal: true, resolve: { conditions: ["source", ...defaultServerConditions] } },
  define: { "process.env.NODE_ENV": '"production"' },
  css: { modules: { generateScopedName: scopedName } },
  publicDir: false,
  build: {
    ssr: "src/server/render.tsx",
    outDir: "dist/server",
    target: "node24",
    rolldownOptions: { output: { entryFileNames: "render.js", codeSplitting: false } },
  },
});
