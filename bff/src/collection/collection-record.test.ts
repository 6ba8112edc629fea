import { expect, test } from "vitest";
import type { TriggerReason } from "./collection.ts";
import { type CollectionAttempt, type CollectionRecord, isFirstOfDay45 } from "./collection-record.ts";

test.each([
  ["day_45", [], true],
  ["day_45", ["patient declined"], true],
  ["day_45", ["merchant not_made"], true],
  ["day_45", ["patient not_made", "merchant declined"], false],
  ["day_45", ["merchant charging"], false],
  ["approved", [], false],
  [null, [], true],
] as const)("the next charge after the trigger %s and the earlier charges %j is %s", (reason, before, is) => {
  expect(isFirstOfDay45(collectionOf(reason, before))).toBe(is);
});

function collectionOf(
  reason: TriggerReason | null,
  before: readonly `${CollectionAttempt["initiator"]} ${CollectionAttempt["state"]}`[],
) {
  const trigger = reason === null ? null : { reason, evidence: {}, at: new Date(0) };
  const attempts = before.map((one) => {
    const [initiator, state] = one.split(" ");
    return { initiator, state };
  });
  return { trigger, attempts } as unknown as CollectionRecord;
}
