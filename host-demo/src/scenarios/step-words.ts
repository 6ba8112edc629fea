import { LATEST_COLLECTION_DAY } from "bff/contract/terms";
import type { ClaimStatus, CollectionStatus, OrderStatus, Step } from "./scenario.ts";
import { isSight } from "./scenario.ts";

/** Words for users of the clinic's page. Each table has every status; one without words does not compile. */
export const ORDER_WORDS: Readonly<Record<OrderStatus | "partially_paid", string>> = {
  pending: "Pendiente",
  partially_paid: "Pagada en parte",
  paid: "Pagada",
  partially_refunded: "Devuelta en parte",
  refunded: "Devuelta",
  cancelled: "Anulada",
};

export const CLAIM_WORDS: Readonly<Record<ClaimStatus | "received" | "waiting_order", string>> = {
  received: "Boleta recibida",
  waiting_order: "Espera el pago",
  filed: "Ingresado en la isapre",
  approved: "Aprobado",
  rejected: "Rechazado",
  held: "Falta un documento",
  access_blocked: "Sin acceso a la isapre",
};

export const COLLECTION_WORDS: Readonly<Record<CollectionStatus, string>> = {
  scheduled: "Programado",
  processing: "En curso",
  collected: "Cobrado",
  failed: "No se pudo cobrar",
  cancelled: "Anulado",
};

export const REASON_WORDS: Readonly<Record<string, string>> = {
  approved: "la isapre aprobó",
  access_blocked: "acceso bloqueado tres días",
  day_45: `día ${LATEST_COLLECTION_DAY}`,
  paid_early: "pago anticipado",
};

/** The checkout's steps, as its own progress names them; the frame sends the page their English names. */
export const CHECKOUT_STEP_WORDS: Readonly<Record<string, string>> = {
  summary: "resumen",
  patient: "tus datos",
  identity: "tu identidad",
  card: "tu tarjeta",
  review: "revisa y paga",
};

/** The words for a status from the service: `none` for no status. An unknown status is shown unchanged. */
export function wordsFor(words: Readonly<Record<string, string>>, status: string | null, none: string): string {
  return status === null ? none : (words[status] ?? status);
}

function days(count: number): string {
  return count === 1 ? "1 día" : `${count} días`;
}

/** A step in words for a person who follows it on the page. */
export function wordsOfStep(step: Step): string {
  if (isSight(step)) {
    switch (step.see) {
      case "screen":
        return `Aparece «${step.heading}».`;
      case "alert":
        return `El aviso dice «${step.words}».`;
      case "order":
        return `La orden queda: ${ORDER_WORDS[step.status].toLowerCase()}.`;
      case "claim":
        return `El reembolso queda: ${CLAIM_WORDS[step.status].toLowerCase()}.`;
      case "collection":
        return step.reason === undefined
          ? `El segundo cobro queda: ${COLLECTION_WORDS[step.status].toLowerCase()}.`
          : `El segundo cobro queda: ${COLLECTION_WORDS[step.status].toLowerCase()} (${REASON_WORDS[step.reason] ?? step.reason}).`;
      case "notice":
        return `El paciente recibe un aviso sobre «${step.subject}».`;
    }
  }
  switch (step.do) {
    case "accept_summary":
      return "Lee el resumen y continúa.";
    case "register":
      return step.portalPassword === null
        ? `Elige ${step.insurer} y autoriza, sin dar la clave del portal.`
        : `Elige ${step.insurer}, da la clave «${step.portalPassword}» y autoriza.`;
    case "prove_identity":
      return `Ingresa el número de documento ${step.serial}.`;
    case "add_card":
      return `Ingresa la tarjeta ${step.card.number}, ${step.card.expiry}, código ${step.card.cvc}${step.keep === true ? ", y marca «Guardar tarjeta»" : ""}.`;
    case "change_card":
      return `Cambia a la tarjeta ${step.card.number}, ${step.card.expiry}, código ${step.card.cvc}.`;
    case "pay":
      return "Presiona Pagar.";
    case "come_back":
      return "Vuelve a «Reservar» y reserva otra atención para el mismo paciente.";
    case "answer_code":
      return "Toca el campo del código y escribe el que llega al celular (en «Avisos»).";
    case "answer_bank":
      return `En la página del banco presiona «${step.button}».`;
    case "confirm_card":
      return `En la página del procesador de tarjetas presiona «${step.button}».`;
    case "pass_days":
      return `Avanza ${days(step.days)} con la máquina del tiempo.`;
    case "give_access_by_mail":
      return `Con el enlace del aviso da acceso de nuevo, con la clave «${step.portalPassword}».`;
    case "change_card_by_mail":
      return `Con el enlace del aviso cambia a la tarjeta ${step.card.number}, ${step.card.expiry}, código ${step.card.cvc}, y en la página del banco presiona «${step.button}».`;
    case "pay_rest_by_mail":
      return "Con el enlace del aviso paga lo que queda.";
    case "refund":
      return step.amountClp === null ? "La clínica devuelve todo." : `La clínica devuelve $${step.amountClp}.`;
  }
}
