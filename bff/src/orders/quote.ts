import { createHash } from "node:crypto";
import type { AmountQuote, Quote } from "../contract/quote.ts";
import { ACCESS_BLOCKED_DAYS, FIRST_PERCENTAGE, LATEST_COLLECTION_DAY } from "../contract/terms.ts";
import { addClp, type Clp, shareRoundedHalfUp, subtractClp, ZERO } from "../contract/vocabulary/clp.ts";
import type { CommissionTax } from "../contract/vocabulary/commission-tax.ts";
import type { LegalTextName } from "../contract/vocabulary/legal-text.ts";
import { addCalendarDays, type CalendarDay, calendarDaysBetween, santiagoDay } from "../platform/santiago-time.ts";

/** The input of a quote. */
export interface Offer {
  readonly total: Clp;
  readonly commissionBasisPoints: number;
  readonly commissionTax: Pick<CommissionTax, "regime">;
  readonly financingProvider: string;
  readonly annualCost: AnnualCostTerms;
  readonly now: Date;
}

/** The whole offer, in pesos, for an order paid now. The law requires it to be shown before the card step. */
export function quoteFor(offer: Offer): AmountQuote {
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
    commission_regime: offer.commissionTax.regime,
    later_charge: laterCharge,
    total_cost: addClp(offer.total, commission),
    annual_cost_percentage: annualCostPercentage({ lent: deferred, charged: laterCharge, days }, offer.annualCost),
    latest_due_date: latest,
    financing_provider: offer.financingProvider,
    triggers: { approval: true, access_blocked_days: ACCESS_BLOCKED_DAYS, latest_day: LATEST_COLLECTION_DAY },
  };
}

/**
 * The quote as shown, with the texts accepted with it, named by the hash of its whole content. A payment refers to this
 * hash.
 */
export function shownQuote(offer: Offer, texts: readonly LegalTextName[]): Quote {
  const quote = { ...quoteFor(offer), texts: texts.map(({ kind, version }) => ({ kind, version })) };
  return { ...quote, sha256: createHash("sha256").update(JSON.stringify(quote)).digest("hex") };
}

/** How the annual cost is computed. The law does not define it; this follows the way in which rates are published. */
export interface AnnualCostTerms {
  /** `linear`: the rate of the period times the periods in a year; `compound`: that rate, compounded. */
  readonly convention: "linear" | "compound";
  /** The number of days in a year. */
  readonly dayBase: 360 | 365;
}

/**
 * Annual cost (carga anual equivalente) of a loan repaid in one sum after some days, in percent with two decimals; 0 if
 * nothing is lent.
 */
export function annualCostPercentage(
  { lent, charged, days }: { readonly lent: Clp; readonly charged: Clp; readonly days: number },
  { convention, dayBase }: AnnualCostTerms,
): number {
  if (lent === 0) return 0;
  const periods = dayBase / days;
  const yearly = convention === "linear" ? (charged / lent - 1) * periods : (charged / lent) ** periods - 1;
  return Math.round(yearly * 10_000) / 100;
}

interface Split {
  readonly first: Clp;
  readonly deferred: Clp;
}

/** Splits a total into two parts that always sum to it: `first = floor((30·total + 50) / 100)`. */
export function splitTotal(total: Clp): Split {
  const first = shareRoundedHalfUp(total, FIRST_PERCENTAGE * 100);
  return { first, deferred: subtractClp(total, first) };
}

/** The commission, VAT included, on what the patient owes after refunds. */
export function commissionOn(total: Clp, refunded: Clp, rateBasisPoints: number): Clp {
  return shareRoundedHalfUp(subtractClp(total, refunded), rateBasisPoints);
}

/** The latest day on which the deferred part is collected if the order is paid at `paidAt`. */
export function latestDueDate(paidAt: Date): CalendarDay {
  return addCalendarDays(santiagoDay(paidAt), LATEST_COLLECTION_DAY);
}
