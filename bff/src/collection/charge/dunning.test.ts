import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  ASKED_CHARGES_PER_DAY_MAX,
  ASKED_CHARGES_PER_THIRTY_DAYS_MAX,
  CHARGE_TRIES_MAX,
} from "../../contract/terms.ts";
import { santiagoDay, santiagoMoment } from "../../platform/santiago-time.ts";
import type { DeclinedTry } from "../collection.ts";
import { isNeverTriedAgain, nextTry, requestedCharge } from "./dunning.ts";

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

function declined(at: string, overrides: Partial<DeclinedTry> = {}): DeclinedTry {
  return { at: new Date(at), initiator: "merchant", cardId: "card", hard: false, reason: "declined", ...overrides };
}

/** The times at which a card that always declines is charged if every try runs as early as allowed. */
function triesFrom(first: string): string[] {
  const tries: DeclinedTry[] = [];
  for (let now = new Date(first); ; ) {
    const next = nextTry({ declined: tries, cardId: "card", givenAt: null, isRevoked: false, seriesFrom: null }, now);
    if (next.outcome === "give_up") return tries.map(({ at }) => at.toISOString());
    now = next.at;
    tries.push({ at: now, initiator: "merchant", cardId: "card", hard: false, reason: "declined" });
  }
}

describe("retries of a declined charge", () => {
  test("come after 2, 5 and 9 days at 09:00, four tries in all", () =>
    expect(triesFrom("2026-11-21T12:00:00Z")).toEqual([
      "2026-11-21T12:00:00.000Z",
      "2026-11-23T12:00:00.000Z",
      "2026-11-26T12:00:00.000Z",
      "2026-11-30T12:00:00.000Z",
    ]));

  test("follow Santiago time across the end of summer time", () =>
    expect(triesFrom("2026-04-03T20:00:00Z")).toEqual([
      "2026-04-03T20:00:00.000Z",
      "2026-04-05T13:00:00.000Z",
      "2026-04-08T13:00:00.000Z",
      "2026-04-12T13:00:00.000Z",
    ]));

  test("stop after a hard decline, except with another card", () => {
    const stolen = [declined("2026-11-21T12:00:00Z", { hard: true })];
    const now = new Date("2026-11-23T12:00:00Z");
    expect(
      nextTry({ declined: stolen, cardId: "card", givenAt: null, isRevoked: false, seriesFrom: null }, now),
    ).toEqual({
      outcome: "give_up",
      reason: "hard_decline",
    });
    expect(
      nextTry({ declined: stolen, cardId: "another", givenAt: now, isRevoked: false, seriesFrom: now }, now),
    ).toEqual({
      outcome: "try",
      at: now,
    });
  });

  test("stop for a card whose mandate was revoked, in every state", () => {
    const facts = {
      declined: [declined("2026-11-21T12:00:00Z")],
      cardId: "card",
      givenAt: null,
      isRevoked: true,
      seriesFrom: null,
    };
    expect(nextTry(facts, new Date("2026-11-23T12:00:00Z"))).toEqual({ outcome: "give_up", reason: "mandate_revoked" });
  });

  test("come at least 24 hours after a charge that the patient requested", () => {
    const asked = [declined("2026-11-21T20:00:00Z", { initiator: "patient" })];
    expect(
      nextTry(
        { declined: asked, cardId: "card", givenAt: null, isRevoked: false, seriesFrom: null },
        new Date("2026-11-22T12:00:00Z"),
      ),
    ).toEqual({
      outcome: "try",
      at: new Date("2026-11-22T20:00:00Z"),
    });
  });

  test("stop after ten days, even if fewer tries were made", () => {
    const late = [declined("2026-11-21T12:00:00Z"), declined("2026-11-30T20:00:00Z")];
    expect(
      nextTry(
        { declined: late, cardId: "card", givenAt: null, isRevoked: false, seriesFrom: null },
        new Date("2026-11-30T20:00:00Z"),
      ),
    ).toEqual({
      outcome: "give_up",
      reason: "tries_exhausted",
    });
  });

  test("stop at the exact end of the ten days", () => {
    const declinedTries = [declined("2026-11-21T12:00:00Z"), declined("2026-11-30T12:00:00Z")];
    const facts = { declined: declinedTries, cardId: "card", givenAt: null, isRevoked: false, seriesFrom: null };
    expect(nextTry(facts, new Date("2026-12-01T11:59:59Z"))).toEqual({ outcome: "give_up", reason: "tries_exhausted" });
    const earlier = { ...facts, declined: [declined("2026-11-21T12:00:01Z"), declined("2026-11-30T12:00:00Z")] };
    expect(nextTry(earlier, new Date("2026-12-01T12:00:00Z"))).toMatchObject({ outcome: "try" });
  });

  test("start over with another card, but earlier tries count towards the limits", () => {
    const first = new Date("2026-11-24T12:00:00Z");
    const before = ["12", "14", "17"].map((day) => declined(`2026-11-${day}T12:00:00Z`, { cardId: "lost" }));
    const facts = { cardId: "card", givenAt: first, isRevoked: false, seriesFrom: first };
    expect(nextTry({ ...facts, declined: before }, first)).toEqual({ outcome: "try", at: first });
    const after = [...before, declined("2026-11-24T12:00:00Z")];
    expect(nextTry({ ...facts, declined: after }, new Date("2026-11-24T13:00:00Z"))).toEqual({
      outcome: "try",
      at: new Date("2026-11-26T12:00:00Z"),
    });
  });

  test("are limited to four tries with one card, however often the series is restarted", () => {
    const four = ["12", "14", "17", "21"].map((day) => declined(`2026-11-${day}T12:00:00Z`));
    const later = new Date("2026-12-20T12:00:00Z");
    const facts = { cardId: "card", givenAt: null, isRevoked: false, seriesFrom: later };
    const exhausted = { outcome: "give_up", reason: "tries_exhausted" };
    expect(nextTry({ ...facts, declined: four }, later)).toEqual(exhausted);
    expect(nextTry({ ...facts, declined: four.slice(1) }, later)).toEqual({ outcome: "try", at: later });
    const given = { ...facts, givenAt: new Date("2026-12-19T12:00:00Z") };
    expect(nextTry({ ...given, declined: four }, later)).toEqual({ outcome: "try", at: later });
    expect([isNeverTriedAgain({ ...facts, declined: four }), isNeverTriedAgain({ ...given, declined: four })]).toEqual([
      true,
      false,
    ]);
  });

  test("come at once when a day has passed since the first of three charges by the patient", () => {
    const asked = ["12:00:00Z", "13:00:00Z", "14:00:00Z"].map((time) =>
      declined(`2026-11-21T${time}`, { initiator: "patient" }),
    );
    const dayAfter = Date.parse("2026-11-22T12:00:00Z");
    expect(requestedCharge({ declined: asked, cardId: "card" }, new Date(dayAfter - 1)).outcome).toBe("wait");
    expect(requestedCharge({ declined: asked, cardId: "card" }, new Date(dayAfter))).toEqual({ outcome: "charge" });
  });

  test("allow the patient three charges a day and ten in thirty days, and none with an unusable card", () => {
    const tries: DeclinedTry[] = [];
    const pressed: string[] = [];
    // A patient who requests a charge every hour for two months.
    for (let hour = 0; hour < 60 * 24; hour += 1) {
      const now = new Date(Date.parse("2026-11-21T12:00:00Z") + hour * HOUR_MS);
      if (requestedCharge({ declined: tries, cardId: "card" }, now).outcome !== "charge") continue;
      tries.push(declined(now.toISOString(), { initiator: "patient" }));
      pressed.push(`day ${Math.floor(hour / 24)}`);
    }
    const month = ["0", "0", "0", "1", "1", "1", "2", "2", "2", "3"].map((day) => `day ${day}`);
    expect(pressed.slice(0, 10)).toEqual(month);
    expect(pressed[10]).toBe("day 30");
    const last = new Date(tries.at(-1)?.at ?? 0);
    expect(requestedCharge({ declined: tries.slice(0, 3), cardId: "card" }, tries[2]?.at ?? last)).toEqual({
      outcome: "wait",
      until: new Date("2026-11-22T12:00:00Z"),
    });
    const stolen = declined("2026-11-21T12:00:00Z", { hard: true, reason: "card_lost_or_stolen" });
    expect(requestedCharge({ declined: [stolen], cardId: "card" }, last)).toEqual({
      outcome: "hard_decline",
      reason: "card_lost_or_stolen",
    });
    expect(requestedCharge({ declined: [stolen], cardId: "another" }, last)).toEqual({ outcome: "charge" });
  });

  test("stay within the limits, whatever happens to cards and workers in between", () => {
    const step = fc.record({
      laterHours: fc.integer({ min: 0, max: 400 }),
      changesCard: fc.boolean(),
      asksHimself: fc.boolean(),
      hard: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25, size: "max" }), (steps) => {
        const tries: DeclinedTry[] = [];
        let [now, cards, seriesFrom] = [new Date("2026-03-20T12:00:00Z"), 0, null as Date | null];
        for (const { laterHours, changesCard, asksHimself, hard } of steps) {
          now = new Date(now.getTime() + laterHours * HOUR_MS);
          if (changesCard) [cards, seriesFrom] = [cards + 1, now];
          const cardId = `card ${cards}`;
          if (asksHimself && requestedCharge({ declined: tries, cardId }, now).outcome === "charge")
            tries.push({ at: now, initiator: "patient", cardId, reason: "declined", hard });
          const next = nextTry({ declined: tries, cardId, givenAt: seriesFrom, isRevoked: false, seriesFrom }, now);
          if (next.outcome === "give_up") continue;
          expect(next.at.getTime()).toBeGreaterThanOrEqual(now.getTime());
          now = next.at;
          tries.push({ at: now, initiator: "merchant", cardId, reason: "declined", hard });
        }
        expectWithinCaps(tries);
      }),
    );
  });
});

