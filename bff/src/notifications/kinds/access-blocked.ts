import { type Clp, formatClp } from "../../contract/vocabulary/clp.ts";
import type { CalendarDay } from "../../platform/santiago-time.ts";
import { dayInWords } from "../day-in-words.ts";
import type { MailWords, NotificationDefinition } from "../notification-definition.ts";

/** The insurer has blocked the access by which a claim's progress is read. */
export interface AccessBlocked {
  readonly firstName: string;
  readonly clinic: string;
  readonly insurer: string;
  /** Where the patient can give access again; null if the clinic has no widget to open. */
  readonly accessUrl: string | null;
  /** The charge that is made early if the access is still blocked that day; null if nothing would come earlier. */
  readonly earlyCharge: { readonly day: CalendarDay; readonly amount: Clp } | null;
  /** Whether the insurer also refused the access that the patient gave again; the day of the charge does not change. */
  readonly isRefusedAgain: boolean;
}

export const accessBlocked: NotificationDefinition<AccessBlocked> = {
  mail: { "es-CL": mailInSpanish, en: mailInEnglish },
  message: { words: { "es-CL": messageInSpanish, en: messageInEnglish }, goes: "by_day" },
};

function mailInSpanish(facts: AccessBlocked): MailWords {
  const { firstName, clinic, insurer, accessUrl, earlyCharge, isRefusedAgain } = facts;
  const safety = "Nunca te pediremos tu clave por teléfono ni por mensaje: solo en la página que abre este botón.";
  const link = accessUrl === null ? {} : { link: { label: "Dar acceso de nuevo", url: accessUrl } };
  const earlier =
    earlyCharge === null
      ? ""
      : ` Si el acceso sigue bloqueado el ${dayInWords(earlyCharge.day, "es-CL")}, haremos ese día el cobro que queda de tu pago, de ${formatClp(earlyCharge.amount)}, como lo aceptaste al pagar.`;
  if (isRefusedAgain)
    return {
      subject: "Todavía no podemos entrar a tu isapre",
      paragraphs: [
        `Hola, ${firstName}. Probamos el acceso que nos diste de nuevo, y ${insurer} también lo bloqueó. Así no podemos seguir el reembolso de tu atención en ${clinic}.`,
        `Entra primero al portal de tu isapre y comprueba que tu clave funciona. Después danos acceso otra vez.${earlier}`,
        safety,
      ],
      ...link,
    };
  return {
    subject: "No podemos entrar a tu isapre",
    paragraphs: [
      `Hola, ${firstName}. ${insurer} bloqueó el acceso con que seguimos el reembolso de tu atención en ${clinic}. Suele pasar cuando cambias tu clave.`,
      `Danos acceso de nuevo para seguir con tu reembolso.${earlier}`,
      safety,
    ],
    ...link,
  };
}

function mailInEnglish(facts: AccessBlocked): MailWords {
  const { firstName, clinic, insurer, accessUrl, earlyCharge, isRefusedAgain } = facts;
  const safety =
    "We never ask for your password by telephone or in a message: only on the page that this button opens.";
  const link = accessUrl === null ? {} : { link: { label: "Give access again", url: accessUrl } };
  const earlier =
    earlyCharge === null
      ? ""
      : ` If the access is still blocked on ${dayInWords(earlyCharge.day, "en")}, we will make the charge that is left of your payment on that day, of ${formatClp(earlyCharge.amount)}, as you accepted when you paid.`;
  if (isRefusedAgain)
    return {
      subject: "We still cannot enter your isapre",
      paragraphs: [
        `Hello, ${firstName}. We tried the access that you gave us again, and ${insurer} blocked it too. So we cannot follow the reimbursement of your consultation at ${clinic}.`,
        `First enter the portal of your isapre and check that your password works. Then give us access once more.${earlier}`,
        safety,
      ],
      ...link,
    };
  return {
    subject: "We cannot enter your isapre",
    paragraphs: [
      `Hello, ${firstName}. ${insurer} blocked the access with which we follow the reimbursement of your consultation at ${clinic}. This often happens when you change your password.`,
      `Give us access again so that we can go on with your reimbursement.${earlier}`,
      safety,
    ],
    ...link,
  };
}

function messageInSpanish({ insurer, accessUrl, earlyCharge, isRefusedAgain }: AccessBlocked): string {
  const what = isRefusedAgain ? "también el acceso que nos diste" : "el acceso con que seguimos tu reembolso";
  const until = earlyCharge === null ? "" : ` antes del ${dayInWords(earlyCharge.day, "es-CL")}`;
  const wish =
    accessUrl === null
      ? "Te escribimos a tu correo."
      : `Danos acceso de nuevo${until}, con el botón que está en tu correo.`;
  return `${insurer} bloqueó ${what}. ${wish} Nunca te pediremos tu clave por mensaje.`;
}

function messageInEnglish({ insurer, accessUrl, earlyCharge, isRefusedAgain }: AccessBlocked): string {
  const what = isRefusedAgain
    ? "the access that you gave us, too"
    : "the access with which we follow your reimbursement";
  const until = earlyCharge === null ? "" : ` before ${dayInWords(earlyCharge.day, "en")}`;
  const wish =
    accessUrl === null ? "We wrote to your e-mail." : `Give us access again${until}, with the button in your e-mail.`;
  return `${insurer} blocked ${what}. ${wish} We never ask for your password in a message.`;
}
