import { type Clp, formatClp } from "../../contract/vocabulary/clp.ts";
import type { Locale } from "../../contract/widget-tokens.ts";
import { dayInWords } from "../../platform/day-in-words.ts";
import {
  type MailWords,
  type NotificationDefinition,
  type Row,
  shortMessage,
  type Upcoming,
  undatedOf,
} from "../notification-definition.ts";
import { UNDATED, upcomingRows } from "./rows.ts";

/** A dispute at the patient's bank has ended. */
export interface DisputeClosed {
  readonly firstName: string;
  readonly clinic: string;
  /** `lost`: the patient keeps what the bank returned. `won`: the charge stands. */
  readonly outcome: "won" | "lost";
  /** The disputed amount. */
  readonly amount: Clp;
  /** The second charge, which the dispute may have stopped. */
  readonly upcoming: Upcoming;
}

const RESULT = {
  "es-CL": { lost: "es definitiva la devolución de", won: "se mantiene el cobro de" },
  en: { lost: "you keep the refund of", won: "your bank upheld the charge of" },
} as const satisfies Readonly<Record<Locale, Readonly<Record<DisputeClosed["outcome"], string>>>>;

export const disputeClosed: NotificationDefinition<DisputeClosed> = {
  mail: { "es-CL": mailInSpanish, en: mailInEnglish },
  message: shortMessage({
    values: ({ outcome, amount }, locale) => ({ result: RESULT[locale][outcome], amount: formatClp(amount) }),
    words: {
      "es-CL": ({ result, amount }) => `terminó el reclamo de tu pago en tu banco: ${result} ${amount}.`,
      en: ({ result, amount }) => `the dispute with your bank about your payment has ended: ${result} ${amount}.`,
    },
    goes: "by_day",
  }),
};

function mailInSpanish({ firstName, clinic, outcome, amount, upcoming }: DisputeClosed): MailWords {
  const isLost = outcome === "lost";
  return {
    subject: isLost ? "La devolución que te hizo tu banco es definitiva" : "Tu banco mantuvo el cobro que reclamaste",
    paragraphs: [
      isLost
        ? `Hola, ${firstName}. Terminó el reclamo a tu banco por tu pago en ${clinic}. Te quedas con lo que tu banco te devolvió: no volveremos a cobrar ese monto.`
        : `Hola, ${firstName}. Terminó el reclamo a tu banco por tu pago en ${clinic}, y el cobro se mantiene. Si tu banco te lo había devuelto, puede volver a aparecer en tu tarjeta. Si no estás de acuerdo, consulta a tu banco.`,
      ahead(upcoming, "es-CL"),
      ...(isLost ? ["Por seguridad, en tu próximo pago te pediremos de nuevo tus datos y tu tarjeta."] : []),
    ],
    amounts: [[isLost ? "Te devolvió tu banco" : "Cobro que se mantiene", formatClp(amount)]],
    table: charge(upcoming, "es-CL"),
    saysHowToPay: upcoming.kind === "card_needed",
    attached: ["calendar"],
  };
}

function mailInEnglish({ firstName, clinic, outcome, amount, upcoming }: DisputeClosed): MailWords {
  const isLost = outcome === "lost";
  return {
    subject: isLost ? "The refund from your bank is final" : "Your bank upheld the charge that you disputed",
    paragraphs: [
      isLost
        ? `Hello, ${firstName}. The dispute with your bank about your payment at ${clinic} has ended. You keep what your bank returned to you: we will not charge that amount again.`
        : `Hello, ${firstName}. The dispute with your bank about your payment at ${clinic} has ended, and the charge stands. If your bank had returned it to you, it may appear on your card again. If you disagree, contact your bank.`,
      ahead(upcoming, "en"),
      ...(isLost ? ["For your security, your next payment will ask for your details and your card again."] : []),
    ],
    amounts: [[isLost ? "Returned by your bank" : "Charge that stands", formatClp(amount)]],
    table: charge(upcoming, "en"),
    saysHowToPay: upcoming.kind === "card_needed",
    attached: ["calendar"],
  };
}

const AHEAD = {
  "es-CL": { none: "No queda nada más por cobrar.", dated: "El segundo cobro sigue en pie." },
  en: { none: "Nothing else is left to charge.", dated: "The second charge is still to come." },
} as const satisfies Readonly<Record<Locale, object>>;

function ahead(upcoming: Upcoming, locale: Locale): string {
  const undated = undatedOf(upcoming);
  if (undated !== null) return UNDATED[locale][undated.kind].mail;
  return AHEAD[locale][upcoming.kind === "none" ? "none" : "dated"];
}

const DAY = {
  "es-CL": { on_day: "Fecha", by_day: "A más tardar" },
  en: { on_day: "Date", by_day: "At the latest" },
} as const satisfies Readonly<Record<Locale, object>>;

/** The second payment with its commission and day; empty if there is none. */
function charge(upcoming: Upcoming, locale: Locale): readonly Row[] {
  const rows = upcomingRows(locale, upcoming);
  if (rows.length === 0 || !("day" in upcoming)) return rows;
  return [...rows, [DAY[locale][upcoming.kind], dayInWords(upcoming.day, locale)]];
}
