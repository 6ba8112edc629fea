import type { PaymentClaim, SecondCharge } from "bff/contract/payment-page";
import { ACCESS_BLOCKED_DAYS, USUAL_CLAIM_ANSWER_WORKING_DAYS_MAX } from "bff/contract/terms";
import type { ProblemWords } from "../words/words.ts";
import type { PageWords } from "./link-page.ts";

type HeldBy = NonNullable<SecondCharge["held_by"]>;
type MissingDocument = PaymentClaim["missing_document_types"][number];
type Reason = NonNullable<SecondCharge["upcoming"]["reason"]>;

/** Days, cards and amounts are passed as formatted text. */
interface PaymentWords extends ProblemWords {
  readonly view: string;
  readonly about: (clinic: string, reference: string, day: string | null) => string;
  readonly timeline: string;
  readonly steps: {
    readonly paid: string;
    readonly receipt: string;
    readonly filed: string;
    readonly answer: string;
    readonly second: string;
  };
  readonly paidOn: (day: string, card: string | null, code: string | null, reason: string | null) => string;
  /** The bank still reviews the dispute. */
  readonly disputed: (amount: string) => string;
  /** The amount stays with the patient for good. */
  readonly bankReturned: (amount: string) => string;
  /** `day`: the last day to claim, for a receipt of the day of the payment. */
  readonly receipt: {
    readonly sent: string;
    readonly awaited: (day: string) => string;
    readonly late: (day: string) => string;
  };
  readonly filing: {
    readonly filed: (insurer: string, day: string) => string;
    readonly queued: string;
    readonly access_missing: string;
    readonly access_blocked: string;
    readonly held: (documents: string) => string;
    readonly stopped: string;
  };
  readonly documents: Readonly<Record<MissingDocument, string>>;
  readonly answer: {
    readonly awaited: string;
    readonly approved: (day: string) => string;
    readonly rejected: (day: string, reason: string | null) => string;
    readonly blocked: (day: string, chargedOn: string | null) => string;
    readonly stopped: string;
    /** The clinic has refunded everything. */
    readonly refunded: string;
  };
  readonly second: {
    readonly by_day: (day: string) => string;
    readonly on_day: (day: string, reason: string | null) => string;
    /** After a decline. */
    readonly again: (day: string) => string;
    readonly reasons: Readonly<Record<Reason, string>>;
    readonly due_now: string;
    readonly in_flight: string;
    readonly on_hold: string;
    readonly held: Readonly<Record<HeldBy, string>>;
    /** The last day to pay it. */
    readonly until: (day: string) => string;
    readonly declined: (card: string, day: string) => string;
    readonly paid_otherwise: (day: string) => string;
    readonly cancelled: string;
    readonly written_off: string;
  };
  readonly refunds: {
    readonly title: (day: string) => string;
    readonly off_second_charge: string;
    readonly to_cards: string;
    readonly by_bank: string;
    readonly by_transfer: string;
    readonly transferred: string;
    readonly processing: string;
    readonly failed: string;
  };
  readonly cost: { readonly reimbursed: string; readonly own: string };
  readonly actions: {
    readonly give_access: string;
    readonly pay_early: (amount: string) => string;
    readonly change_card: string;
    readonly data: string;
    readonly dataSent: string;
    readonly back: string;
  };
}

