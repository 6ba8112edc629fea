import { ACCESS_BLOCKED_DAYS, LATEST_COLLECTION_DAY } from "../../contract/terms.ts";
import { addClp, type Clp, ZERO } from "../../contract/vocabulary/clp.ts";
import type { Quote } from "../../contract/widget-tokens.ts";
import { calendarDaysBetween, santiagoDay } from "../../platform/santiago-time.ts";
import { commissionOn, latestDueDate, splitTotal } from "./instalment-plan.ts";

/**
 * The whole offer, in pesos, for an order that would be paid now, as the law requires it to be shown before the card
 * step.
 */
export function quoteFor(offer: {
  readonly total: Clp;
  readonly commissionBasisPoints: number;
  readonly financingProvider: string;
  readonly now: Date;
}): Quote {
  const { first, deferred } = splitTotal(offer.total);
  const commission = commissionOn(offer.total, ZERO, offer.commissionBasisPoints);
  const laterCharge = addClp(deferred, commission);
  const latest = latestDueDate(offer.now);
  const days = calendarDaysBetween(santiagoDay(offer.now), latest);
  return {
    total: offer.total,
    today: first,
    later: deferred,
    commission,
    commission_percentage: offer.commissionBasisPoints / 100,
    later_charge: laterCharge,
    total_cost: addClp(offer.total, commission),
    annual_cost_percentage: annualCostPercentage(deferred, laterCharge, days),
    latest_due_date: latest,
    financing_provider: offer.financingProvider,
    triggers: { approval: true, access_blocked_days: ACCESS_BLOCKED_DAYS, latest_day: LATEST_COLLECTION_DAY },
  };
}

/**
 * Annual cost (carga anual equivalente) of a loan repaid in one sum: the yearly rate, compounded daily over 365 days,
 * that discounts `charged` after `days` days to `lent` today. In percent with two decimals; 0 if nothing is lent.
 */
export function annualCostPercentage(lent: Clp, charged: Clp, days: number): number {
  if (lent === 0) return 0;
  const yearly = (charged / lent) ** (365 / days) - 1;
  return Math.round(yearly * 10_000) / 100;
}
