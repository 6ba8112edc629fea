import { type Clp, formatClp } from "../../contract/vocabulary/clp.ts";
import type { Locale } from "../../contract/widget-tokens.ts";
import { dayInWords } from "../../platform/day-in-words.ts";
import type { CalendarDay } from "../../platform/santiago-time.ts";
import { type MailWords, type NotificationDefinition, shortMessage } from "../notification-definition.ts";
import { accessSafety } from "./access-safety.ts";

/** The insurer has blocked the access that the service uses to follow a claim. */
export interface AccessBlocked {
  readonly firstName: string;
  readonly clinic: string;
  readonly insurer: string;
  /** Where the patient can give access again; null if the clinic has no widget to open. */
  readonly accessUrl: string | null;
  /** The charge that is made early if the access is still blocked that day; null if no charge would come earlier. */
  readonly earlyCharge: { readonly day: CalendarDay; readonly amount: Clp } | null;
  /** Whether the insurer also refused the access that the patient gave again; the day of the charge does not change. */
  readonly isRefusedAgain: boolean;
}

const ACCESS = {
  "es-CL": { first: "el acceso con que seguimos tu reembolso", again: "también el acceso que nos diste" },
  en: { first: "our access to your reimbursement", again: "the new access that you gave us, too" },
} as const satisfies Readonly<Record<Locale, object>>;

export const accessBlocked: NotificationDefinition<AccessBlocked> = {
  mail: { "es-CL": mailInSpanish, en: mailInEnglish },
  message: shortMessage({
    values: ({ insurer, earlyCharge, isRefusedAgain }, locale) => ({
      insurer,
      access: ACCESS[locale][isRefusedAgain ? "again" : "first"],
      action: actionInShort(earlyCharge?.day ?? null, locale),
    }),
    words: {
      "es-CL": ({ insurer, access, action }) =>
        `${insurer} bloqueó ${access}. ${action}. Nunca te pediremos tu clave por mensaje.`,
      en: ({ insurer, access, action }) =>
        `${insurer} blocked ${access}. ${action}. We never ask for your password in a message.`,
    },
    goes: "by_day",
  }),
};

function mailInSpanish(facts: AccessBlocked): MailWords {
  const { firstName, clinic, insurer, accessUrl, earlyCharge, isRefusedAgain } = facts;
  const link = accessUrl === null ? {} : { link: { label: "Dar acceso de nuevo", url: accessUrl } };
  const earlier =
    earlyCharge === null
      ? []
      : [
          `Si el acceso sigue bloqueado el ${dayInWords(earlyCharge.day, "es-CL")}, haremos ese día el segundo cobro, de ${formatClp(earlyCharge.amount)}, como lo aceptaste al pagar.`,
        ];
  return {
    subject: isRefusedAgain ? "Todavía no podemos entrar a tu isapre" : "No podemos entrar a tu isapre",
    paragraphs: [
      isRefusedAgain
        ? `Hola, ${firstName}. ${insurer} también bloqueó el acceso que nos diste de nuevo para tu atención en ${clinic}. Entra primero al sitio de tu isapre y comprueba que tu clave funciona.`
        : `Hola, ${firstName}. ${insurer} bloqueó el acceso con que seguimos el reembolso de tu atención en ${clinic}. Suele pasar cuando cambias tu clave.`,
      "Danos acceso de nuevo para seguir con tu reembolso.",
      ...earlier,
    ],
    ...link,
    safety: accessSafety("es-CL", { clinic, accessUrl }),
  };
}

function mailInEnglish(facts: AccessBlocked): MailWords {
  const { firstName, clinic, insurer, accessUrl, earlyCharge, isRefusedAgain } = facts;
  const link = accessUrl === null ? {} : { link: { label: "Give access again", url: accessUrl } };
  const earlier =
    earlyCharge === null
      ? []
      : [
          `If the access is still blocked on ${dayInWords(earlyCharge.day, "en")}, we will make the second charge that day, ${formatClp(earlyCharge.amount)}, as you accepted when you paid.`,
        ];
  return {
    subject: isRefusedAgain ? "We still cannot sign in to your isapre" : "We cannot sign in to your isapre",
    paragraphs: [
      isRefusedAgain
        ? `Hello, ${firstName}. ${insurer}, your isapre (private health insurer), also blocked the new access that you gave us for your consultation at ${clinic}. First sign in on its site and check that your password works.`
        : `Hello, ${firstName}. ${insurer}, your isapre (private health insurer), blocked our access to the reimbursement of your consultation at ${clinic}. This often happens when you change your password.`,
      "Give us access again to continue with your reimbursement.",
      ...earlier,
    ],
    ...link,
    safety: accessSafety("en", { clinic, accessUrl }),
  };
}

function actionInShort(before: CalendarDay | null, locale: Locale): string {
  const action = { "es-CL": "Danos acceso de nuevo", en: "Give us access again" }[locale];
  if (before === null) return action;
  const day = dayInWords(before, locale);
  return `${action} ${{ "es-CL": `antes del ${day}`, en: `before ${day}` }[locale]}`;
}
