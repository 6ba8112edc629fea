import type { Plugin } from "vite";

/**
 * Later code is imported as it stands: its styles are in the page already and nothing is to be preloaded, so that
 * Vite's helper for both, nearly a kilobyte, has nothing to do.
 */
export function bareImports(): Plugin {
  return {
    name: "bare-imports",
    apply: "build",
    enforce: "pre",
    load: (id) => (id === "\0vite/preload-helper.js" ? "export const __vitePreload = (load) => load();" : undefined),
  };
}
