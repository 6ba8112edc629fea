import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { CHARGE_FROM_HOUR } from "../contract/terms.ts";
import { HOUR_MS } from "../contract/vocabulary/durations.ts";
import { calendarDaysBetween, santiagoDay, santiagoMoment } from "../platform/santiago-time.ts";
import {
  acceptsTrigger,
  announcedCharge,
  announcedDay45,
  announcementOf,
  COLLECTION_STATES,
  type CollectionAttempt,
  type CollectionRecord,
  chargeMoment,
  deadlineOf,
  type FailureReason,
  hasEnded,
  isBlockedLongEnough,
  isFirstOfDay45,
  publishedCollection,
  type TriggerReason,
} from "./collection.ts";
import { nextDailySync } from "./daily-sync.ts";

test("chargebacks are read in the hour before charges begin, for any provider on any day", () => {
  const moment = fc.date({ min: new Date("2024-01-01"), max: new Date("2034-01-01"), noInvalidDate: true });
  fc.assert(
    fc.property(moment, fc.uuid(), (after, providerId) => {
      const sync = nextDailySync(after, providerId);
      const charges = santiagoMoment(santiagoDay(sync), CHARGE_FROM_HOUR);
      expect(sync > after && sync.getTime() - after.getTime() <= 25 * HOUR_MS).toBe(true);
      expect(nextDailySync(sync, providerId) > sync).toBe(true);
      expect(sync < charges && charges.getTime() - sync.getTime() <= HOUR_MS).toBe(true);
    }),
  );
});

describe("deadlineOf", () => {
  it.each([
    ["an ordinary day", "2026-11-21T15:00:00Z", "2027-01-05T12:00:00Z"],
    ["23:30 on 4 April 2026, the first time", "2026-04-05T02:30:00Z", "2026-05-19T13:00:00Z"],
    ["23:30 on 4 April 2026, the second time", "2026-04-05T03:30:00Z", "2026-05-19T13:00:00Z"],
    ["the last second before a midnight that does not exist", "2026-09-06T03:59:59Z", "2026-10-20T12:00:00Z"],
    ["the first second after it", "2026-09-06T04:00:00Z", "2026-10-21T12:00:00Z"],
    ["29 February 2028", "2028-02-29T15:00:00Z", "2028-04-14T13:00:00Z"],
    ["a minute before midnight", "2026-11-22T02:59:00Z", "2027-01-05T12:00:00Z"],
    ["midnight", "2026-11-22T03:00:00Z", "2027-01-06T12:00:00Z"],
    ["the day whose day 45 is the first of winter time", "2026-02-19T15:00:00Z", "2026-04-05T13:00:00Z"],
    ["the day whose day 45 has no midnight", "2026-07-23T15:00:00Z", "2026-09-06T12:00:00Z"],
  ])("is 09:00 in Santiago on day 45 after a payment on %s", (_name, paidAt, due) =>
    expect(deadlineOf(new Date(paidAt))).toEqual(new Date(due)),
  );

  test("is 09:00, 45 calendar days later in Santiago, at any time", () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date("2024-01-01"), max: new Date("2034-01-01"), noInvalidDate: true }),
        (paid) => {
          const due = deadlineOf(paid);
          expect(calendarDaysBetween(santiagoDay(paid), santiagoDay(due))).toBe(45);
          expect(due).toEqual(santiagoMoment(santiagoDay(due), 9));
          expect(calendarDaysBetween(santiagoDay(announcementOf(paid)), santiagoDay(due))).toBe(3);
        },
      ),
    );
  });
});

describe("announcedDay45", () => {
  const paidAt = new Date("2026-11-21T15:00:00Z");
  it.each([
    ["on day 42 it is day 45", "2027-01-02T12:00:00Z", "2027-01-05T12:00:00Z"],
    ["on day 44 it is day 45", "2027-01-05T02:59:59Z", "2027-01-05T12:00:00Z"],
    ["in the first moment of day 45 it is three days later", "2027-01-05T03:00:00Z", "2027-01-08T12:00:00Z"],
    ["in the afternoon of day 45 it is three days later", "2027-01-05T18:00:00Z", "2027-01-08T18:00:00Z"],
    ["at night, long after, it is three days later", "2027-02-10T04:00:00Z", "2027-02-13T12:00:00Z"],
  ])("%s", (_name, at, chargedAt) => expect(announcedDay45(paidAt, new Date(at))).toEqual(new Date(chargedAt)));
});

