import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { isBlockedLongEnough } from "../collection/collection.ts";
import { seededIds } from "../platform/ids.ts";
import { santiagoDay, santiagoMoment } from "../platform/santiago-time.ts";
import { spreadFrom } from "../platform/spread.ts";
import {
  blockedCountedSince,
  type ClaimAnswer,
  classifyAnswer,
  firstPollFrom,
  nextHourlyPoll,
  unfollowedSyncAt,
} from "./claim-life.ts";

const filedAt = new Date("2026-11-21T15:00:00Z");
const id = "0c0ffee0-0000-4000-8000-000000000001";
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** The claim's minute of the hour, and its last poll of a day. */
const OFFSET_MS = spreadFrom(new Date(0), id, HOUR_MS).getTime();
const LAST_OFFSET_MS = spreadFrom(new Date(0), id, 20 * MINUTE_MS).getTime();
const lastOf = (day: ReturnType<typeof santiagoDay>) =>
  new Date(santiagoMoment(day, 23, 35).getTime() + LAST_OFFSET_MS);
const hourly = (moment: string) => new Date(Date.parse(moment) + OFFSET_MS);
const hours = (count: number) => new Date(filedAt.getTime() + count * 3_600_000);
const judge = (answer: ClaimAnswer, now: Date, blockedSince: Date | null = null) =>
  classifyAnswer({ id, filedAt, blockedSince, unfollowedAt: null }, answer, now);
