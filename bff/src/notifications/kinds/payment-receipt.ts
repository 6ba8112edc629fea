import type { OrderDocument } from "../../contract/order-files.ts";
import { ACCESS_BLOCKED_DAYS } from "../../contract/terms.ts";
import { type Clp, formatClp, subtractClp } from "../../contract/vocabulary/clp.ts";
import { type CommissionTax, vatIn } from "../../contract/vocabulary/commission-tax.ts";
import { formatRut } from "../../contract/vocabulary/rut.ts";
import type { Locale } from "../../contract/widget-tokens.ts";
import { dayInWords } from "../../platform/day-in-words.ts";
import type { CalendarDay } from "../../platform/santiago-time.ts";
import { type MailWords, type NotificationDefinition, type Row, shortMessage } from "../notification-definition.ts";
import { authorisationRow } from "./rows.ts";

/** An order was paid. */
export interface PaymentReceipt {
  readonly firstName: string;
  readonly clinic: string;
  readonly total: Clp;
  readonly today: Clp;
  /** The later charge for the deferred part, including the commission. */
  readonly laterCharge: Clp;
  /** The commission included in it. */
  readonly commission: Clp;
  /** How the commission is taxed, and who charges it. */
  readonly tax: CommissionTax;
  readonly latestDay: CalendarDay;
  /** The patient has withdrawn the later charge since they paid, so the rest must be paid by another method. */
  readonly isLaterChargeWithdrawn: boolean;
  /** The issuer's code of the charge; null if the processor has sent none. */
  readonly authorisationCode: string | null;
  /** Whether the accepted texts are stored, so that the mail includes them. */
  readonly hasAgreement: boolean;
  /** The credit as shown before the payment; null if it was not stored. */
  readonly credit: { readonly financingProvider: string; readonly annualCostPercentage: number } | null;
}

/** How the rest is paid, in the short message. */
const MANNER = {
  "es-CL": { charged: "se hará una sola vez,", withdrawn: "no se cobrará en tu tarjeta y debes pagarlo" },
  en: { charged: "will be made once,", withdrawn: "will not be charged to your card and must be paid" },
} as const satisfies Readonly<Record<Locale, object>>;

export const paymentReceipt: NotificationDefinition<PaymentReceipt> = {
  mail: { "es-CL": mailInSpanish, en: mailInEnglish },
  message: shortMessage({
    values: ({ today, laterCharge, latestDay, isLaterChargeWithdrawn }, locale) => ({
      today: formatClp(today),
      laterCharge: formatClp(laterCharge),
      manner: MANNER[locale][isLaterChargeWithdrawn ? "withdrawn" : "charged"],
      latestDay: dayInWords(latestDay, locale),
    }),
    words: {
      "es-CL": ({ today, laterCharge, manner, latestDay }) =>
        `recibimos tu pago de ${today}. El segundo cobro, ${laterCharge}, ${manner} a más tardar el ${latestDay}.`,
      en: ({ today, laterCharge, manner, latestDay }) =>
        `we received your payment of ${today}. The second charge, ${laterCharge}, ${manner} on ${latestDay} at the latest.`,
    },
    // A patient who pays at night is awake.
    goes: "at_once",
  }),
};

