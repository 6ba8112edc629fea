import { type Clp, clp, ZERO } from "../contract/vocabulary/clp.ts";
import type { CommissionRegime } from "../contract/vocabulary/commission-tax.ts";
import { type CalendarDay, monthsBegun } from "../platform/santiago-time.ts";

/**
 * The operator's decision about the stamp tax on loans (impuesto de timbres y estampillas, DL 3.475, art. 1 no. 3). It
 * never changes what the patient pays: the tax is added to no charge.
 */
export type StampTaxTerms =
  /** The lender pays it, if it is due. */
  | { readonly borneBy: "lender" }
  /** A part of each commission that is interest. The lender pays it to the treasury, and the operator owes it to them. */
  | { readonly borneBy: "commission"; readonly monthlyPartsPerMillion: number }
  /** The loans are exempt. `exemption` is the legal basis, as the agreement names it. */
  | { readonly borneBy: "none"; readonly exemption: string };

/** The loan of one order. */
interface Taxed {
  readonly regime: CommissionRegime;
  readonly commission: Clp;
  readonly lent: Clp;
  readonly from: CalendarDay;
  /** The latest day on which it is repaid. */
  readonly to: CalendarDay;
}

/** The stamp tax that a commission includes. `partsPerMillion` is its rate for the whole term. */
export interface IncludedStampTax {
  readonly amount: Clp;
  readonly partsPerMillion: number;
}

/**
 * The stamp tax in the commission of a loan: a rate of the amount lent for each month begun. Null if the commission
 * includes none. Only interest does: by law the creditor may recover the tax, and a taxed service is not theirs. The
 * legal maximum of twelve months cannot be reached within the term of these loans.
 */
export function stampTaxIn(
  terms: StampTaxTerms,
  { regime, commission, lent, from, to }: Taxed,
): IncludedStampTax | null {
  if (terms.borneBy !== "commission" || regime !== "interest") return null;
  const partsPerMillion = terms.monthlyPartsPerMillion * monthsBegun(from, to);
  const amount = clp(Math.floor((lent * partsPerMillion + 500_000) / 1_000_000));
  return amount === ZERO || amount > commission ? null : { amount, partsPerMillion };
}
