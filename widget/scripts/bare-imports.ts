import type { Plugin } from "vite";

/**
 * Replaces Vite's preload helper, nearly a kilobyte, with a plain import. The styles of later code are already in the
 * page, and nothing needs a preload.
 */
export function bareImports(): Plugin {
  return {
    name: "bare-imports",
    apply: "build",
    enforce: "pre",
    load: (id) => (id === "\0vite/preload-helper.js" ? "export const __vitePreload = (load) => load();" : undefined),
  };
}