describe("a filed claim", () => {
  it.each([
    ["hourly by day", hourly("2026-11-23T15:00:00Z"), hourly("2026-11-23T16:00:00Z")],
    ["at the claim's minute after any other poll", hourly("2026-11-23T14:59:00Z"), hourly("2026-11-23T15:00:00Z")],
    ["once more late in the evening", new Date("2026-11-24T02:34:59Z"), lastOf("2026-11-23")],
    ["in the morning after the last poll", lastOf("2026-11-23"), hourly("2026-11-24T11:00:00Z")],
    ["in the morning after a poll at night", new Date("2026-11-24T04:00:00Z"), hourly("2026-11-24T11:00:00Z")],
    ["by winter time in winter", new Date("2027-07-02T03:34:59Z"), lastOf("2027-07-01")],
  ])("is polled from 08:00 to the late evening in Santiago: %s", (_, now, next) => {
    expect(nextHourlyPoll(id, now)).toEqual(next);
    for (const answer of ["waiting", "portal_down", "unknown"] as const)
      expect(judge(answer, now).nextPollAt).toEqual(next);
  });

  it("is polled at a minute derived from its id, and last between 23:35 and 23:55", () => {
    const ids = seededIds("polls");
    const minutes = new Set<number>();
    for (let count = 0; count < 2_000; count += 1) {
      const claim = ids.uuid();
      const first = nextHourlyPoll(claim, new Date("2026-11-23T10:00:00Z"));
      const last = nextHourlyPoll(claim, new Date("2026-11-24T02:34:59Z"));
      expect(first >= new Date("2026-11-23T11:00:00Z") && first < new Date("2026-11-23T12:00:00Z")).toBe(true);
      expect(last >= new Date("2026-11-24T02:35:00Z") && last < new Date("2026-11-24T02:55:00Z")).toBe(true);
      minutes.add(first.getUTCMinutes());
    }
    expect(minutes.size).toBe(60);
  });

  it.each([
    [hourly("2026-11-24T11:00:00Z"), hourly("2026-11-24T11:00:00Z")],
    [new Date(hourly("2026-11-24T15:00:00Z").getTime() + 1), hourly("2026-11-24T16:00:00Z")],
    [lastOf("2026-11-23"), lastOf("2026-11-23")],
    [new Date("2026-11-24T02:55:00Z"), hourly("2026-11-24T11:00:00Z")],
  ])("after news at %s is polled at %s", (news, heard) => expect(firstPollFrom(id, news)).toEqual(heard));

  it("is polled on the day of the news, unless it comes after that day's last poll", () => {
    fc.assert(
      fc.property(fc.uuid(), fc.integer({ min: 0, max: 59 * 24 * 60 }), (claim, minutes) => {
        const approvedAt = new Date(filedAt.getTime() + minutes * MINUTE_MS);
        const heardAt = firstPollFrom(claim, approvedAt);
        const isSameDay = santiagoDay(heardAt) === santiagoDay(approvedAt);
        expect(isSameDay || approvedAt > santiagoMoment(santiagoDay(approvedAt), 23, 35)).toBe(true);
        expect(heardAt.getTime() - approvedAt.getTime()).toBeLessThan(9.5 * HOUR_MS);
      }),
    );
  });

  it("is not polled after the insurer has decided", () => {
    expect(judge("approved", hours(20))).toEqual({ trigger: "approve", blockedSince: null, nextPollAt: null });
    expect(judge("rejected", hours(20))).toEqual({ trigger: "reject", blockedSince: null, nextPollAt: null });
  });

  it("is polled once a day after the usual answer time, and no longer after a year", () => {
    const last = lastOf(santiagoDay(hours(60 * 24)));
    expect(judge("waiting", hours(60 * 24)).nextPollAt).toEqual(last);
    expect(judge("waiting", last).nextPollAt).toEqual(new Date(last.getTime() + 24 * HOUR_MS));
    expect(judge("waiting", hours(365 * 24)).nextPollAt).toBeNull();
  });

  it("restarts the count of blocked access after a pause without permission, but not after a portal outage", () => {
    const access = { id, filedAt, blockedSince: hours(48), unfollowedAt: hours(72) };
    expect(classifyAnswer(access, "access_blocked", hours(300)).blockedSince).toEqual(hours(300));
    expect(classifyAnswer(access, "portal_down", hours(300)).blockedSince).toEqual(hours(48));
    const since = { ...access, blockedSince: hours(300) };
    expect(classifyAnswer(since, "access_blocked", hours(304)).blockedSince).toEqual(hours(300));
  });

  it("counts blocked access from its first observation", () => {
    expect(judge("access_blocked", hours(48)).blockedSince).toEqual(hours(48));
    expect(judge("access_blocked", hours(52), hours(48)).blockedSince).toEqual(hours(48));
  });

  it("restarts the count when access worked in between", () => {
    expect(judge("waiting", hours(56), hours(48)).blockedSince).toBeNull();
  });

  it("ignores a block observed at the moment when permission to inquire ended", () => {
    expect(blockedCountedSince({ blockedSince: hours(48), unfollowedAt: hours(48) })).toBeNull();
    expect(blockedCountedSince({ blockedSince: hours(49), unfollowedAt: hours(48) })).toEqual(hours(49));
  });

  it("is polled at the moment when blocked access makes the rest due, and then by its schedule again", () => {
    const since = new Date("2026-11-24T05:10:00Z");
    const dueAt = new Date("2026-11-27T05:10:00Z");
    expect(judge("access_blocked", lastOf("2026-11-26"), since).nextPollAt).toEqual(dueAt);
    expect(judge("access_blocked", dueAt, since).nextPollAt).toEqual(hourly("2026-11-27T11:00:00Z"));
  });

  it("is checked daily while the service may not inquire, until insurers no longer answer", () => {
    expect(unfollowedSyncAt(filedAt, hours(10))).toEqual(hours(34));
    expect(unfollowedSyncAt(filedAt, new Date(hours(365 * 24).getTime() - 1))).not.toBeNull();
    expect(unfollowedSyncAt(filedAt, hours(365 * 24))).toBeNull();
  });

  it("keeps its count of blocked access when the portal is down or silent", () => {
    expect(judge("portal_down", hours(56)).blockedSince).toBeNull();
    expect(judge("portal_down", hours(56), hours(48)).blockedSince).toEqual(hours(48));
    expect(judge("unknown", hours(56), hours(48)).blockedSince).toEqual(hours(48));
  });
});

test("access that stays blocked is observed exactly 72 hours after the first time, whatever the portal does", () => {
  const silence = fc.constantFrom<ClaimAnswer>("access_blocked", "portal_down", "unknown");
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 500 }),
      fc.array(silence, { minLength: 80, maxLength: 100 }),
      (first, answers) => {
        const since = hours(first);
        let [now, blockedSince] = [since, judge("access_blocked", since).blockedSince];
        // Three days have fewer polls than there are answers, so the moment is always reached.
        for (const answer of answers) {
          const news = judge(answer, now, blockedSince);
          if (news.nextPollAt === null || blockedSince === null) throw new Error("A blocked claim must be polled.");
          const isPast = isBlockedLongEnough(since, now);
          if (!isPast && isBlockedLongEnough(since, news.nextPollAt)) {
            expect(news.nextPollAt.getTime() - since.getTime()).toBe(72 * 3_600_000);
            return;
          }
          [now, blockedSince] = [news.nextPollAt, news.blockedSince];
        }
        throw new Error("The 72 hours were never observed.");
      },
    ),
  );
});