function expectWithinCaps(tries: readonly DeclinedTry[]): void {
  const asked = tries.filter(({ initiator }) => initiator === "patient");
  for (const tried of asked) {
    const within = (days: number) =>
      asked.filter(({ at }) => at <= tried.at && at.getTime() > tried.at.getTime() - days * DAY_MS).length;
    expect([within(1) <= ASKED_CHARGES_PER_DAY_MAX, within(30) <= ASKED_CHARGES_PER_THIRTY_DAYS_MAX]).toEqual([
      true,
      true,
    ]);
    const earlier = tries.slice(0, tries.indexOf(tried));
    expect(earlier.some(({ hard, cardId }) => hard && cardId === tried.cardId)).toBe(false);
  }
  const byMandate = tries.filter(({ initiator }) => initiator === "merchant");
  for (const tried of byMandate) {
    const earlier = tries.slice(0, tries.indexOf(tried));
    const sinceLast = tried.at.getTime() - (earlier.at(-1)?.at.getTime() ?? 0);
    expect(sinceLast).toBeGreaterThanOrEqual(DAY_MS);
    expect(earlier.some(({ hard, cardId }) => hard && cardId === tried.cardId)).toBe(false);
    expect(tried.at.getTime()).toBeGreaterThanOrEqual(santiagoMoment(santiagoDay(tried.at), 9).getTime());
    const inTenDays = byMandate.filter(({ at }) => at <= tried.at && at.getTime() > tried.at.getTime() - 10 * DAY_MS);
    expect(inTenDays.length).toBeLessThanOrEqual(CHARGE_TRIES_MAX);
  }
}
