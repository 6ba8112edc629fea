import type { SealingKey } from "../../contract/widget-tokens.ts";
import type { Clock } from "../../platform/clock.ts";

/** Every widget session carries the keys, and they change rarely. */
const CACHED_MS = 60_000;

/** Reads a party's public key at most once a minute. */
export function cacheSealingKey(clock: Clock, read: () => Promise<SealingKey>): () => Promise<SealingKey> {
  let cached: { readonly key: SealingKey; readonly until: number } | undefined;
  return async () => {
    const now = clock.now().getTime();
    if (cached !== undefined && now < cached.until) return cached.key;
    const key = await read();
    cached = { key, until: now + CACHED_MS };
    return key;
  };
}
