import { type Clp, formatClp } from "../../contract/vocabulary/clp.ts";
import type { Locale } from "../../contract/widget-tokens.ts";

type Row = readonly [string, string];

const WORDS: Readonly<Record<Locale, { amount: string; commission: string; card: string; endingIn: string }>> = {
  "es-CL": { amount: "Monto del cobro", commission: "Comisión incluida", card: "Tarjeta", endingIn: "terminada en" },
  en: { amount: "Amount of the charge", commission: "Commission included", card: "Card", endingIn: "ending in" },
};

/** The table rows for a charge; a commission of zero is omitted. */
export function chargeRows(locale: Locale, amount: Clp, commission: Clp): readonly Row[] {
  const words = WORDS[locale];
  return [[words.amount, formatClp(amount)], ...commissionRow(words.commission, commission)];
}

/** The row of a commission; none if it is zero. */
export function commissionRow(label: string, commission: Clp): readonly Row[] {
  return commission > 0 ? [[label, formatClp(commission)]] : [];
}

export function cardRow(locale: Locale, cardEnding: string): Row {
  const words = WORDS[locale];
  return [words.card, `${words.endingIn} ${cardEnding}`];
}
