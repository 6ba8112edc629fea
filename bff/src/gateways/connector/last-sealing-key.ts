import { SEALING_KEY_KEPT_DAYS } from "../../contract/terms.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../contract/vocabulary/durations.ts";
import { resultWithin } from "../../platform/background-work.ts";
import type { Clock } from "../../platform/clock.ts";
import type { HeardKey, KeptSealingKey, NamedKey } from "../sealing-key-store.ts";

/** For how long a key is served without asking: every widget session needs the keys, and they rarely change. */
const FRESH_MS = MINUTE_MS;
/** How long a session waits for a party whose last key is known. Values sealed with that key are still opened. */
const WAIT_MS = 1_000;
/** How often the key that was heard is written down, if it is the same. */
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
  let last: HeardKey<Key> | null = null;
  let written: HeardKey<Key> | null = null;
  let asking: Promise<HeardKey<Key>> | null = null;

  const ask = async (): Promise<HeardKey<Key>> => {
    const heard = { key: await read(), heardAt: clock.now() };
    last = heard;
    if (written === null || written.key.kid !== heard.key.kid || ageOf(written, clock) >= KEPT_EVERY_MS) {
      await kept.keep(heard);
      written = heard;
    }
    return heard;
  };
  const askOnce = () => {
    asking ??= ask().finally(() => {
      asking = null;
    });
    return asking;
  };
  return async () => {
    if (last !== null && ageOf(last, clock) < FRESH_MS) return last.key;
    last ??= await kept.read();
    const asked = askOnce();
    if (last === null || ageOf(last, clock) >= SEALING_KEY_KEPT_DAYS * DAY_MS) return (await asked).key;
    const known = last;
    const heard = await resultWithin(
      asked.catch(() => null),
      WAIT_MS,
    );
    return (heard ?? known).key;
  };
}

function ageOf({ heardAt }: HeardKey<NamedKey>, clock: Clock): number {
  return clock.now().getTime() - heardAt.getTime();
}
