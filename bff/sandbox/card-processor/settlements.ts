import { addClp, type Clp, clp, shareRoundedHalfUp, subtractClp, ZERO } from "../../src/contract/vocabulary/clp.ts";
import type { ProcessorMovement, Settlement, SettlementLine } from "../../src/gateways/card-processor.ts";
import { idFor } from "../../src/platform/ids.ts";
import { addCalendarDays, type CalendarDay, santiagoDay, santiagoMoment } from "../../src/platform/santiago-time.ts";

/** The sandbox processor's fee for each charge, and the VAT on it, in basis points. None of it is returned. */
const FEE_BASIS_POINTS = 149;
const VAT_BASIS_POINTS = 1_900;

/** The movements of a day are settled at this hour of the next day, in Santiago. */
const SETTLING_HOUR = 9;

/** The first moment of the movements that can be in settlements paid at `from` or later. */
export function firstMovementOf(from: Date): Date {
  return santiagoMoment(addCalendarDays(santiagoDay(from), -1));
}

/** One settlement for each day that has movements. */
export function settlementsOf(providerId: string, movements: readonly ProcessorMovement[]): Settlement[] {
  const days = [...new Set(movements.map(({ at }) => santiagoDay(at)))];
  return days.map((day) => {
    const ofDay = movements.filter(({ at }) => santiagoDay(at) === day);
    return settlementOf(providerId, day, ofDay.map(lineOf));
  });
}

function settlementOf(providerId: string, day: CalendarDay, lines: readonly SettlementLine[]): Settlement {
  return {
    id: idFor(`settlement:${providerId}:${day}`),
    amount: addClp(...lines.map(paidIn)),
    lines,
    at: santiagoMoment(addCalendarDays(day, 1), SETTLING_HOUR),
  };
}

function lineOf({ id, kind, idempotencyKey, orderHash, amount }: ProcessorMovement): SettlementLine {
  const fee = kind === "charge" ? shareRoundedHalfUp(amount, FEE_BASIS_POINTS) : ZERO;
  const feeVat = shareRoundedHalfUp(fee, VAT_BASIS_POINTS);
  return { id, kind, idempotencyKey: kind === "chargeback" ? null : idempotencyKey, orderHash, amount, fee, feeVat };
}

function paidIn({ kind, amount, fee, feeVat }: SettlementLine): Clp {
  const gross = kind === "charge" ? amount : subtractClp(ZERO, amount);
  return clp(gross - fee - feeVat);
}