test("an announcement names the first charging time on a later day that is at least 24 hours away", () => {
  fc.assert(
    fc.property(fc.date({ min: new Date("2024-01-01"), max: new Date("2034-01-01"), noInvalidDate: true }), (at) => {
      const chargeAt = announcedCharge(at);
      // The last hour before a day that has only 23 hours: 24 hours later is already the day after it.
      const laterDays = calendarDaysBetween(santiagoDay(at), santiagoDay(new Date(at.getTime() + 24 * HOUR_MS)));
      expect(calendarDaysBetween(santiagoDay(at), santiagoDay(chargeAt))).toBe(Math.max(1, laterDays));
      expect(chargeAt.getTime() - at.getTime()).toBeGreaterThanOrEqual(24 * HOUR_MS);
      expect(chargeMoment(chargeAt)).toEqual(chargeAt);
    }),
    { examples: [[new Date("2031-09-07T03:00:00Z")]] },
  );
});

it("a trigger is accepted until the collection is collected, cancelled or written off", () => {
  const failures: readonly (FailureReason | null)[] = [null, "hard_decline", "chargeback", "written_off"];
  const statuses = COLLECTION_STATES.flatMap((state) => failures.map((failure) => ({ state, failure })));
  const ended = statuses.filter(
    ({ state, failure }) => ["collected", "cancelled"].includes(state) || failure === "written_off",
  );
  expect(statuses.filter(hasEnded)).toEqual(ended);
  expect(statuses.filter((status) => !acceptsTrigger(status))).toEqual(ended);
});

describe("chargeMoment", () => {
  it.each([
    ["before 09:00: at 09:00", "2026-11-21T11:59:59Z", "2026-11-21T12:00:00Z"],
    ["at 09:00: at once", "2026-11-21T12:00:00Z", "2026-11-21T12:00:00Z"],
    ["in the evening: at once", "2026-11-22T02:30:00Z", "2026-11-22T02:30:00Z"],
    ["just after midnight: at 09:00 of that day", "2026-11-22T03:00:01Z", "2026-11-22T12:00:00Z"],
    ["in the hour that happens twice: at once", "2026-04-05T03:30:00Z", "2026-04-05T03:30:00Z"],
    ["after the midnight that does not exist: at 09:00", "2026-09-06T04:00:00Z", "2026-09-06T12:00:00Z"],
  ])("%s", (_name, from, at) => expect(chargeMoment(new Date(from))).toEqual(new Date(at)));

  test("is on the same day and never before the due time", () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date("2024-01-01"), max: new Date("2034-01-01"), noInvalidDate: true }),
        (from) => {
          const at = chargeMoment(from);
          expect(at.getTime()).toBeGreaterThanOrEqual(from.getTime());
          expect(santiagoDay(at)).toBe(santiagoDay(from));
        },
      ),
    );
  });
});

test("blocked access makes the deferred part due after exactly 72 hours", () => {
  const first = new Date("2026-04-04T12:00:00Z");
  expect(isBlockedLongEnough(first, new Date("2026-04-07T11:59:59Z"))).toBe(false);
  expect(isBlockedLongEnough(first, new Date("2026-04-07T12:00:00Z"))).toBe(true);
});

test("every state is published as one of the interface's, and a stopped collection as failed", () => {
  const dueAt = new Date("2026-11-21T12:00:00Z");
  const shown = COLLECTION_STATES.map((state) => publishedCollection({ state, dueAt, trigger: null }).status);
  expect(shown).toEqual(["scheduled", "processing", "collected", "failed", "failed", "cancelled"]);
  expect(publishedCollection({ state: "scheduled", dueAt, trigger: { reason: "approved" } })).toEqual({
    status: "scheduled",
    due_at: "2026-11-21T12:00:00.000Z",
    reason: "approved",
  });
});

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
