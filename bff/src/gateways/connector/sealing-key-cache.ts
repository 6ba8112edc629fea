import type { SealingKey } from "../../contract/widget-tokens.ts";
import type { Clock } from "../../platform/clock.ts";

/** Cached because every widget session needs the keys, and they rarely change. */
const CACHED_MS = 60_000;

/** Reads a gateway's public key at most once a minute. */
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
