import type { Plugin } from "vite";

/**
 * What react-query brings along and the checkout never calls, by the end of the file's name: what stands for it is what the
 * rest of react-query still asks of it. The checkout keeps in it what the server has answered, and nothing more.
 */
const LEFT_OUT: Readonly<Record<string, string>> = {
  "/query-core/build/modern/mutationCache.js":
    "export class MutationCache { clear() {} findAll() { return []; } resumePausedMutations() { return Promise.resolve(); } }",
  "/query-core/build/modern/infiniteQueryBehavior.js":
    "export const infiniteQueryBehavior = () => undefined; export const hasNextPage = () => false; export const hasPreviousPage = hasNextPage;",
};

/** Leaves code out of the build that nothing in the checkout ever runs, so that no patient's phone loads it. */
export function leaveOut(): Plugin {
  const found = new Set<string>();
  return {
    name: "leave-out",
    apply: "build",
    enforce: "pre",
    load(id) {
      const name = Object.keys(LEFT_OUT).find((ending) => id.endsWith(ending));
      if (name === undefined) return undefined;
      found.add(name);
      return LEFT_OUT[name];
    },
    /** Where the library has moved its files nothing would be left out, and nobody would know. */
    buildEnd(error) {
      const missing = Object.keys(LEFT_OUT).filter((name) => !found.has(name));
      if (error === undefined && missing.length > 0) this.error(`not left out, since not found: ${missing.join(", ")}`);
    },
  };
}
