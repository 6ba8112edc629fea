import { formatClp } from "../contract/vocabulary/clp.ts";
import type { Locale } from "../contract/widget-tokens.ts";
import type { NextCharge } from "./after-paid-notification.ts";
import { dayInWords } from "./day-in-words.ts";
import type { Notification, NotificationKind } from "./notification.ts";

/** What goes to the confirmed address alone: codes, links that were asked for, and what is about the address or the data themselves. */
type MailOnly =
  | "recovery_code"
  | "email_changed"
  | "email_change_undone"
  | "data_link"
  | "payment_link"
  | "data_erased"
  | "data_erasure_ended";
type Messaged = Exclude<NotificationKind, MailOnly>;
type Words = { readonly [Kind in Messaged]: (notification: Extract<Notification, { kind: Kind }>) => string };

/** What of a clinic's name stands in a message. */
const CLINIC_CHARACTERS_MAX = 40;

/**
 * A notice as a short message, in the patient's language; `null` for one that goes by mail alone. It says no more than a
 * locked screen may show, and has no link and no code: whoever holds the telephone is not yet the patient.
 */
export function messageWords(notification: Notification, locale: Locale): string | null {
  if (isMailOnly(notification)) return null;
  const text = wordsIn(WORDS[locale], { ...notification, clinic: short(notification.clinic) });
  return text.replace(/\s+/g, " ").trim();
}

function isMailOnly(notification: Notification): notification is Extract<Notification, { kind: MailOnly }> {
  return !Object.hasOwn(es, notification.kind);
}

function wordsIn(words: Words, notification: Extract<Notification, { kind: Messaged }>): string {
  switch (notification.kind) {
    case "payment_receipt":
      return words.payment_receipt(notification);
    case "claim_filed":
      return words.claim_filed(notification);
    case "claim_approved":
      return words.claim_approved(notification);
    case "claim_rejected":
      return words.claim_rejected(notification);
    case "access_blocked":
      return words.access_blocked(notification);
    case "charge_announced":
      return words.charge_announced(notification);
    case "charged":
      return words.charged(notification);
    case "charge_declined":
      return words.charge_declined(notification);
    case "refunded":
      return words.refunded(notification);
  }
}

function short(clinic: string): string {
  const characters = [...clinic];
  if (characters.length <= CLINIC_CHARACTERS_MAX) return clinic;
  return `${characters.slice(0, CLINIC_CHARACTERS_MAX - 1).join("")}…`;
}

function nextChargeEs(next: NextCharge): string {
  switch (next.kind) {
    case "tried_again":
      return `Lo intentaremos de nuevo el ${dayInWords(next.day)}.`;
    case "as_before":
      return `El cobro sigue como antes: a más tardar el ${dayInWords(next.day)}.`;
    case "given_up":
      return "No lo intentaremos de nuevo con ella.";
    case "paused":
      return "Por ahora no lo intentaremos de nuevo.";
  }
}

function nextChargeEn(next: NextCharge): string {
  switch (next.kind) {
    case "tried_again":
      return `We will try again on ${next.day}.`;
    case "as_before":
      return `The charge comes as before, on ${next.day} at the latest.`;
    case "given_up":
      return "We will not try it again.";
    case "paused":
      return "For now we will not try again.";
  }
}

