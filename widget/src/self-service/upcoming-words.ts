import type { UpcomingCharge } from "bff/contract/orders";
import { ACCESS_BLOCKED_DAYS } from "bff/contract/terms";
import type { ProblemWords } from "../words/words.ts";
import type { PageWords } from "./link-page.ts";

/** What the words name: amounts and days as they are written. */
interface Named {
  readonly amount: string;
  /** The day of the charge, or its latest day. */
  readonly day: string;
  /** The last digits of the card that is charged. */
  readonly last4: string;
}

type OfEach = Readonly<Record<UpcomingCharge["status"], (named: Named) => string>>;

/** Every sentence of these pages about a charge that is to come, by what the service says of it. */
interface UpcomingWords {
  /** What happens to the charge if the patient gives the card that the form asks for. */
  readonly givingCard: OfEach;
  /** The button of that form. */
  readonly giveCard: (amount: string, isChargedNow: boolean) => string;
  /** What comes once the card was taken. */
  readonly cardGiven: OfEach;
  /** In place of a page that can do nothing now, although a charge may still come. */
  readonly onHold: ProblemWords;
}

export const UPCOMING_WORDS: PageWords<UpcomingWords> = {
  "es-CL": {
    givingCard: {
      none: () => "No queda nada por cobrar de tu atención.",
      due_now: ({ amount }) => `Al presionar se cobran ${amount} ahora en esta tarjeta, una sola vez.`,
      on_day: ({ amount, day }) =>
        `La usaremos para el cobro que queda, de ${amount}, una sola vez: lo haremos el ${day}.`,
      by_day: ({ amount, day }) =>
        `La usaremos para el cobro que queda, de ${amount}, una sola vez y como lo aceptaste al pagar: a más tardar el ${day}, o antes si tu isapre aprueba el reembolso o si el acceso a tu isapre lleva ${ACCESS_BLOCKED_DAYS} días bloqueado.`,
      on_hold: () =>
        "La usaremos si queda un cobro por hacer. Antes de hacerlo te avisaremos por correo, al menos el día anterior.",
      in_flight: ({ amount, last4 }) =>
        `Ya pedimos un cobro de ${amount} en tu tarjeta terminada en ${last4} y esperamos la respuesta del banco. Si no resulta, usaremos esta, y te avisaremos por correo al menos el día anterior.`,
      card_needed: ({ amount }) => `La usaremos para lo que queda por pagar, ${amount}.`,
    },
    giveCard: (amount, isChargedNow) => (isChargedNow ? `Usar esta tarjeta y pagar ${amount}` : "Usar esta tarjeta"),
    cardGiven: {
      none: () => "El cobro que quedaba ya está hecho.",
      due_now: ({ amount, last4 }) => `Estamos cobrando ${amount} en tu tarjeta terminada en ${last4}.`,
      on_day: ({ amount, day, last4 }) =>
        `El ${day} haremos el cobro de ${amount} en tu tarjeta terminada en ${last4}.`,
      by_day: ({ amount, day, last4 }) =>
        `Haremos el cobro de ${amount} en tu tarjeta terminada en ${last4} a más tardar el ${day}, o antes si tu isapre aprueba el reembolso o si el acceso a tu isapre lleva ${ACCESS_BLOCKED_DAYS} días bloqueado.`,
      on_hold: ({ last4 }) =>
        `Si queda un cobro por hacer, será en tu tarjeta terminada en ${last4}, y te avisaremos al menos el día anterior.`,
      in_flight: ({ amount }) => `Ya pedimos el cobro de ${amount} y esperamos la respuesta del banco.`,
      card_needed: ({ amount }) => `Quedan ${amount} por pagar.`,
    },
    onHold: {
      title: "Por ahora no se puede hacer nada aquí",
      text: "Tu clínica está haciendo una devolución, o una persona está revisando tu pago. Si después queda un cobro por hacer, te avisaremos por correo al menos el día anterior.",
    },
  },
  en: {
    givingCard: {
      none: () => "Nothing is left to charge for your visit.",
      due_now: ({ amount }) => `When you press, ${amount} is charged to this card now, once.`,
      on_day: ({ amount, day }) => `We use it for the charge that is left, of ${amount}, once: we make it on ${day}.`,
      by_day: ({ amount, day }) =>
        `We use it for the charge that is left, of ${amount}, once and as you accepted when you paid: on ${day} at the latest, or earlier if your isapre approves the reimbursement or access to it has been blocked for ${ACCESS_BLOCKED_DAYS} days.`,
      on_hold: () =>
        "We use it if a charge is still to be made. Before we make it, we will tell you by e-mail, at least the day before.",
      in_flight: ({ amount, last4 }) =>
        `We have already requested a charge of ${amount} to your card ending in ${last4}, and we are waiting for the bank. If it fails, we use this one, and we will tell you by e-mail at least the day before.`,
      card_needed: ({ amount }) => `We use it for what is left to pay, ${amount}.`,
    },
    giveCard: (amount, isChargedNow) => (isChargedNow ? `Use this card and pay ${amount}` : "Use this card"),
    cardGiven: {
      none: () => "The charge that was left is made.",
      due_now: ({ amount, last4 }) => `We are charging ${amount} to your card ending in ${last4}.`,
      on_day: ({ amount, day, last4 }) => `On ${day} we will charge ${amount} to your card ending in ${last4}.`,
      by_day: ({ amount, day, last4 }) =>
        `We will charge ${amount} to your card ending in ${last4} on ${day} at the latest, or earlier if your isapre approves the reimbursement or access to it has been blocked for ${ACCESS_BLOCKED_DAYS} days.`,
      on_hold: ({ last4 }) =>
        `If a charge is still to be made, it goes to your card ending in ${last4}, and we will tell you at least the day before.`,
      in_flight: ({ amount }) => `We have requested the charge of ${amount}, and we are waiting for the bank.`,
      card_needed: ({ amount }) => `${amount} is left to pay.`,
    },
    onHold: {
      title: "Nothing can be done here for now",
      text: "Your clinic is giving money back, or a person is looking at your payment. If a charge is still to be made afterwards, we will tell you by e-mail at least the day before.",
    },
  },
};
