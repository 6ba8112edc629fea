/**
 * The callers whose credentials were valid when this process last looked them up. They only decide what comes first:
 * the body of any other caller is not read before its credentials are looked up. Every request is authenticated by the
 * statement that admits it, so that a revoked credential counts nowhere.
 */
export interface KnownCallers {
  has(key: string): boolean;
  add(key: string): void;
  remove(key: string): void;
}

/** Beyond so many the one that was added first is looked up again. */
const CALLERS_MAX = 10_000;

export function createKnownCallers(): KnownCallers {
  const keys = new Set<string>();
  return {
    has: (key) => keys.has(key),
    add(key) {
      keys.add(key);
      if (keys.size <= CALLERS_MAX) return;
      for (const first of keys) {
        keys.delete(first);
        return;
      }
    },
    remove: (key) => void keys.delete(key),
  };
}