export const PAYMENT_WORDS: PageWords<PaymentWords> = {
  "es-CL": {
    title: "Mi pago",
    text: "Aquí ves cómo va tu pago y tu reembolso.",
    view: "Mi pago",
    about: (clinic, reference, day) =>
      `${clinic}${day === null ? "" : `, atención del ${day}`}. Referencia ${reference}.`,
    timeline: "Cómo va",
    steps: {
      paid: "Primer pago",
      receipt: "Boleta",
      filed: "Reembolso pedido",
      answer: "Respuesta de tu isapre",
      second: "Segundo cobro",
    },
    paidOn: (day, card, code, reason) => [day, card, code && `código ${code}`, reason].filter(Boolean).join(", "),
    disputed: (amount) => `Tu banco te devolvió ${amount} mientras revisa tu reclamo.`,
    bankReturned: (amount) => `Tu banco te devolvió ${amount}.`,
    receipt: {
      sent: "La clínica la envió.",
      awaited: (day) => `Esperamos que la clínica la envíe. El plazo usual de las isapres es el ${day}.`,
      late: (day) => `La clínica no la envió hasta el ${day}, el plazo usual de las isapres.`,
    },
    filing: {
      filed: (insurer, day) => `En ${insurer}, el ${day}.`,
      queued: "Lo estamos pidiendo.",
      access_missing: "Falta la clave de tu isapre para pedirlo.",
      access_blocked: "Tu isapre no nos deja entrar con tu clave.",
      held: (documents) => `La clínica debe enviar: ${documents}.`,
      stopped: "No se pedirá.",
    },
    documents: {
      receipt: "la boleta",
      unlocked_receipt: "la boleta sin contraseña",
      medical_order: "la orden médica",
      prescription: "la receta",
      readable_photo: "una foto que se lea",
      other_document: "otro documento",
    },
    answer: {
      awaited: `Suele tardar hasta ${USUAL_CLAIM_ANSWER_WORKING_DAYS_MAX} días hábiles.`,
      approved: (day) => `Aprobó el ${day}.`,
      rejected: (day, reason) =>
        `Rechazó el ${day}${reason === null ? "." : `: «${reason}»${stopAfter(reason)}`} Puedes reclamar en tu isapre y, después, en la Superintendencia de Salud.`,
      blocked: (day, chargedOn) =>
        `Bloqueó el acceso el ${day}.${chargedOn === null ? "" : ` Si sigue así, el segundo cobro será el ${chargedOn}.`}`,
      stopped: "Ya no preguntamos por ella.",
      refunded: "Ya no corresponde: la clínica te devolvió todo.",
    },
    second: {
      by_day: (day) =>
        `A más tardar el ${day}, o antes si tu isapre aprueba o bloquea el acceso ${ACCESS_BLOCKED_DAYS} días.`,
      again: (day) => `Lo intentaremos de nuevo el ${day}.`,
      on_day: (day, reason) => `El ${day}${reason === null ? "." : `, ${reason}.`}`,
      reasons: {
        approved: "porque tu isapre aprobó el reembolso",
        access_blocked: "porque tu isapre bloqueó el acceso",
        day_45: "porque se cumplió el plazo",
        paid_early: "porque pediste pagarlo antes",
      },
      due_now: "Lo estamos cobrando.",
      in_flight: "Lo estamos revisando con tu banco. No se cobra dos veces.",
      on_hold: "Te avisaremos al menos un día antes.",
      held: {
        chargeback: "Detenido: una persona revisa el reclamo que hiciste a tu banco.",
        data_blocked: "Detenido, porque pediste bloquear tus datos.",
        mandate_revoked: "Retiraste la autorización para tu tarjeta. Agrega otra, o pide en Ayuda pagar de otra forma.",
        card_declined: "No se pudo cobrar. Agrega otra tarjeta.",
        refund: "Hay una devolución en curso.",
      },
      until: (day) => `Vence a más tardar el ${day}.`,
      declined: (card, day) => `Tu banco rechazó la tarjeta ••${card} el ${day}.`,
      paid_otherwise: (day) => `Lo pagaste de otra forma el ${day}.`,
      cancelled: "No habrá segundo cobro.",
      written_off: "No se cobrará.",
    },
    refunds: {
      title: (day) => `Devolución de la clínica del ${day}`,
      off_second_charge: "Descontado del segundo cobro",
      to_cards: "Devuelto a tu tarjeta",
      by_bank: "Ya te lo devolvió tu banco",
      by_transfer: "Por transferir",
      transferred: "Transferido",
      processing: "En curso",
      failed: "No se pudo hacer",
    },
    cost: { reimbursed: "Tu isapre te reembolsa", own: "Tu costo total" },
    actions: {
      give_access: "Dar la clave de mi isapre",
      pay_early: (amount) => `Pagar ${amount} ahora`,
      change_card: "Usar otra tarjeta",
      data: "Ver mis datos",
      dataSent: "Te enviamos un enlace a tu correo para ver tus datos.",
      back: "Volver a mi pago",
    },
  },
  en: {
    title: "My payment",
    text: "See the state of your payment and your reimbursement.",
    view: "My payment",
    about: (clinic, reference, day) =>
      `${clinic}${day === null ? "" : `, consultation of ${day}`}. Reference ${reference}.`,
    timeline: "State of your payment",
    steps: {
      paid: "First payment",
      receipt: "Receipt",
      filed: "Reimbursement claimed",
      answer: "Answer from your isapre (private health insurer)",
      second: "Second charge",
    },
    paidOn: (day, card, code, reason) => [day, card, code && `code ${code}`, reason].filter(Boolean).join(", "),
    disputed: (amount) => `Your bank returned ${amount} to you while it reviews your dispute.`,
    bankReturned: (amount) => `Your bank returned ${amount} to you.`,
    receipt: {
      sent: "The clinic has sent it.",
      awaited: (day) => `We are waiting for the clinic to send it. The usual deadline of isapres is ${day}.`,
      late: (day) => `The clinic did not send it by ${day}, the usual deadline of isapres.`,
    },
    filing: {
      filed: (insurer, day) => `With ${insurer}, on ${day}.`,
      queued: "We are claiming it.",
      access_missing: "We need the password of your isapre (private health insurer) to claim it.",
      access_blocked: "Your isapre does not let us in with your password.",
      held: (documents) => `The clinic must send: ${documents}.`,
      stopped: "It will not be claimed.",
    },
    documents: {
      receipt: "the receipt",
      unlocked_receipt: "the receipt without a password",
      medical_order: "the medical order",
      prescription: "the prescription",
      readable_photo: "a readable photo",
      other_document: "another document",
    },
    answer: {
      awaited: `It usually takes up to ${USUAL_CLAIM_ANSWER_WORKING_DAYS_MAX} working days.`,
      approved: (day) => `Approved on ${day}.`,
      rejected: (day, reason) =>
        `Rejected on ${day}${reason === null ? "." : `: “${reason}”${stopAfter(reason)}`} You can complain to your isapre and then to the Superintendencia de Salud (the regulator).`,
      blocked: (day, chargedOn) =>
        `Access was blocked on ${day}.${chargedOn === null ? "" : ` If it stays blocked, the second charge is on ${chargedOn}.`}`,
      stopped: "We no longer ask for it.",
      refunded: "It no longer applies: the clinic refunded everything.",
    },
    second: {
      by_day: (day) =>
        `By ${day}, or earlier if your isapre approves or blocks the access for ${ACCESS_BLOCKED_DAYS} days.`,
      again: (day) => `We will try again on ${day}.`,
      on_day: (day, reason) => `On ${day}${reason === null ? "." : `, ${reason}.`}`,
      reasons: {
        approved: "because your isapre approved the reimbursement",
        access_blocked: "because your isapre blocked the access",
        day_45: "because the last day has come",
        paid_early: "because you asked to pay it early",
      },
      due_now: "We are charging it.",
      in_flight: "We are checking it with your bank. It is not charged twice.",
      on_hold: "We will tell you at least a day before.",
      held: {
        chargeback: "On hold: a person is reviewing the dispute that you opened at your bank.",
        data_blocked: "On hold, because you asked us to block your data.",
        mandate_revoked:
          "You withdrew the authorization for your card. Add another one, or ask under Help to pay in another way.",
        card_declined: "It could not be charged. Add another card.",
        refund: "A refund is in progress.",
      },
      until: (day) => `Due by ${day}.`,
      declined: (card, day) => `Your bank declined the card ••${card} on ${day}.`,
      paid_otherwise: (day) => `You paid it in another way on ${day}.`,
      cancelled: "There is no second charge.",
      written_off: "It will not be charged.",
    },
    refunds: {
      title: (day) => `Refund from the clinic of ${day}`,
      off_second_charge: "Taken off the second charge",
      to_cards: "Returned to your card",
      by_bank: "Already returned by your bank",
      by_transfer: "To be transferred",
      transferred: "Transferred",
      processing: "In progress",
      failed: "Could not be made",
    },
    cost: { reimbursed: "Your isapre reimburses", own: "Your total cost" },
    actions: {
      give_access: "Give my isapre password",
      pay_early: (amount) => `Pay ${amount} now`,
      change_card: "Use another card",
      data: "See my data",
      dataSent: "We have e-mailed you a link to your data.",
      back: "Back to my payment",
    },
  },
};

/** The full stop after a quotation that has none. */
function stopAfter(quotation: string): string {
  return quotation.endsWith(".") ? "" : ".";
}
