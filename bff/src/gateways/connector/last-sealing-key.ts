import { SEALING_KEY_KEPT_DAYS } from "../../contract/terms.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../contract/vocabulary/durations.ts";
import { resultWithin } from "../../platform/background-work.ts";
import type { Clock } from "../../platform/clock.ts";
import { leaveTurn } from "../../platform/http/turns.ts";
import type { FetchedKey, KeptSealingKey, NamedKey } from "../sealing-key-store.ts";

/** How long a key is served without a new request. Every widget session needs the keys, and they rarely change. */
const FRESH_MS = MINUTE_MS;
/** How long a session waits for a party whose last key is known. Values sealed with that key are still opened. */
const WAIT_MS = 1_000;
/** How often an unchanged key is stored again. */
const KEPT_EVERY_MS = HOUR_MS;

/**
 * A party's public key, read at most once a minute. While the party does not answer, its last known key is served, for
 * `SEALING_KEY_KEPT_DAYS`. Throws the error of `read` if there is none.
 */
export function lastSealingKey<Key extends NamedKey>({
  clock,
  read,
  kept,
}: {
  readonly clock: Clock;
  readonly read: () => Promise<Key>;
  readonly kept: KeptSealingKey<Key>;
}): () => Promise<Key> {
  let last: FetchedKey<Key> | null = null;
  let written: FetchedKey<Key> | null = null;
  let asking: Promise<FetchedKey<Key>> | null = null;

  const fetchKey = async (): Promise<FetchedKey<Key>> => {
    const fetched = { key: await read(), fetchedAt: clock.now() };
    last = fetched;
    if (written === null || written.key.kid !== fetched.key.kid || ageOf(written, clock) >= KEPT_EVERY_MS) {
      await kept.keep(fetched);
      written = fetched;
    }
    return fetched;
  };
  const fetchOnce = () => {
    asking ??= fetchKey().finally(() => {
      asking = null;
    });
    return asking;
  };
  return async () => {
    if (last !== null && ageOf(last, clock) < FRESH_MS) return last.key;
    last ??= await kept.read();
    const pending = fetchOnce();
    // Only the request that makes the call gives up its turn, and the others wait for its result.
    leaveTurn();
    if (last === null || ageOf(last, clock) >= SEALING_KEY_KEPT_DAYS * DAY_MS) return (await pending).key;
    const known = last;
    const fetched = await resultWithin(
      pending.catch(() => null),
      WAIT_MS,
    );
    return (fetched ?? known).key;
  };
}

function ageOf({ fetchedAt }: FetchedKey<NamedKey>, clock: Clock): number {
  return clock.now().getTime() - fetchedAt.getTime();
}