function mailInSpanish(facts: PaymentReceipt): MailWords {
  const { firstName, clinic, total, today, laterCharge, latestDay, isLaterChargeWithdrawn } = facts;
  const day = dayInWords(latestDay, "es-CL");
  return {
    subject: `Tu pago en ${clinic}`,
    paragraphs: [
      `Hola, ${firstName}. Recibimos tu pago por tu atención en ${clinic}.`,
      isLaterChargeWithdrawn
        ? `El resto no se cobrará en tu tarjeta, porque retiraste la autorización. Lo debes igual, aunque tu isapre reembolse menos o nada. Vence cuando tu isapre apruebe, si nos bloquea el acceso ${ACCESS_BLOCKED_DAYS} días seguidos o, a más tardar, el ${day}. Otro correo te dice cómo pagarlo.`
        : `El segundo cobro se hará en la misma tarjeta, una sola vez: cuando tu isapre apruebe, si nos bloquea el acceso ${ACCESS_BLOCKED_DAYS} días seguidos o, a más tardar, el ${day}. Se hará aunque tu isapre reembolse menos o nada.`,
      "El comprobante de pago no es una boleta: la boleta de la atención te la da la clínica.",
    ],
    amounts: [
      ["Hoy pagaste", formatClp(today)],
      [isLaterChargeWithdrawn ? "Te queda por pagar" : "Segundo cobro", formatClp(laterCharge)],
    ],
    table: [
      ["A más tardar", day],
      ["Precio de la atención", formatClp(total)],
      ...feeRows(facts, "es-CL"),
      ...(facts.credit === null
        ? []
        : ([
            ["Lo financia", facts.credit.financingProvider],
            ["Evaluación del crédito", "Aprobada"],
            ["CAE (costo anual)", `${String(facts.credit.annualCostPercentage).replace(".", ",")}%`],
          ] as const)),
      ...authorisationRow("es-CL", facts.authorisationCode),
    ],
    attached: documents(facts),
  };
}

function mailInEnglish(facts: PaymentReceipt): MailWords {
  const { firstName, clinic, total, today, laterCharge, latestDay, isLaterChargeWithdrawn } = facts;
  const day = dayInWords(latestDay, "en");
  return {
    subject: `Your payment at ${clinic}`,
    paragraphs: [
      `Hello, ${firstName}. We received your payment for your consultation at ${clinic}.`,
      isLaterChargeWithdrawn
        ? `The rest will not be charged to your card, because you withdrew the authorization. You still owe it, even if your isapre (private health insurer) reimburses less or nothing. It is due when your isapre approves, if it blocks our access for ${ACCESS_BLOCKED_DAYS} days in a row or, at the latest, on ${day}. Another e-mail says how to pay.`
        : `The second charge will be made to the same card, once: when your isapre (private health insurer) approves, if it blocks our access for ${ACCESS_BLOCKED_DAYS} days in a row or, at the latest, on ${day}. It will be made even if your isapre reimburses less or nothing.`,
      "The payment receipt is not a tax receipt (boleta): the clinic gives you the boleta for the consultation.",
    ],
    amounts: [
      ["You paid today", formatClp(today)],
      [isLaterChargeWithdrawn ? "Left to pay" : "Second charge", formatClp(laterCharge)],
    ],
    table: [
      ["At the latest", day],
      ["Price", formatClp(total)],
      ...feeRows(facts, "en"),
      ...(facts.credit === null
        ? []
        : ([
            ["Financed by", facts.credit.financingProvider],
            ["Credit assessment", "Approved"],
            ["CAE (annual cost)", `${facts.credit.annualCostPercentage}%`],
          ] as const)),
      ...authorisationRow("en", facts.authorisationCode),
    ],
    attached: documents(facts),
  };
}

function documents({ hasAgreement }: PaymentReceipt): readonly OrderDocument[] {
  return hasAgreement ? ["receipt", "agreement", "calendar"] : ["receipt", "calendar"];
}

const FEE = {
  "es-CL": {
    interest: "Comisión (interés del crédito)",
    fee: "Comisión (IVA incluido)",
    vat: "Neto e IVA",
    by: "La cobra",
  },
  en: { interest: "Fee (interest on the credit)", fee: "Fee (VAT included)", vat: "Net and VAT", by: "Charged by" },
} as const satisfies Readonly<Record<Locale, object>>;

/** The commission, its parts and the party that charges it; empty if there is none. */
export function feeRows(
  { commission, tax, credit }: Pick<PaymentReceipt, "commission" | "tax" | "credit">,
  locale: Locale,
): readonly Row[] {
  const words = FEE[locale];
  if (commission === 0) return [];
  if (tax.regime === "interest")
    return [
      [words.interest, formatClp(commission)],
      ...(credit === null ? [] : [[words.by, credit.financingProvider] as const]),
    ];
  const vat = vatIn(tax, commission);
  return [
    [words.fee, formatClp(commission)],
    [words.vat, `${formatClp(subtractClp(commission, vat))} + ${formatClp(vat)}`],
    [words.by, `${tax.issuer.name}, RUT\u00a0${formatRut(tax.issuer.rut)}`],
  ];
}
