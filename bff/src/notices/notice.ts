import { type Clp, formatClp } from "../contract/vocabulary/clp.ts";
import type { CalendarDay } from "../platform/santiago-time.ts";
import { type AfterPaidNotice, afterPaidWords } from "./after-paid-notice.ts";
import { dayInWords } from "./day-in-words.ts";
import type { NoticeWords } from "./notice-words.ts";

/** What a patient is told by e-mail, one kind for each cause, with just what its words need. */
export type Notice =
  | {
      readonly kind: "payment_receipt";
      readonly firstName: string;
      readonly clinic: string;
      readonly total: Clp;
      readonly today: Clp;
      readonly laterCharge: Clp;
      readonly latestDay: CalendarDay;
    }
  | { readonly kind: "claim_filed"; readonly firstName: string; readonly clinic: string; readonly insurer: string }
  | { readonly kind: "recovery_code"; readonly code: string; readonly minutes: number }
  | {
      readonly kind: "email_changed";
      readonly maskedRut: string;
      readonly maskedEmail: string;
      readonly objectionUrl: string;
      readonly objectionHours: number;
    }
  | { readonly kind: "email_change_undone"; readonly maskedRut: string }
  | AfterPaidNotice;

export type NoticeKind = Notice["kind"];

/** The words of a notice, in Chilean Spanish. */
export function wordsOf(notice: Notice): NoticeWords {
  switch (notice.kind) {
    case "payment_receipt":
      return paymentReceipt(notice);
    case "claim_filed":
      return {
        subject: "Presentamos tu reembolso",
        paragraphs: [
          `Hola, ${notice.firstName}. Presentamos en ${notice.insurer} el reembolso de tu atención en ${notice.clinic}.`,
          "Las respuestas suelen tardar entre 3 y 10 días hábiles. Te avisaremos.",
        ],
      };
    case "recovery_code":
      return {
        subject: "Tu código",
        paragraphs: [
          "Este es el código que pediste para confirmar que eres tú.",
          `Vence en ${notice.minutes} minutos. No lo compartas con nadie: nunca te lo pediremos por teléfono ni por mensaje.`,
          "Si no lo pediste, no tienes que hacer nada.",
        ],
        code: notice.code,
      };
    case "email_changed":
      return {
        subject: "El correo de tu cuenta cambió",
        paragraphs: [
          `El RUT ${notice.maskedRut} ahora usa el correo ${notice.maskedEmail}. Quien lo cambió confirmó su identidad con su documento.`,
          `Si no fuiste tú, avísanos antes de ${notice.objectionHours} horas y lo dejaremos como estaba.`,
        ],
        link: { label: "No fui yo", url: notice.objectionUrl },
      };
    case "email_change_undone":
      return {
        subject: "Deshicimos el cambio de correo",
        paragraphs: [
          `El RUT ${notice.maskedRut} ya no usa este correo: quien lo tenía antes avisó que no hizo el cambio.`,
          "Si el RUT es tuyo, escríbenos.",
        ],
      };
    default:
      return afterPaidWords(notice);
  }
}

function paymentReceipt(notice: Extract<Notice, { kind: "payment_receipt" }>): NoticeWords {
  return {
    subject: `Tu pago en ${notice.clinic}`,
    paragraphs: [
      `Hola, ${notice.firstName}. Recibimos tu pago.`,
      "El resto se cobrará en la misma tarjeta, una sola vez: cuando tu isapre apruebe el reembolso, si el acceso a tu isapre lleva 3 días bloqueado o, a más tardar, en la fecha límite. Se cobrará aunque la isapre reembolse menos o no reembolse.",
      "Guarda este correo como comprobante.",
    ],
    table: [
      ["Total de la atención", formatClp(notice.total)],
      ["Pagaste hoy", formatClp(notice.today)],
      ["Se cobrará después, comisión incluida", formatClp(notice.laterCharge)],
      ["Fecha límite", dayInWords(notice.latestDay)],
    ],
  };
}
