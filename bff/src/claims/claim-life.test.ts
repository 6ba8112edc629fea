import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { isBlockedLongEnough } from "../collection/collection.ts";
import { santiagoDay, santiagoMoment } from "../platform/santiago-time.ts";
import {
  blockedCountedSince,
  type ClaimAnswer,
  firstPollFrom,
  judgeAnswer,
  nextHourlyPoll,
  unfollowedSyncAt,
} from "./claim-life.ts";

const filedAt = new Date("2026-11-21T15:00:00Z");
const hours = (count: number) => new Date(filedAt.getTime() + count * 3_600_000);
const judge = (answer: ClaimAnswer, now: Date, blockedSince: Date | null = null) =>
  judgeAnswer({ filedAt, blockedSince, unfollowedAt: null }, answer, now);
const NEVER_BLOCKED = { blockedSince: null, unfollowedAt: null };

describe("what the insurer says of a filed claim", () => {
  it.each([
    ["in an hour", "2026-11-23T15:20:00Z", "2026-11-23T16:20:00Z"],
    ["in the evening once more before the day ends", "2026-11-24T01:45:00Z", "2026-11-24T02:30:00Z"],
    ["after the last time in the morning", "2026-11-24T02:30:00Z", "2026-11-24T11:00:00Z"],
    ["at night in the morning", "2026-11-24T04:00:00Z", "2026-11-24T11:00:00Z"],
    ["in winter by winter's clock", "2027-07-02T03:00:00Z", "2027-07-02T03:30:00Z"],
  ])("is asked for hourly from 08:00 and last at 23:30 in Santiago: %s", (_, now, next) => {
    expect(nextHourlyPoll(new Date(now))).toEqual(new Date(next));
    for (const answer of ["waiting", "portal_down", "unknown"] as const)
      expect(judgeAnswer({ ...NEVER_BLOCKED, filedAt: new Date(now) }, answer, new Date(now)).nextPollAt).toEqual(
        new Date(next),
      );
  });

  it.each([
    ["2026-11-24T11:00:00Z", "2026-11-24T11:00:00Z"],
    ["2026-11-24T15:20:00Z", "2026-11-24T16:00:00Z"],
    ["2026-11-24T02:10:00Z", "2026-11-24T02:30:00Z"],
    ["2026-11-24T02:31:00Z", "2026-11-24T11:00:00Z"],
    ["2026-11-24T04:00:00Z", "2026-11-24T11:00:00Z"],
  ])("that comes at %s is heard at %s", (news, heard) =>
    expect(firstPollFrom(new Date(news))).toEqual(new Date(heard)),
  );

  it("is asked for after all that may be approved on a day's working hours, on that day", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 59 * 24 * 60 }), (minutes) => {
        const approvedAt = new Date(filedAt.getTime() + minutes * 60_000);
        const next = nextHourlyPoll(new Date(approvedAt.getTime() - 1));
        const isBeforeLastPoll = next <= santiagoMoment(santiagoDay(approvedAt), 23, 30);
        expect(isBeforeLastPoll || approvedAt > santiagoMoment(santiagoDay(approvedAt), 23, 30)).toBe(true);
      }),
    );
  });

  it("is asked for no more once it has decided", () => {
    expect(judge("approved", hours(20))).toEqual({ trigger: "approve", blockedSince: null, nextPollAt: null });
    expect(judge("rejected", hours(20))).toEqual({ trigger: "reject", blockedSince: null, nextPollAt: null });
  });

  it("is asked for once a day after the usual time, and not for ever", () => {
    const last = santiagoMoment(santiagoDay(hours(60 * 24)), 23, 30);
    expect(judge("waiting", hours(60 * 24)).nextPollAt).toEqual(last);
    expect(judge("waiting", last).nextPollAt).toEqual(new Date(last.getTime() + 24 * 3_600_000));
    expect(judge("waiting", hours(365 * 24)).nextPollAt).toBeNull();
  });

  it("counts blocked access anew after nobody could ask, and a portal that is down tells nothing of that either", () => {
    const access = { filedAt, blockedSince: hours(48), unfollowedAt: hours(72) };
    expect(judgeAnswer(access, "access_blocked", hours(300)).blockedSince).toEqual(hours(300));
    expect(judgeAnswer(access, "portal_down", hours(300)).blockedSince).toEqual(hours(48));
    const since = { ...access, blockedSince: hours(300) };
    expect(judgeAnswer(since, "access_blocked", hours(304)).blockedSince).toEqual(hours(300));
  });

  it("counts blocked access from its first observation", () => {
    expect(judge("access_blocked", hours(48)).blockedSince).toEqual(hours(48));
    expect(judge("access_blocked", hours(52), hours(48)).blockedSince).toEqual(hours(48));
  });

  it("begins to count anew when the access was regained in between", () => {
    expect(judge("waiting", hours(56), hours(48)).blockedSince).toBeNull();
  });

  it("does not count what was seen blocked in the very moment in which nobody could ask any more", () => {
    expect(blockedCountedSince({ blockedSince: hours(48), unfollowedAt: hours(48) })).toBeNull();
    expect(blockedCountedSince({ blockedSince: hours(49), unfollowedAt: hours(48) })).toEqual(hours(49));
  });

  it("is asked at the moment at which blocked access makes the rest due, and by its rhythm after it", () => {
    const since = new Date("2026-11-24T05:10:00Z");
    const dueAt = new Date("2026-11-27T05:10:00Z");
    const lastEvening = new Date("2026-11-27T02:30:00Z");
    expect(judge("access_blocked", lastEvening, since).nextPollAt).toEqual(dueAt);
    expect(judge("access_blocked", dueAt, since).nextPollAt).toEqual(new Date("2026-11-27T11:00:00Z"));
  });

  it("is looked at each day while nobody may ask, until insurers do not answer any more", () => {
    expect(unfollowedSyncAt(filedAt, hours(10))).toEqual(hours(34));
    expect(unfollowedSyncAt(filedAt, new Date(hours(365 * 24).getTime() - 1))).not.toBeNull();
    expect(unfollowedSyncAt(filedAt, hours(365 * 24))).toBeNull();
  });

  it("takes a portal that is down, or silent, for neither", () => {
    expect(judge("portal_down", hours(56)).blockedSince).toBeNull();
    expect(judge("portal_down", hours(56), hours(48)).blockedSince).toEqual(hours(48));
    expect(judge("unknown", hours(56), hours(48)).blockedSince).toEqual(hours(48));
  });
});

test("access that stays blocked is observed exactly 72 hours after it was first seen, whatever the portal does meanwhile", () => {
  const silence = fc.constantFrom<ClaimAnswer>("access_blocked", "portal_down", "unknown");
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 500 }),
      fc.array(silence, { minLength: 80, maxLength: 100 }),
      (first, answers) => {
        const since = hours(first);
        let [now, blockedSince] = [since, judge("access_blocked", since).blockedSince];
        // Three days of polls are fewer than the answers, so that the moment is always reached.
        for (const answer of answers) {
          const news = judge(answer, now, blockedSince);
          if (news.nextPollAt === null || blockedSince === null)
            throw new Error("It is asked about while it is blocked.");
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
