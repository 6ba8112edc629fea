import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { santiagoDay, santiagoMoment } from "../platform/santiago-time.ts";
import { type DeclinedTry, nextTry, TRIES_MAX } from "./dunning.ts";

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

function declined(at: string, overrides: Partial<DeclinedTry> = {}): DeclinedTry {
  return { at: new Date(at), initiator: "merchant", cardId: "card", hard: false, ...overrides };
}

/** The moments at which a card that is always declined is tried, when every try runs as soon as it may. */
function triesFrom(first: string): string[] {
  const tries: DeclinedTry[] = [];
  for (let now = new Date(first); ; ) {
    const next = nextTry({ declined: tries, cardId: "card", seriesFrom: null }, now);
    if (next.outcome === "give_up") return tries.map(({ at }) => at.toISOString());
    now = next.at;
    tries.push({ at: now, initiator: "merchant", cardId: "card", hard: false });
  }
}

describe("a declined charge is tried again", () => {
  test("four times in all, at 09:00 of days 0, 2, 5 and 9", () =>
    expect(triesFrom("2026-11-21T12:00:00Z")).toEqual([
      "2026-11-21T12:00:00.000Z",
      "2026-11-23T12:00:00.000Z",
      "2026-11-26T12:00:00.000Z",
      "2026-11-30T12:00:00.000Z",
    ]));

  test("by the clocks of Santiago, over the end of summer time", () =>
    expect(triesFrom("2026-04-03T20:00:00Z")).toEqual([
      "2026-04-03T20:00:00.000Z",
      "2026-04-05T13:00:00.000Z",
      "2026-04-08T13:00:00.000Z",
      "2026-04-12T13:00:00.000Z",
    ]));

  test("never after a hard decline, but with another card", () => {
    const stolen = [declined("2026-11-21T12:00:00Z", { hard: true })];
    const now = new Date("2026-11-23T12:00:00Z");
    expect(nextTry({ declined: stolen, cardId: "card", seriesFrom: null }, now)).toEqual({
      outcome: "give_up",
      reason: "hard_decline",
    });
    expect(nextTry({ declined: stolen, cardId: "another", seriesFrom: now }, now)).toEqual({ outcome: "try", at: now });
  });

  test("not within 24 hours of a charge that the patient asked for", () => {
    const asked = [declined("2026-11-21T20:00:00Z", { initiator: "patient" })];
    expect(nextTry({ declined: asked, cardId: "card", seriesFrom: null }, new Date("2026-11-22T12:00:00Z"))).toEqual({
      outcome: "try",
      at: new Date("2026-11-22T20:00:00Z"),
    });
  });

  test("no more when the ten days are over, even if fewer tries were made", () => {
    const late = [declined("2026-11-21T12:00:00Z"), declined("2026-11-30T20:00:00Z")];
    expect(nextTry({ declined: late, cardId: "card", seriesFrom: null }, new Date("2026-11-30T20:00:00Z"))).toEqual({
      outcome: "give_up",
      reason: "tries_exhausted",
    });
  });

  test("within the caps, whatever happens to cards and workers in between", () => {
    const step = fc.record({
      laterHours: fc.integer({ min: 0, max: 400 }),
      changesCard: fc.boolean(),
      asksHimself: fc.boolean(),
      hard: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
        const tries: DeclinedTry[] = [];
        let [now, cards, seriesFrom] = [new Date("2026-03-20T12:00:00Z"), 0, null as Date | null];
        for (const { laterHours, changesCard, asksHimself, hard } of steps) {
          now = new Date(now.getTime() + laterHours * HOUR_MS);
          if (changesCard) [cards, seriesFrom] = [cards + 1, now];
          const cardId = `card ${cards}`;
          if (asksHimself) tries.push({ at: now, initiator: "patient", cardId, hard });
          const next = nextTry({ declined: tries, cardId, seriesFrom }, now);
          if (next.outcome === "give_up") continue;
          expect(next.at.getTime()).toBeGreaterThanOrEqual(now.getTime());
          now = next.at;
          tries.push({ at: now, initiator: "merchant", cardId, hard });
        }
        expectWithinCaps(tries);
      }),
    );
  });
});

function expectWithinCaps(tries: readonly DeclinedTry[]): void {
  const byMandate = tries.filter(({ initiator }) => initiator === "merchant");
  for (const tried of byMandate) {
    const earlier = tries.slice(0, tries.indexOf(tried));
    const sinceLast = tried.at.getTime() - (earlier.at(-1)?.at.getTime() ?? 0);
    expect(sinceLast).toBeGreaterThanOrEqual(DAY_MS);
    expect(earlier.some(({ hard, cardId }) => hard && cardId === tried.cardId)).toBe(false);
    expect(tried.at.getTime()).toBeGreaterThanOrEqual(santiagoMoment(santiagoDay(tried.at), 9).getTime());
    const inTenDays = byMandate.filter(({ at }) => at <= tried.at && at.getTime() > tried.at.getTime() - 10 * DAY_MS);
    expect(inTenDays.length).toBeLessThanOrEqual(TRIES_MAX);
  }
}
