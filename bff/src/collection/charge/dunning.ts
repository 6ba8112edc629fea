import type { DeclineReason } from "../../contract/errors.ts";
import {
  ASKED_CHARGES_PER_DAY_MAX,
  ASKED_CHARGES_PER_THIRTY_DAYS_MAX,
  CHARGE_FROM_HOUR,
  CHARGE_TRIES_MAX,
  CHARGE_TRIES_WINDOW_DAYS,
  CHARGE_TRY_DISTANCE_HOURS,
  LATER_CHARGE_TRIES_AFTER_DAYS,
} from "../../contract/terms.ts";
import { DAY_MS, HOUR_MS } from "../../contract/vocabulary/durations.ts";
import { addCalendarDays, santiagoDay, santiagoMoment } from "../../platform/santiago-time.ts";
import { chargeMoment, type DeclinedTry, type DunningFacts } from "../collection.ts";

/**
 * When a declined charge is retried. The limits are far below those of the card brands. A try is a charge by mandate:
 * the patient is promised at most four with one card, including those of an operator. A charge that the patient
 * requests delays the next try and has separate limits, because the card brands count it too. A card with a hard
 * decline is never charged again, by mandate or on request.
 */

const WINDOW_MS = CHARGE_TRIES_WINDOW_DAYS * DAY_MS;

export type NextTry =
  | { readonly outcome: "try"; readonly at: Date }
  | { readonly outcome: "give_up"; readonly reason: "mandate_revoked" | "hard_decline" | "tries_exhausted" };

/** When to retry, never before `earliest`. A result equal to `earliest` means now. */
export function nextTry(facts: DunningFacts, earliest: Date): NextTry {
  const { declined, cardId, isRevoked, seriesFrom } = facts;
  if (isRevoked) return { outcome: "give_up", reason: "mandate_revoked" };
  if (hardDecline(declined, cardId) !== undefined) return { outcome: "give_up", reason: "hard_decline" };
  const byMandate = declined.filter(({ initiator }) => initiator === "merchant");
  if (triesOfCard(facts) >= CHARGE_TRIES_MAX) return { outcome: "give_up", reason: "tries_exhausted" };
  const series = byMandate.filter(({ at }) => seriesFrom === null || at >= seriesFrom);
  const first = series[0]?.at ?? null;
  const wanted = first === null ? earliest : laterOf(earliest, plannedAt(first, series.length));
  const at = chargeMoment(
    laterOf(wanted, distanceFrom(declined), windowAfter(byMandate, CHARGE_TRIES_MAX, CHARGE_TRIES_WINDOW_DAYS)),
  );
  const isTooLate = first !== null && at.getTime() - first.getTime() >= WINDOW_MS;
  return isTooLate ? { outcome: "give_up", reason: "tries_exhausted" } : { outcome: "try", at };
}

/** True if even an operator cannot have the card charged by mandate again. */
export function isNeverTriedAgain(facts: DunningFacts): boolean {
  const { declined, cardId, isRevoked } = facts;
  return isRevoked || hardDecline(declined, cardId) !== undefined || triesOfCard(facts) >= CHARGE_TRIES_MAX;
}

/** The number of tries by the mandate that the patient gave with this card. */
function triesOfCard({ declined, cardId, givenAt }: DunningFacts): number {
  const ofCard = declined.filter((tried) => tried.initiator === "merchant" && tried.cardId === cardId);
  return ofCard.filter(({ at }) => givenAt === null || at >= givenAt).length;
}

export type RequestedCharge =
  | { readonly outcome: "charge" }
  /** The card will never work again; `reason` is the issuer's. */
  | { readonly outcome: "hard_decline"; readonly reason: DeclineReason }
  /** Too many charges were declined; none is made before `until`. */
  | { readonly outcome: "wait"; readonly until: Date };

/** Whether a charge that the patient requests at this moment is allowed. */
export function requestedCharge(
  { declined, cardId }: Pick<DunningFacts, "declined" | "cardId">,
  at: Date,
): RequestedCharge {
  const hard = hardDecline(declined, cardId);
  if (hard !== undefined) return { outcome: "hard_decline", reason: hard.reason ?? "declined" };
  const requested = declined.filter(({ initiator }) => initiator === "patient");
  const until = laterOf(
    windowAfter(requested, ASKED_CHARGES_PER_DAY_MAX, 1),
    windowAfter(requested, ASKED_CHARGES_PER_THIRTY_DAYS_MAX, 30),
  );
  return until > at ? { outcome: "wait", until } : { outcome: "charge" };
}

function hardDecline(declined: readonly DeclinedTry[], cardId: string): DeclinedTry | undefined {
  return declined.find((tried) => tried.hard && tried.cardId === cardId);
}

/** The planned time of the next try after `tries` tries. */
function plannedAt(first: Date, tries: number): Date {
  const days = LATER_CHARGE_TRIES_AFTER_DAYS[tries - 1] ?? CHARGE_TRIES_WINDOW_DAYS;
  return santiagoMoment(addCalendarDays(santiagoDay(first), days), CHARGE_FROM_HOUR);
}

/** Two charges are at least 24 hours apart, by request or by mandate. */
function distanceFrom(declined: readonly DeclinedTry[]): Date {
  const last = declined.at(-1);
  return last === undefined ? BEGINNING : new Date(last.at.getTime() + CHARGE_TRY_DISTANCE_HOURS * HOUR_MS);
}

/** The earliest time of another try that keeps at most `triesMax` in any period of `days` days. */
function windowAfter(tries: readonly DeclinedTry[], triesMax: number, days: number): Date {
  const oldest = tries.at(-triesMax);
  return oldest === undefined ? BEGINNING : new Date(oldest.at.getTime() + days * DAY_MS);
}

const BEGINNING = new Date(0);

function laterOf(...moments: readonly Date[]): Date {
  return new Date(Math.max(...moments.map((moment) => moment.getTime())));
}
