import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { isBlockedLongEnough } from "../collection/collection.ts";
import { type ClaimAnswer, judgeAnswer, POLL_MS } from "./claim-life.ts";

const filedAt = new Date("2026-11-21T15:00:00Z");
const hours = (count: number) => new Date(filedAt.getTime() + count * 3_600_000);
const judge = (answer: ClaimAnswer, now: Date, blockedSince: Date | null = null) =>
  judgeAnswer({ filedAt, blockedSince, unfollowedAt: null }, answer, now);

describe("what the insurer says of a filed claim", () => {
  it("is asked for every four hours, so also at every full day since the filing", () => {
    expect(judge("waiting", hours(20)).nextPollAt).toEqual(hours(24));
    expect((24 * 3_600_000) % POLL_MS).toBe(0);
  });

  it("is asked for no more once it has decided", () => {
    expect(judge("approved", hours(20))).toEqual({ trigger: "approve", blockedSince: null, nextPollAt: null });
    expect(judge("rejected", hours(20))).toEqual({ trigger: "reject", blockedSince: null, nextPollAt: null });
  });

  it("is asked for once a day after the usual time, and not for ever", () => {
    expect(judge("waiting", hours(60 * 24)).nextPollAt).toEqual(hours(61 * 24));
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

  it("takes a portal that is down, or silent, for neither", () => {
    expect(judge("portal_down", hours(56)).blockedSince).toBeNull();
    expect(judge("portal_down", hours(56), hours(48)).blockedSince).toEqual(hours(48));
    expect(judge("unknown", hours(56), hours(48)).blockedSince).toEqual(hours(48));
  });
});

test("access that stays blocked is observed exactly 72 hours after it was first seen, whatever the portal does meanwhile", () => {
  const silence = fc.constantFrom<ClaimAnswer>("access_blocked", "portal_down", "unknown");
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 500 }), fc.array(silence, { maxLength: 100 }), (first, answers) => {
      const since = hours(first);
      let [now, blockedSince] = [since, judge("access_blocked", since).blockedSince];
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
    }),
  );
});
