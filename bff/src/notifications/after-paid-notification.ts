import type { DeclineReason } from "../contract/errors.ts";
import { type Clp, formatClp } from "../contract/vocabulary/clp.ts";
import type { CalendarDay } from "../platform/santiago-time.ts";
import { dayInWords } from "./day-in-words.ts";
import type { NotificationWords } from "./notification-words.ts";

interface Addressed {
  readonly firstName: string;
  readonly clinic: string;
}

/** What comes after a charge that was declined. */
export type NextCharge =
  | { readonly kind: "tried_again"; readonly day: CalendarDay }
  /** The patient had asked for it: what is due, on this day at the latest, is due as before. */
  | { readonly kind: "as_before"; readonly day: CalendarDay }
  /** With this card it is not tried again. */
  | { readonly kind: "given_up" }
  /** Nothing comes by itself for now: something else is settled first. */
  | { readonly kind: "paused" };

/** What a patient is told after the payment: of the claim, and of the charge of the deferred part. */
export type AfterPaidNotification = Addressed &
  (
    | {
        readonly kind: "claim_approved";
        readonly insurer: string;
        readonly reimbursed: Clp;
        /** The approval is what makes the deferred part due; false where it was due before, or is not charged any more. */
        readonly isCharged: boolean;
        /** Of the card that is charged; null where none is known. */
        readonly cardEnding: string | null;
      }
    | {
        readonly kind: "claim_rejected";
        readonly insurer: string;
        readonly reason: string;
        /** The deferred part is still to be charged. */
        readonly isChargeAhead: boolean;
      }
    | {
        readonly kind: "access_blocked";
        readonly insurer: string;
        readonly accessUrl: string | null;
        /** The deferred part is charged earlier than day 45 if the access stays blocked. */
        readonly isChargeAhead: boolean;
        /** The access that the patient has given again was refused too; the count goes on. Null: it is the first notice. */
        readonly refusedAgain: { readonly chargeDay: CalendarDay } | null;
      }
    | {
        readonly kind: "charge_announced";
        readonly amount: Clp;
        readonly commission: Clp;
        readonly day: CalendarDay;
        readonly cardEnding: string;
        readonly payUrl: string | null;
      }
    | { readonly kind: "charged"; readonly amount: Clp; readonly commission: Clp; readonly cardEnding: string }
    | {
        readonly kind: "charge_declined";
        readonly amount: Clp;
        readonly reason: DeclineReason;
        readonly cardEnding: string;
        readonly next: NextCharge;
        readonly cardUrl: string | null;
      }
    | { readonly kind: "refunded"; readonly refunded: Clp; readonly total: Clp }
  );

/** Its words, in Chilean Spanish. "Reembolso" is the isapre's, "devolución" the clinic's. */
export function afterPaidWords(notification: AfterPaidNotification): NotificationWords {
  switch (notification.kind) {
    case "claim_approved":
      return claimApproved(notification);
    case "claim_rejected":
      return claimRejected(notification);
    case "access_blocked":
      return accessBlocked(notification);
    case "charge_announced":
      return chargeAnnounced(notification);
    case "charged":
      return charged(notification);
    case "charge_declined":
      return chargeDeclined(notification);
    case "refunded":
      return refunded(notification);
  }
}

type Of<Kind extends AfterPaidNotification["kind"]> = Extract<AfterPaidNotification, { kind: Kind }>;

function claimApproved(notification: Of<"claim_approved">): NotificationWords {
  const { firstName, clinic, insurer, reimbursed, isCharged, cardEnding } = notification;
  const card = cardEnding === null ? "tu tarjeta" : `tu tarjeta terminada en ${cardEnding}`;
  return {
    subject: "Aprobaron tu reembolso",
    paragraphs: [
      `Hola, ${firstName}. ${insurer} aprobó el reembolso de tu atención en ${clinic}. El dinero te lo paga tu isapre, en la forma que tengas acordada con ella.`,
      ...(isCharged
        ? [`Con eso se hace el cobro que quedaba pendiente de tu pago, en ${card}. Te avisaremos cuando esté hecho.`]
        : []),
    ],
    ...(reimbursed > 0 ? { table: [["Reembolso de tu isapre", formatClp(reimbursed)]] as const } : {}),
  };
}

function claimRejected({ firstName, clinic, insurer, reason, isChargeAhead }: Of<"claim_rejected">): NotificationWords {
  return {
    subject: "Tu isapre rechazó el reembolso",
    paragraphs: [
      `Hola, ${firstName}. ${insurer} rechazó el reembolso de tu atención en ${clinic}. Nos dijo: «${reason}».`,
      ...(isChargeAhead
        ? [
            "El cobro que queda de tu pago sigue como lo aceptaste: a más tardar en la fecha límite que está en tu comprobante.",
          ]
        : []),
      "Si no estás de acuerdo, puedes reclamar directamente en tu isapre.",
    ],
  };
}

const NEVER_OTHERWISE =
  "Nunca te pediremos tu clave por teléfono ni por mensaje: solo en la página que abre este botón.";

