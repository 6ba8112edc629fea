import { type Clp, formatClp } from "../../contract/vocabulary/clp.ts";
import type { Locale } from "../../contract/widget-tokens.ts";

type Row = readonly [string, string];

const WORDS = {
  "es-CL": {
    amount: "Monto del cobro",
    commission: "Comisión incluida",
    card: "Tarjeta",
    endingIn: "terminada en",
    authorisation: "Código de autorización",
  },
  en: {
    amount: "Amount of the charge",
    commission: "Commission included",
    card: "Card",
    endingIn: "ending in",
    authorisation: "Authorisation code",
  },
} as const satisfies Readonly<Record<Locale, object>>;

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

/** The issuer's code of a charge, as a voucher has it; no row where none is known. */
export function authorisationRow(locale: Locale, code: string | null): readonly Row[] {
  return code === null ? [] : [[WORDS[locale].authorisation, code]];
}
