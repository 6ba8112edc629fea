import type { Quote } from "../../contract/quote.ts";
import {
  ACCESS_BLOCKED_DAYS,
  CHARGE_TRIES_MAX,
  CHARGE_TRIES_WINDOW_DAYS,
  DEFERRED_PERCENTAGE,
  FIRST_PERCENTAGE,
  LATEST_COLLECTION_DAY,
} from "../../contract/terms.ts";
import { formatClp, subtractClp } from "../../contract/vocabulary/clp.ts";
import { type CommissionTax, vatIn } from "../../contract/vocabulary/commission-tax.ts";
import type { LegalTextName } from "../../contract/vocabulary/legal-text.ts";
import { formatRut, type Rut } from "../../contract/vocabulary/rut.ts";
import type { Locale } from "../../contract/widget-tokens.ts";
import { consentFigures } from "../../patients/consent-texts.ts";
import { dayInWords } from "../../platform/day-in-words.ts";
import { santiagoDay } from "../../platform/santiago-time.ts";
import type { OrderRecord } from "../order-record.ts";
import type { IncludedStampTax, StampTaxTerms } from "../stamp-tax.ts";

/** The placeholders that an operator's text may use, as `{{name}}`. */
export const PLACEHOLDERS = [
  "clinic",
  "clinic_rut",
  "support_email",
  "patient",
  "patient_rut",
  "reference",
  "date",
  "price",
  "today",
  "later",
  "commission",
  "commission_percentage",
  "commission_detail",
  "later_charge",
  "total_cost",
  "annual_cost",
  "stamp_tax",
  "latest_date",
  "financing_provider",
  "first_percentage",
  "deferred_percentage",
  "access_blocked_days",
  "latest_day",
  "charge_tries",
  "charge_days",
] as const;
export type Placeholder = (typeof PLACEHOLDERS)[number];

/** The values of one order for every placeholder. */
export type AgreementValues = Readonly<Record<Placeholder, string>>;

/** A stored agreement: which texts in which language, and the values that filled their placeholders. */
export interface KeptAgreement {
  readonly locale: Locale;
  readonly texts: readonly LegalTextName[];
  readonly values: Readonly<Record<string, string>>;
}

export interface AgreementFacts {
  /** The party that provides the service: the order's centre, or the provider itself. */
  readonly clinic: { readonly name: string; readonly rut: Rut; readonly supportEmail: string };
  readonly order: Pick<OrderRecord, "customer" | "reference" | "commissionTax">;
  readonly quote: Omit<Quote, "texts" | "sha256">;
  readonly stampTax: { readonly terms: StampTaxTerms; readonly included: IncludedStampTax | null };
  readonly now: Date;
}

export function agreementValues(
  { clinic, order, quote, stampTax, now }: AgreementFacts,
  locale: Locale,
): AgreementValues {
  const { customer, reference } = order;
  const percentage = (value: number) => percentageInWords(value, locale);
  return {
    ...consentFigures(quote, locale),
    clinic: clinic.name,
    clinic_rut: formatRut(clinic.rut),
    support_email: clinic.supportEmail,
    patient: `${customer.firstName} ${customer.lastName}`,
    patient_rut: formatRut(customer.rut),
    reference,
    date: dayInWords(santiagoDay(now), locale),
    price: formatClp(quote.total),
    later: formatClp(quote.later),
    commission: formatClp(quote.commission),
    commission_percentage: percentage(quote.commission_percentage),
    commission_detail: commissionDetail(order.commissionTax, quote, locale),
    total_cost: formatClp(quote.total_cost),
    annual_cost: percentage(quote.annual_cost_percentage),
    stamp_tax: stampTaxDetail(stampTax, quote, locale),
    financing_provider: quote.financing_provider,
    first_percentage: String(FIRST_PERCENTAGE),
    deferred_percentage: String(DEFERRED_PERCENTAGE),
    access_blocked_days: String(ACCESS_BLOCKED_DAYS),
    latest_day: String(LATEST_COLLECTION_DAY),
    charge_tries: String(CHARGE_TRIES_MAX),
    charge_days: String(CHARGE_TRIES_WINDOW_DAYS),
  };
}

function percentageInWords(value: number, locale: Locale): string {
  return `${String(value).replace(".", locale === "en" ? "." : ",")}%`;
}

const COMMISSION = {
  "es-CL": {
    none: "No se cobra.",
    interest: (by) => `${by} la cobra como interés del crédito, sin IVA.`,
    service: (by, net, vat) => `La cobra ${by}: ${net} netos más ${vat} de IVA.`,
  },
  en: {
    none: "None is charged.",
    interest: (by) => `${by} charges it as interest on the credit, without VAT.`,
    service: (by, net, vat) => `Charged by ${by}: ${net} net plus ${vat} VAT.`,
  },
} as const satisfies Readonly<
  Record<
    Locale,
    {
      readonly none: string;
      readonly interest: (by: string) => string;
      readonly service: (by: string, net: string, vat: string) => string;
    }
  >
>;

/** Issuer, net price and VAT of the commission, or that it is interest on the credit, in whole sentences. */
function commissionDetail(
  tax: CommissionTax,
  { commission, financing_provider: lender }: AgreementFacts["quote"],
  locale: Locale,
): string {
  const words = COMMISSION[locale];
  if (commission === 0) return words.none;
  if (tax.regime === "interest") return words.interest(lender);
  const vat = vatIn(tax, commission);
  const issuer = `${tax.issuer.name}, RUT ${formatRut(tax.issuer.rut)}`;
  return words.service(issuer, formatClp(subtractClp(commission, vat)), formatClp(vat));
}

const STAMP_TAX: Readonly<
  Record<
    Locale,
    {
      readonly lender: (lender: string) => string;
      readonly exempt: (basis: string) => string;
      readonly included: (tax: string, rate: string, lent: string, lender: string) => string;
    }
  >
> = {
  "es-CL": {
    lender: (lender) => `El impuesto de timbres y estampillas, si corresponde, lo paga ${lender}: no se te cobra.`,
    exempt: (basis) => `El crédito está exento del impuesto de timbres y estampillas (${basis}).`,
    included: (tax, rate, lent, lender) =>
      `La comisión incluye ${tax} de impuesto de timbres y estampillas (${rate} de ${lent}), que ${lender} paga al fisco.`,
  },
  en: {
    lender: (lender) =>
      `If stamp tax (impuesto de timbres y estampillas) is due, ${lender} pays it: you are not charged.`,
    exempt: (basis) => `The credit is exempt from stamp tax (impuesto de timbres y estampillas): ${basis}.`,
    included: (tax, rate, lent, lender) =>
      `The fee includes ${tax} of stamp tax (impuesto de timbres y estampillas, ${rate} of ${lent}), which ${lender} pays to the treasury.`,
  },
};

/** A whole sentence about the stamp tax on the credit: the party that bears it, and its amount in the commission. */
function stampTaxDetail(
  { terms, included }: AgreementFacts["stampTax"],
  { financing_provider: lender, later }: AgreementFacts["quote"],
  locale: Locale,
): string {
  const words = STAMP_TAX[locale];
  if (terms.borneBy === "none") return words.exempt(terms.exemption);
  if (included === null) return words.lender(lender);
  const rate = percentageInWords(included.partsPerMillion / 10_000, locale);
  return words.included(formatClp(included.amount), rate, formatClp(later), lender);
}