const es: Words = {
  payment_receipt: ({ clinic, today, laterCharge, latestDay }) =>
    `${clinic}: recibimos tu pago de ${formatClp(today)}. El resto, ${formatClp(laterCharge)}, se cobrará una sola vez, a más tardar el ${dayInWords(latestDay)}. El comprobante está en tu correo.`,
  claim_filed: ({ clinic, insurer }) =>
    `${clinic}: presentamos en ${insurer} el reembolso de tu atención. Te avisaremos cuando responda.`,
  claim_approved: ({ clinic, insurer, isCharged }) =>
    `${clinic}: ${insurer} aprobó tu reembolso.${isCharged ? " Con eso se cobra lo que quedaba de tu pago." : ""}`,
  claim_rejected: ({ clinic, insurer, isChargeAhead }) =>
    `${clinic}: ${insurer} rechazó tu reembolso. El motivo está en tu correo.${isChargeAhead ? " El cobro que queda sigue como lo aceptaste." : ""}`,
  access_blocked: ({ clinic, insurer, accessUrl, isChargeAhead, refusedAgain }) =>
    `${clinic}: ${insurer} bloqueó ${refusedAgain === null ? "el acceso con que seguimos tu reembolso" : "también el acceso que nos diste"}. ${accessUrl === null ? "Te escribimos a tu correo." : `Danos acceso de nuevo${isChargeAhead ? ` antes ${refusedAgain === null ? "de 3 días" : `del ${dayInWords(refusedAgain.chargeDay)}`}` : ""}, con el botón que está en tu correo.`} Nunca te pediremos tu clave por mensaje.`,
  charge_announced: ({ clinic, amount, day, cardEnding, payUrl }) =>
    `${clinic}: el ${dayInWords(day)} cobraremos ${formatClp(amount)} en tu tarjeta terminada en ${cardEnding}.${payUrl === null ? "" : " Si quieres pagar antes, usa el botón que está en tu correo."}`,
  charged: ({ clinic, amount }) =>
    `${clinic}: cobramos ${formatClp(amount)}, lo que quedaba de tu pago. No habrá más cobros.`,
  charge_declined: ({ clinic, amount, cardEnding, next, cardUrl }) =>
    `${clinic}: no pudimos cobrar ${formatClp(amount)} en tu tarjeta terminada en ${cardEnding}. ${nextChargeEs(next)}${cardUrl === null ? "" : " Para cambiarla, usa el botón que está en tu correo."}`,
  refunded: ({ clinic, refunded, total }) =>
    `${clinic}: hicimos una devolución de tu pago. Devuelto hasta ahora: ${formatClp(refunded)} de ${formatClp(total)}. El detalle está en tu correo.`,
};

const en: Words = {
  payment_receipt: ({ clinic, today, laterCharge, latestDay }) =>
    `${clinic}: we received your payment of ${formatClp(today)}. The rest, ${formatClp(laterCharge)}, will be charged once, on ${latestDay} at the latest. The receipt is in your e-mail.`,
  claim_filed: ({ clinic, insurer }) =>
    `${clinic}: we filed the claim for your visit with ${insurer}. We will tell you when they answer.`,
  claim_approved: ({ clinic, insurer, isCharged }) =>
    `${clinic}: ${insurer} approved your claim.${isCharged ? " With that, what was left of your payment is charged." : ""}`,
  claim_rejected: ({ clinic, insurer, isChargeAhead }) =>
    `${clinic}: ${insurer} rejected your claim. The reason is in your e-mail.${isChargeAhead ? " What is left will be charged as you accepted." : ""}`,
  access_blocked: ({ clinic, insurer, accessUrl, isChargeAhead, refusedAgain }) =>
    `${clinic}: ${insurer} blocked ${refusedAgain === null ? "the access with which we follow your claim" : "the access that you gave us, too"}. ${accessUrl === null ? "We wrote to your e-mail." : `Give us access again${isChargeAhead ? (refusedAgain === null ? " within 3 days" : ` before ${refusedAgain.chargeDay}`) : ""}, with the button in your e-mail.`} We never ask for your password in a message.`,
  charge_announced: ({ clinic, amount, day, cardEnding, payUrl }) =>
    `${clinic}: on ${day} we will charge ${formatClp(amount)} to your card ending in ${cardEnding}.${payUrl === null ? "" : " To pay earlier, use the button in your e-mail."}`,
  charged: ({ clinic, amount }) =>
    `${clinic}: we charged ${formatClp(amount)}, what was left of your payment. There will be no more charges.`,
  charge_declined: ({ clinic, amount, cardEnding, next, cardUrl }) =>
    `${clinic}: we could not charge ${formatClp(amount)} to your card ending in ${cardEnding}. ${nextChargeEn(next)}${cardUrl === null ? "" : " To change it, use the button in your e-mail."}`,
  refunded: ({ clinic, refunded, total }) =>
    `${clinic}: your payment was given back in part or in full. So far: ${formatClp(refunded)} of ${formatClp(total)}. The details are in your e-mail.`,
};

const WORDS: Readonly<Record<Locale, Words>> = { "es-CL": es, en };
