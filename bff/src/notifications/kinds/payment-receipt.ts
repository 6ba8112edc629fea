import { ACCESS_BLOCKED_DAYS } from "../../contract/terms.ts";
import { type Clp, formatClp } from "../../contract/vocabulary/clp.ts";
import type { CommissionRegime } from "../../contract/vocabulary/commission-tax.ts";
import type { CalendarDay } from "../../platform/santiago-time.ts";
import { dayInWords } from "../day-in-words.ts";
import type { EnclosedText, MailWords, NotificationDefinition } from "../notification-definition.ts";
import { authorisationRow, cardRow, commissionRow } from "./rows.ts";

/** An order was paid. */
export interface PaymentReceipt {
  readonly firstName: string;
  readonly clinic: string;
  readonly total: Clp;
  readonly today: Clp;
  /** The later charge for the deferred part, including the commission. */
  readonly laterCharge: Clp;
  /** The commission in it. */
  readonly commission: Clp;
  /** How the commission is taxed. */
  readonly regime: CommissionRegime;
  readonly latestDay: CalendarDay;
  /** The patient has withdrawn the later charge since they pressed the button: the rest is to be paid otherwise. */
  readonly isLaterChargeWithdrawn: boolean;
  readonly reference: string;
  readonly cardEnding: string;
  /** The issuer's code of the charge; null where the processor has told none. */
  readonly authorisationCode: string | null;
  /** What was agreed to, as it was shown; null if that was not kept. */
  readonly agreement: readonly EnclosedText[] | null;
  /** As it was shown before the payment; null if that was not kept. */
  readonly credit: { readonly financingProvider: string; readonly annualCostPercentage: number } | null;
}

export const paymentReceipt: NotificationDefinition<PaymentReceipt> = {
  mail: { "es-CL": mailInSpanish, en: mailInEnglish },
  message: {
    words: {
      "es-CL": ({ today, laterCharge, latestDay, isLaterChargeWithdrawn }) =>
        `recibimos tu pago de ${formatClp(today)}. El resto, ${formatClp(laterCharge)}, ${isLaterChargeWithdrawn ? "no se cobrará en tu tarjeta y debes pagarlo" : "se cobrará una sola vez,"} a más tardar el ${dayInWords(latestDay, "es-CL")}. El comprobante está en tu correo.`,
      en: ({ today, laterCharge, latestDay, isLaterChargeWithdrawn }) =>
        `we received your payment of ${formatClp(today)}. The rest, ${formatClp(laterCharge)}, ${isLaterChargeWithdrawn ? "will not be charged to your card and is to be paid" : "will be charged once,"} on ${dayInWords(latestDay, "en")} at the latest. The receipt is in your e-mail.`,
    },
    // A patient who pays at night is awake.
    goes: "at_once",
  },
};

function mailInSpanish(facts: PaymentReceipt): MailWords {
  const { firstName, clinic, total, today, laterCharge, commission, latestDay, reference, credit } = facts;
  return {
    subject: `Tu pago en ${clinic}`,
    paragraphs: [
      `Hola, ${firstName}. Recibimos tu pago.`,
      facts.isLaterChargeWithdrawn
        ? `El resto no se cobrará en tu tarjeta, porque retiraste la autorización. Lo sigues debiendo, aunque la isapre reembolse menos o no reembolse: se paga cuando tu isapre apruebe el reembolso, si el acceso a tu isapre lleva ${ACCESS_BLOCKED_DAYS} días bloqueado o, a más tardar, en la fecha límite. Otro correo te dice cómo.`
        : `El resto se cobrará en la misma tarjeta, una sola vez: cuando tu isapre apruebe el reembolso, si el acceso a tu isapre lleva ${ACCESS_BLOCKED_DAYS} días bloqueado o, a más tardar, en la fecha límite. Se cobrará aunque la isapre reembolse menos o no reembolse.`,
      "Guarda este correo como comprobante de tu pago. No es una boleta: la boleta de la atención te la da la clínica.",
      ...(facts.agreement === null ? [] : ["Más abajo está la copia de lo que aceptaste."]),
    ],
    enclosed: facts.agreement ?? [],
    table: [
      ["Referencia", reference],
      cardRow("es-CL", facts.cardEnding),
      ...authorisationRow("es-CL", facts.authorisationCode),
      ["Total de la atención", formatClp(total)],
      ["Pagaste hoy", formatClp(today)],
      [facts.isLaterChargeWithdrawn ? "Te queda por pagar" : "Se cobrará después", formatClp(laterCharge)],
      ...commissionRow(
        facts.regime === "interest" ? "Comisión (interés del crédito)" : "Comisión (IVA incluido)",
        commission,
      ),
      ["Fecha límite", dayInWords(latestDay, "es-CL")],
      ...(credit === null
        ? []
        : ([
            ["Lo financia", credit.financingProvider],
            ["Carga anual equivalente (CAE)", `${String(credit.annualCostPercentage).replace(".", ",")}%`],
          ] as const)),
    ],
  };
}

function mailInEnglish(facts: PaymentReceipt): MailWords {
  const { firstName, clinic, total, today, laterCharge, commission, latestDay, reference, credit } = facts;
  return {
    subject: `Your payment at ${clinic}`,
    paragraphs: [
      `Hello, ${firstName}. We received your payment.`,
      facts.isLaterChargeWithdrawn
        ? `The rest will not be charged to your card, because you withdrew the authority. You still owe it, even if your isapre reimburses less or nothing: it is to be paid when your isapre approves the reimbursement, if the access to your isapre has been blocked for ${ACCESS_BLOCKED_DAYS} days or, at the latest, on the date below. Another e-mail says how.`
        : `The rest will be charged to the same card, once: when your isapre approves the reimbursement, if the access to your isapre has been blocked for ${ACCESS_BLOCKED_DAYS} days or, at the latest, on the date below. It will be charged even if your isapre reimburses less or nothing.`,
      "Keep this e-mail as proof of your payment. It is no tax receipt (boleta): the clinic gives you that of the consultation.",
      ...(facts.agreement === null ? [] : ["Below is the copy of what you agreed to."]),
    ],
    enclosed: facts.agreement ?? [],
    table: [
      ["Reference", reference],
      cardRow("en", facts.cardEnding),
      ...authorisationRow("en", facts.authorisationCode),
      ["Total of the consultation", formatClp(total)],
      ["You paid today", formatClp(today)],
      [facts.isLaterChargeWithdrawn ? "Left to pay" : "To be charged later", formatClp(laterCharge)],
      ...commissionRow(
        facts.regime === "interest" ? "Commission (interest of the credit)" : "Commission (VAT included)",
        commission,
      ),
      ["Latest date", dayInWords(latestDay, "en")],
      ...(credit === null
        ? []
        : ([
            ["Financed by", credit.financingProvider],
            ["Annual cost (CAE)", `${credit.annualCostPercentage}%`],
          ] as const)),
    ],
  };
}
