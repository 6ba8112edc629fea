import { type Clp, formatClp } from "../../contract/vocabulary/clp.ts";
import type { MailWords, NotificationDefinition } from "../notification-definition.ts";

/** The insurer has approved a claim. */
export interface ClaimApproved {
  readonly firstName: string;
  readonly clinic: string;
  readonly insurer: string;
  readonly reimbursed: Clp;
  /** Whether the approval makes the deferred part due; false if it was due already or is no longer charged. */
  readonly isCharged: boolean;
  /** The last digits of the card that is charged; null if no card is known. */
  readonly cardEnding: string | null;
}

export const claimApproved: NotificationDefinition<ClaimApproved> = {
  mail: { "es-CL": mailInSpanish, en: mailInEnglish },
  message: {
    words: {
      "es-CL": ({ insurer, isCharged }) =>
        `${insurer} aprobó tu reembolso.${isCharged ? " Con eso se cobra lo que quedaba de tu pago." : ""}`,
      en: ({ insurer, isCharged }) =>
        `${insurer} approved your reimbursement.${isCharged ? " With that, what was left of your payment is charged." : ""}`,
    },
    goes: "by_day",
  },
};

function mailInSpanish({ firstName, clinic, insurer, reimbursed, isCharged, cardEnding }: ClaimApproved): MailWords {
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

function mailInEnglish({ firstName, clinic, insurer, reimbursed, isCharged, cardEnding }: ClaimApproved): MailWords {
  const card = cardEnding === null ? "your card" : `your card ending in ${cardEnding}`;
  return {
    subject: "Your reimbursement was approved",
    paragraphs: [
      `Hello, ${firstName}. ${insurer} approved the reimbursement of your consultation at ${clinic}. Your isapre pays you the money, in the way that you have agreed with it.`,
      ...(isCharged
        ? [`With that, the charge that was left of your payment is made to ${card}. We will tell you when it is done.`]
        : []),
    ],
    ...(reimbursed > 0 ? { table: [["Reimbursement from your isapre", formatClp(reimbursed)]] as const } : {}),
  };
}
