import { type Clp, formatClp } from "../../contract/vocabulary/clp.ts";
import type { Locale } from "../../contract/widget-tokens.ts";
import type { Row, Undated, Upcoming } from "../notification-definition.ts";

const WORDS = {
  "es-CL": {
    charge: "Segundo cobro",
    left: "Te queda por pagar",
    commission: "Comisión incluida",
    card: "Tarjeta",
    authorisation: "Código de autorización",
  },
  en: {
    charge: "Second charge",
    left: "Left to pay",
    commission: "Fee included",
    card: "Card",
    authorisation: "Authorization code",
  },
} as const satisfies Readonly<Record<Locale, object>>;

/** The amount of the second charge, for display as a large figure. */
export function chargeAmount(locale: Locale, amount: Clp): Row {
  return [WORDS[locale].charge, formatClp(amount)];
}

/** The row of a commission; none if it is zero. */
export function commissionRow(
  locale: Locale,
  commission: Clp,
  label: string = WORDS[locale].commission,
): readonly Row[] {
  return commission > 0 ? [[label, formatClp(commission)]] : [];
}

/** The amount of the upcoming charge with its commission; empty if nothing is owed. */
export function upcomingRows(locale: Locale, upcoming: Upcoming | null): readonly Row[] {
  if (upcoming === null || upcoming.kind === "none" || upcoming.amount === 0) return [];
  const { kind, amount, commission } = upcoming;
  const label = kind === "card_needed" || kind === "owed_on_hold" ? "left" : "charge";
  return [[WORDS[locale][label], formatClp(amount)], ...commissionRow(locale, commission)];
}

export function cardRow(locale: Locale, cardEnding: string): Row {
  return [WORDS[locale].card, `••${cardEnding}`];
}

/** The issuer's code of a charge, as on a voucher; no row if the processor returned none. */
export function authorisationRow(locale: Locale, code: string | null): readonly Row[] {
  return code === null ? [] : [[WORDS[locale].authorisation, code]];
}

/** How a second charge without a day stands. */
export const UNDATED: Readonly<
  Record<Locale, Readonly<Record<Undated, { readonly mail: string; readonly short: string }>>>
> = {
  "es-CL": {
    in_flight: {
      mail: "El segundo cobro está en curso: te avisaremos cómo termina.",
      short: "El segundo cobro está en curso",
    },
    on_hold: {
      mail: "El segundo cobro está detenido. Si se retoma, te avisaremos al menos un día antes.",
      short: "El segundo cobro está detenido",
    },
    owed_on_hold: {
      mail: "Todavía debes el segundo pago, pero por ahora no tienes que pagarlo.",
      short: "Todavía debes el segundo pago, pero por ahora no tienes que pagarlo",
    },
    card_needed: { mail: "El segundo pago sigue pendiente.", short: "El segundo pago sigue pendiente" },
  },
  en: {
    in_flight: {
      mail: "The second charge is in progress: we will tell you how it ends.",
      short: "The second charge is in progress",
    },
    on_hold: {
      mail: "The second charge is on hold. If it resumes, we will tell you at least a day in advance.",
      short: "The second charge is on hold",
    },
    owed_on_hold: {
      mail: "You still owe the second payment, but you do not have to pay it for now.",
      short: "You still owe the second payment, but you do not have to pay it for now",
    },
    card_needed: { mail: "The second payment is still owed.", short: "The second payment is still owed" },
  },
};
