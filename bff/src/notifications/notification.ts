import { type Clp, formatClp } from "../contract/vocabulary/clp.ts";
import type { CalendarDay } from "../platform/santiago-time.ts";
import { type AfterPaidNotification, afterPaidWords } from "./after-paid-notification.ts";
import { dayInWords } from "./day-in-words.ts";
import type { NotificationWords } from "./notification-words.ts";

/** What a patient is told, one kind for each cause, with just what its words need. */
export type Notification =
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
  | { readonly kind: "data_link"; readonly dataUrl: string; readonly hours: number }
  | {
      readonly kind: "payment_link";
      readonly purpose: PaymentLinkPurpose;
      readonly firstName: string;
      readonly clinic: string;
      readonly amount: Clp;
      readonly commission: Clp;
      /** Of the card that will be charged. */
      readonly cardEnding: string;
      readonly url: string;
    }
  | { readonly kind: "data_erased"; readonly isWaiting: boolean }
  | { readonly kind: "data_erasure_ended" }
  | AfterPaidNotification;

export type NotificationKind = Notification["kind"];

/** What a patient may ask to be sent a link for while something is still to be charged. */
export type PaymentLinkPurpose = "pay_early" | "card_change";

/** How it goes: an e-mail with all of it, and a short message to the telephone. */
export type NotificationChannel = "email" | "message";

/** The words of a notice, in Chilean Spanish. */
export function wordsOf(notification: Notification): NotificationWords {
  switch (notification.kind) {
    case "payment_receipt":
      return paymentReceipt(notification);
    case "claim_filed":
      return {
        subject: "Presentamos tu reembolso",
        paragraphs: [
          `Hola, ${notification.firstName}. Presentamos en ${notification.insurer} el reembolso de tu atención en ${notification.clinic}.`,
          "Las respuestas suelen tardar entre 3 y 10 días hábiles. Te avisaremos.",
        ],
      };
    case "recovery_code":
      return {
        subject: "Tu código",
        paragraphs: [
          "Este es el código que pediste para confirmar que eres tú.",
          `Vence en ${notification.minutes} minutos. No lo compartas con nadie: nunca te lo pediremos por teléfono ni por mensaje.`,
          "Si no lo pediste, no tienes que hacer nada.",
        ],
        code: notification.code,
      };
    case "email_changed":
      return {
        subject: "El correo de tu cuenta cambió",
        paragraphs: [
          `El RUT ${notification.maskedRut} ahora usa el correo ${notification.maskedEmail}. Quien lo cambió confirmó su identidad con su documento.`,
          `Si no fuiste tú, avísanos antes de ${notification.objectionHours} horas y lo dejaremos como estaba.`,
        ],
        link: { label: "No fui yo", url: notification.objectionUrl },
      };
    case "email_change_undone":
      return {
        subject: "Deshicimos el cambio de correo",
        paragraphs: [
          `El RUT ${notification.maskedRut} ya no usa este correo: quien lo tenía antes avisó que no hizo el cambio.`,
          "Si el RUT es tuyo, escríbenos.",
        ],
      };
    case "data_link":
      return dataLink(notification);
    case "payment_link":
      return paymentLink(notification);
    case "data_erased":
      return dataErased(notification);
    case "data_erasure_ended":
      return DATA_ERASURE_ENDED;
    default:
      return afterPaidWords(notification);
  }
}

const DATA_ERASURE_ENDED: NotificationWords = {
  subject: "Ya no borraremos tus datos",
  paragraphs: [
    "Pediste que borráramos tus datos. Como te registraste de nuevo, dejamos de hacerlo: lo que ya borramos sigue borrado, y lo demás se queda.",
    "Si no fuiste tú, o todavía quieres que los borremos, pídelo otra vez.",
  ],
};

function dataLink({ hours, dataUrl }: Extract<Notification, { kind: "data_link" }>): NotificationWords {
  return {
    subject: "Tus datos",
    paragraphs: [
      "Con este enlace puedes ver y descargar tus datos, retirar lo que autorizaste o pedir que los borremos.",
      `Sirve por ${hours} horas, y te pediremos un código que enviaremos a este correo.`,
      "Si no lo pediste, no tienes que hacer nada.",
    ],
    link: { label: "Ver mis datos", url: dataUrl },
  };
}

function dataErased({ isWaiting }: Extract<Notification, { kind: "data_erased" }>): NotificationWords {
  const law =
    "Guardamos solo lo que la ley nos obliga a conservar: el registro de los pagos y de lo que aceptaste y retiraste.";
  return isWaiting
    ? {
        subject: "Estamos borrando tus datos",
        paragraphs: [
          "Ya borramos tus documentos y la clave de tu isapre, y no presentaremos más reembolsos por ti.",
          "Conservamos tu nombre y este correo mientras quede algo por cobrar o una orden abierta. Después los borraremos sin que tengas que pedirlo otra vez. Lo que debes no cambia.",
          law,
        ],
      }
    : { subject: "Borramos tus datos", paragraphs: ["Borramos tus datos, como lo pediste.", law] };
}

function paymentLink(notification: Extract<Notification, { kind: "payment_link" }>): NotificationWords {
  const { purpose, firstName, clinic, amount, commission, cardEnding, url } = notification;
  const table: NotificationWords["table"] = [
    ["Monto del cobro", formatClp(amount)],
    ...(commission > 0 ? [["Comisión incluida", formatClp(commission)] as const] : []),
    ["Tarjeta", `terminada en ${cardEnding}`],
  ];
  const code = "El enlace sirve por 30 días, y te pediremos un código que enviaremos a este correo.";
  // In English: "You asked to pay what is left of your consultation at … before its date. It is charged to the card below."
  if (purpose === "pay_early")
    return {
      subject: "Paga lo que queda de tu atención",
      paragraphs: [
        `Hola, ${firstName}. Nos pediste pagar antes lo que queda de tu atención en ${clinic}. Se cobrará en la tarjeta que está aquí abajo, sin costo adicional.`,
        code,
      ],
      table,
      link: { label: "Pagar ahora", url },
    };
  // In English: "You asked to change the card for the charge that is left of your consultation at …. For now it is the one
  // below."
  return {
    subject: "Cambia la tarjeta de tu pago",
    paragraphs: [
      `Hola, ${firstName}. Nos pediste cambiar la tarjeta para el cobro que queda de tu atención en ${clinic}. Por ahora es la que está aquí abajo.`,
      code,
    ],
    table,
    link: { label: "Cambiar mi tarjeta", url },
  };
}

function paymentReceipt(notification: Extract<Notification, { kind: "payment_receipt" }>): NotificationWords {
  return {
    subject: `Tu pago en ${notification.clinic}`,
    paragraphs: [
      `Hola, ${notification.firstName}. Recibimos tu pago.`,
      "El resto se cobrará en la misma tarjeta, una sola vez: cuando tu isapre apruebe el reembolso, si el acceso a tu isapre lleva 3 días bloqueado o, a más tardar, en la fecha límite. Se cobrará aunque la isapre reembolse menos o no reembolse.",
      "Guarda este correo como comprobante.",
    ],
    table: [
      ["Total de la atención", formatClp(notification.total)],
      ["Pagaste hoy", formatClp(notification.today)],
      ["Se cobrará después, comisión incluida", formatClp(notification.laterCharge)],
      ["Fecha límite", dayInWords(notification.latestDay)],
    ],
  };
}
