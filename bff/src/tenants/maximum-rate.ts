import { DEFERRED_PERCENTAGE, LATEST_COLLECTION_DAY } from "../contract/terms.ts";
import { recordAudit } from "../platform/audit-store.ts";
import type { ReadColumn } from "../platform/database/read-column.ts";
import { inTransaction, type Transaction } from "../platform/database/transaction.ts";
import type { Provider } from "../platform/provider.ts";
import { santiagoDay } from "../platform/santiago-time.ts";
import {
  bindingRateColumn,
  type MaximumRate,
  type ProviderAbove,
  selectMaximumRate,
  selectProvidersAbove,
  writeLegalBasis,
  writeMaximumRate,
} from "./maximum-rate-store.ts";
import type { ProviderOperations } from "./providers.ts";

/** Thrown when the yearly rate of a commission exceeds the legal maximum without a recorded legal basis. */
export class CommissionAboveMaximumRate extends Error {
  override readonly name = "CommissionAboveMaximumRate";
  readonly code = "commission_above_maximum_rate";

  /** `yearlyRate` in percent. */
  constructor(yearlyRate: number, { basisPoints, source, since }: MaximumRate) {
    super(
      `The commission is ${yearlyRate} % a year for ${LATEST_COLLECTION_DAY} days, and the maximum is ${basisPoints / 100} % since ${since} (${source}). Lower it, or record its legal basis (--legal-basis).`,
    );
  }
}

/**
 * The yearly rate of a commission, in percent with two decimals. It is linear, as Chilean rates are: the commission's
 * share of the amount lent, for the days until the latest charge.
 */
export function yearlyRateOf(commissionBasisPoints: number): number {
  const ofLoan = commissionBasisPoints / DEFERRED_PERCENTAGE;
  return Math.round(((ofLoan * 365) / LATEST_COLLECTION_DAY) * 100) / 100;
}

/**
 * Stores the legal basis of a provider's commission. Throws `CommissionAboveMaximumRate` unless it is within today's
 * maximum rate or has a legal basis.
 */
export async function agreeOnCommission(
  tx: Transaction,
  agreed: {
    readonly provider: Pick<Provider, "id" | "environment" | "settings">;
    readonly legalBasis: string | null;
    readonly at: Date;
  },
): Promise<void> {
  const { provider, legalBasis, at } = agreed;
  const { commissionBasisPoints } = provider.settings;
  const { environment } = provider;
  await writeLegalBasis(tx, provider.id, legalBasis);
  const maximum = await selectMaximumRate(tx, { environment, day: santiagoDay(at) });
  if (maximum === null || legalBasis !== null || isWithinRate(commissionBasisPoints, maximum.basisPoints)) return;
  throw new CommissionAboveMaximumRate(yearlyRateOf(commissionBasisPoints), maximum);
}

/** Whether a commission's yearly rate is within a maximum rate; both in basis points. */
export function isWithinRate(commissionBasisPoints: number, maximumBasisPoints: number): boolean {
  return Math.round(yearlyRateOf(commissionBasisPoints) * 100) <= maximumBasisPoints;
}

/**
 * The maximum rate that applies to the caller's commission now, in basis points, as a column of the statement that
 * admits a request; null if none applies.
 */
export function namedBindingRate(realNow: Date): ReadColumn<number> {
  return bindingRateColumn(realNow);
}

/**
 * Sets the maximum yearly rate that the law allows from a given day, and where it was published. Returns the
 * providers above it without a legal basis, whose new orders are refused from that day.
 */
export async function setMaximumRate(
  { db, clock, ids, environment, actor }: Pick<ProviderOperations, "db" | "clock" | "ids" | "environment" | "actor">,
  rate: MaximumRate,
): Promise<ProviderAbove[]> {
  const at = clock.now();
  return inTransaction(db, async (tx) => {
    const id = ids.uuid();
    await writeMaximumRate(tx, { id, environment, rate, at });
    await recordAudit(tx, {
      id: ids.uuid(),
      providerId: null,
      actor: actor ?? "service",
      credentialId: null,
      act: "legal.maximum_rate_set",
      subject: { kind: "environment", id: environment },
      details: { basis_points: rate.basisPoints, source: rate.source, since: rate.since },
      at,
    });
    return selectProvidersAbove(tx, { environment, basisPoints: rate.basisPoints });
  });
}