function accessBlocked(notification: Of<"access_blocked">): NotificationWords {
  const { firstName, clinic, insurer, accessUrl, isChargeAhead, refusedAgain } = notification;
  const link = accessUrl === null ? {} : { link: { label: "Dar acceso de nuevo", url: accessUrl } };
  if (refusedAgain !== null) {
    return {
      subject: "Todavía no podemos entrar a tu isapre",
      paragraphs: [
        `Hola, ${firstName}. Probamos el acceso que nos diste de nuevo, y ${insurer} también lo bloqueó. Así no podemos seguir el reembolso de tu atención en ${clinic}.`,
        `Entra primero al portal de tu isapre y comprueba que tu clave funciona. Después danos acceso otra vez.${isChargeAhead ? ` Si el acceso sigue bloqueado el ${dayInWords(refusedAgain.chargeDay)}, haremos antes el cobro que queda de tu pago, como lo aceptaste al pagar.` : ""}`,
        NEVER_OTHERWISE,
      ],
      ...link,
    };
  }
  return {
    subject: "No podemos entrar a tu isapre",
    paragraphs: [
      `Hola, ${firstName}. ${insurer} bloqueó el acceso con que seguimos el reembolso de tu atención en ${clinic}. Suele pasar cuando cambias tu clave.`,
      isChargeAhead
        ? "Danos acceso de nuevo para seguir con tu reembolso. Si el acceso sigue bloqueado 3 días, haremos antes el cobro que queda de tu pago, como lo aceptaste al pagar."
        : "Danos acceso de nuevo para seguir con tu reembolso.",
      NEVER_OTHERWISE,
    ],
    ...link,
  };
}

function chargeAnnounced(notification: Of<"charge_announced">): NotificationWords {
  const { firstName, clinic, amount, commission, day, cardEnding, payUrl } = notification;
  return {
    subject: `El ${dayInWords(day)} haremos el cobro que queda`,
    paragraphs: [
      `Hola, ${firstName}. Tu isapre todavía no ha aprobado el reembolso de tu atención en ${clinic}. Por eso haremos el cobro que queda el ${dayInWords(day)}, una sola vez.`,
      "Revisa que tu tarjeta tenga cupo ese día. También puedes pagarlo antes.",
    ],
    table: [...charges(amount, commission), ["Tarjeta", `terminada en ${cardEnding}`], ["Fecha", dayInWords(day)]],
    ...(payUrl === null ? {} : { link: { label: "Pagar ahora", url: payUrl } }),
  };
}

function charged({ firstName, clinic, amount, commission, cardEnding }: Of<"charged">): NotificationWords {
  return {
    subject: `Cobramos lo que quedaba de tu pago en ${clinic}`,
    paragraphs: [
      `Hola, ${firstName}. Hicimos el cobro que quedaba de tu atención en ${clinic}. Con esto tu pago está completo y no habrá más cobros.`,
      "Guarda este correo como comprobante.",
    ],
    table: [...charges(amount, commission), ["Tarjeta", `terminada en ${cardEnding}`]],
  };
}

function chargeDeclined(notification: Of<"charge_declined">): NotificationWords {
  const { firstName, clinic, amount, reason, cardEnding, next, cardUrl } = notification;
  return {
    subject: "No pudimos hacer el cobro que queda de tu pago",
    paragraphs: [
      `Hola, ${firstName}. Intentamos hacer el cobro que queda de tu atención en ${clinic}, y no resultó: ${DECLINES[reason]}`,
      nextChargeWords(next),
    ],
    table: [
      ["Monto", formatClp(amount)],
      ["Tarjeta", `terminada en ${cardEnding}`],
    ],
    ...(cardUrl === null ? {} : { link: { label: "Cambiar mi tarjeta", url: cardUrl } }),
  };
}

function nextChargeWords(next: NextCharge): string {
  switch (next.kind) {
    case "tried_again":
      return `Lo intentaremos de nuevo el ${dayInWords(next.day)}. Si prefieres otra tarjeta, cámbiala antes.`;
    case "as_before":
      return `El cobro sigue pendiente como antes: lo haremos a más tardar el ${dayInWords(next.day)}. Si prefieres otra tarjeta, cámbiala antes.`;
    case "given_up":
      return "No lo intentaremos de nuevo con esta tarjeta. Cámbiala para completar tu pago.";
    case "paused":
      return "Por ahora no lo intentaremos de nuevo.";
  }
}

/** Why, in words that tell what to do. */
const DECLINES: Readonly<Record<DeclineReason, string>> = {
  declined: "tu banco no lo aprobó. Pregúntale por qué.",
  insufficient_funds: "la tarjeta no tenía cupo suficiente.",
  card_expired: "la tarjeta está vencida.",
  card_lost_or_stolen: "la tarjeta figura como perdida o robada.",
  card_blocked: "la tarjeta está bloqueada. Habla con tu banco.",
  security_code_wrong: "tu banco no reconoció los datos de la tarjeta.",
  authentication_failed: "tu banco no pudo confirmar que eras tú.",
  authentication_abandoned: "tu banco no pudo confirmar que eras tú.",
};

function refunded({ firstName, clinic, refunded: amount, total }: Of<"refunded">): NotificationWords {
  const all =
    amount === total
      ? "Si ya habías pagado una parte, vuelve a tu tarjeta. Lo que faltaba por cobrar ya no se cobrará."
      : "Primero se descuenta de lo que faltaba por cobrar; lo demás vuelve a tu tarjeta.";
  return {
    subject: `Devolución de tu pago en ${clinic}`,
    paragraphs: [
      `Hola, ${firstName}. ${clinic} hizo una devolución de tu pago. ${all}`,
      "Según tu banco, puede tardar algunos días en aparecer en tu cuenta.",
    ],
    table: [
      ["Total de la atención", formatClp(total)],
      ["Devuelto hasta ahora", formatClp(amount)],
    ],
  };
}

function charges(amount: Clp, commission: Clp): (readonly [string, string])[] {
  return [
    ["Monto del cobro", formatClp(amount)],
    ...(commission > 0 ? [["Comisión incluida", formatClp(commission)] as const] : []),
  ];
}
