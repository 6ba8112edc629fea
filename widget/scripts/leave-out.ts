import type { Plugin } from "vite";

/**
 * What react-query brings along and the checkout never calls, by the end of the file's name, and what stands for it: no more
 * than the rest of react-query still asks of it. The checkout keeps in it what the server has answered; it fetches, repeats
 * and watches by its own rules. Whoever has react-query fetch takes `retryer` and both managers out of this list: until then
 * it fails at once.
 */
const LEFT_OUT: Readonly<Record<string, string>> = {
  "mutationCache.js": `export class MutationCache {
    clear() {}
    findAll() { return []; }
    async resumePausedMutations() {}
  }`,
  "infiniteQueryBehavior.js": `export const infiniteQueryBehavior = () => undefined;
    export const hasNextPage = () => false;
    export const hasPreviousPage = hasNextPage;`,
  "retryer.js": `export class CancelledError extends Error {}
    export const canFetch = () => false;
    export const isCancelledError = canFetch;
    export const createRetryer = () => { throw new Error("left out"); };`,
  "focusManager.js": "export class FocusManager {} export const focusManager = { subscribe: () => () => undefined };",
  "timeoutManager.js": `export class TimeoutManager {}
    export const timeoutManager = {
      setTimeout: (callback, delay) => setTimeout(callback, delay),
      clearTimeout: (timer) => clearTimeout(timer),
    };
    export const defaultTimeoutProvider = timeoutManager;
    export const systemSetTimeoutZero = (callback) => void setTimeout(callback, 0);`,
  "onlineManager.js":
    "export class OnlineManager {} export const onlineManager = { subscribe: () => () => undefined, isOnline: () => true };",
};

/** Leaves code out of the build that nothing in the checkout ever runs, so that no patient's phone loads it. */
export function leaveOut(): Plugin {
  const found = new Set<string>();
  return {
    name: "leave-out",
    apply: "build",
    enforce: "pre",
    load(id) {
      const name = Object.keys(LEFT_OUT).find((file) => id.endsWith(`/query-core/build/modern/${file}`));
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
