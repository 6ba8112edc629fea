import { CARD_BRAND_NAMES, type UpcomingCharge } from "../../contract/orders.ts";
import type { Quote } from "../../contract/quote.ts";
import { ACCESS_BLOCKED_DAYS } from "../../contract/terms.ts";
import { formatClp } from "../../contract/vocabulary/clp.ts";
import { formatRut, type Rut } from "../../contract/vocabulary/rut.ts";
import type { Locale } from "../../contract/widget-tokens.ts";
import { feeRows } from "../../notifications/kinds/payment-receipt.ts";
import { SERVICE_NAME } from "../../notifications/mail-layout.ts";
import type { Row } from "../../notifications/notification-definition.ts";
import { dayInWords } from "../../platform/day-in-words.ts";
import { type CalendarDay, santiagoDay, santiagoTime } from "../../platform/santiago-time.ts";
import { movedBy } from "../order-amounts.ts";
import type { OrderRecord, PaymentRecord } from "../order-record.ts";
import { latestDueDate } from "../quote.ts";
import type { Section, SetDocument } from "./set-document.ts";

/** The clinic that treats, with the contacts for questions about the payment. */
export interface DocumentClinic {
  readonly name: string;
  readonly rut: Rut;
  readonly supportEmail: string;
  readonly supportPhone: string | null;
}

export interface ReceiptFacts {
  readonly clinic: DocumentClinic;
  readonly letterhead: SetDocument["letterhead"];
  readonly order: OrderRecord & { readonly paidAt: Date };
  readonly consultationDay: CalendarDay | null;
  /** What will be charged, at `madeAt`. */
  readonly upcoming: UpcomingCharge | null;
  /** The quote that was accepted; null if it was not kept. */
  readonly quote: Pick<Quote, "financing_provider" | "annual_cost_percentage"> | null;
  readonly locale: Locale;
  /** The provider's time. */
  readonly madeAt: Date;
}

const WORDS = {
  "es-CL": {
    file: "comprobante.pdf",
    title: "Comprobante de pago",
    foot: "Comprobante",
    made: "hecho el",
    today: "Pagaste",
    second: "Segundo cobro",
    payment: "Tu pago",
    clinic: "Clínica",
    patient: "Paciente",
    reference: "Referencia",
    consultation: "Fecha de la atención",
    paidAt: "Fecha y hora",
    price: "Precio de la atención",
    card: "Tarjeta",
    code: "Código de autorización",
    amount: "Monto",
    status: "Estado",
    byDay: "A más tardar",
    onDay: "Se cobra el",
    paidOn: "Pagado el",
    lender: "Lo financia",
    assessment: "Evaluación del crédito",
    approved: "Aprobada",
    cost: "CAE (costo anual)",
    refund: "Devolución del",
    refunded: "Precio devuelto",
    offSecond: "Descontado del segundo cobro",
    toCard: "Devuelto a la tarjeta",
    byBank: "Devuelto por tu banco",
    byTransfer: "Por transferencia",
    questions: "¿Dudas o reclamos?",
    triggers: `Se cobra una sola vez: cuando tu isapre apruebe el reembolso, si nos bloquea el acceso ${ACCESS_BLOCKED_DAYS} días seguidos o, a más tardar, ese día. Se cobra aunque tu isapre reembolse menos o nada.`,
    notBoleta: "Este comprobante no es una boleta. La boleta de la atención te la da la clínica.",
    complain: "También puedes reclamar ante el SERNAC (sernac.cl).",
    states: {
      none: "No se cobra nada más",
      in_flight: "En curso",
      due_now: "Por cobrar",
      on_day: "Por cobrar",
      by_day: "Por cobrar",
      on_hold: "Pendiente; no se cobra por ahora",
      card_needed: "Por pagar con otra tarjeta",
    },
    charged: "Cobrado",
    paidOtherwise: "Pagado de otra forma",
    writtenOff: "Ya no se cobra",
  },
  en: {
    file: "receipt.pdf",
    title: "Payment receipt",
    foot: "Receipt",
    made: "made on",
    today: "You paid",
    second: "Second charge",
    payment: "Your payment",
    clinic: "Clinic",
    patient: "Patient",
    reference: "Reference",
    consultation: "Date of the consultation",
    paidAt: "Date and time",
    price: "Price",
    card: "Card",
    code: "Authorization code",
    amount: "Amount",
    status: "Status",
    byDay: "At the latest",
    onDay: "Charged on",
    paidOn: "Paid on",
    lender: "Financed by",
    assessment: "Credit assessment",
    approved: "Approved",
    cost: "CAE (annual cost)",
    refund: "Refund of",
    refunded: "Price refunded",
    offSecond: "Taken off the second charge",
    toCard: "Returned to the card",
    byBank: "Returned by your bank",
    byTransfer: "By bank transfer",
    questions: "Questions or complaints?",
    triggers: `Charged once: when your isapre (private health insurer) approves the reimbursement, if it blocks our access for ${ACCESS_BLOCKED_DAYS} days in a row or, at the latest, on that day. Charged even if your isapre reimburses less or nothing.`,
    notBoleta: "This is not a tax receipt (boleta). The clinic gives you the boleta for the consultation.",
    complain: "You can also complain to SERNAC (sernac.cl).",
    states: {
      none: "Nothing more is charged",
      in_flight: "In progress",
      due_now: "To be charged",
      on_day: "To be charged",
      by_day: "To be charged",
      on_hold: "Owed; not charged for now",
      card_needed: "To be paid with another card",
    },
    charged: "Charged",
    paidOtherwise: "Paid in another way",
    writtenOff: "Not charged any more",
  },
} as const satisfies Readonly<Record<Locale, object>>;

/** The receipt of a paid order, as the order is at `madeAt`. */
export function receiptDocument(facts: ReceiptFacts): SetDocument {
  const { letterhead, order, locale, madeAt } = facts;
  const words = WORDS[locale];
  return {
    name: words.file,
    locale,
    title: words.title,
    foot: `${words.foot} ${order.reference} · ${SERVICE_NAME} · ${words.made} ${momentInWords(madeAt, locale)}`,
    letterhead,
    madeAt,
    sections: [paymentSection(facts), secondSection(facts), ...refundSections(facts), contactSection(facts)],
  };
}

/** `21 de noviembre de 2026, 12:00` */
export function momentInWords(moment: Date, locale: Locale): string {
  return `${dayInWords(santiagoDay(moment), locale)}, ${santiagoTime(moment)}`;
}

function paymentSection({ clinic, order, consultationDay, locale }: ReceiptFacts): Section {
  const words = WORDS[locale];
  const { customer } = order;
  return {
    title: words.payment,
    amounts: [[words.today, formatClp(order.first)]],
    rows: [
      [words.clinic, withRut(clinic.name, clinic.rut)],
      [words.patient, withRut(`${customer.firstName} ${customer.lastName}`, customer.rut)],
      [words.reference, order.reference],
      ...(consultationDay === null ? [] : [[words.consultation, dayInWords(consultationDay, locale)] as const]),
      [words.paidAt, momentInWords(order.paidAt, locale)],
      [words.price, formatClp(order.total)],
      ...voucherRows(capturedOf(order, "first"), locale),
    ],
  };
}

function secondSection(facts: ReceiptFacts): Section {
  const { order, upcoming, quote, locale } = facts;
  const words = WORDS[locale];
  const { amount, commission, status, rows } = secondCharge(facts);
  const credit = quote && {
    financingProvider: quote.financing_provider,
    annualCostPercentage: quote.annual_cost_percentage,
  };
  const isOpen = upcoming?.status === "by_day";
  return {
    title: words.second,
    amounts: [[words.amount, amount]],
    rows: [
      [words.status, status],
      ...rows,
      ...feeRows({ commission, tax: order.commissionTax, credit }, locale),
      ...(credit === null
        ? []
        : ([
            [words.lender, credit.financingProvider],
            [words.assessment, words.approved],
            [words.cost, `${String(credit.annualCostPercentage).replace(".", locale === "en" ? "." : ",")}%`],
          ] as const)),
    ],
    blocks: isOpen ? [{ type: "paragraph", text: words.triggers }] : [],
  };
}

/** The second charge, made or to come. */
function secondCharge({ order, upcoming, locale }: ReceiptFacts) {
  const words = WORDS[locale];
  const charge = capturedOf(order, "deferred");
  if (charge !== undefined) {
    const day = [words.paidOn, dayInWords(santiagoDay(charge.createdAt), locale)] as const;
    const rows = [day, ...voucherRows(charge, locale)];
    return { amount: formatClp(charge.amount), commission: charge.commission, status: words.charged, rows };
  }
  const { paidOtherwise } = order;
  if (paidOtherwise !== null) {
    const rows = [[words.paidOn, dayInWords(santiagoDay(paidOtherwise.createdAt), locale)] as const];
    const { amount, commission } = paidOtherwise;
    return { amount: formatClp(amount), commission, status: words.paidOtherwise, rows };
  }
  const { amount, commission, status, day } = upcoming ?? UNKNOWN;
  return {
    amount: formatClp(amount),
    commission,
    status: order.deferredWrittenOffAt === null ? words.states[status] : words.writtenOff,
    rows: dayRows({ status, day, paidAt: order.paidAt }, locale),
  };
}

const UNKNOWN: UpcomingCharge = {
  status: "none",
  amount: 0 as UpcomingCharge["amount"],
  commission: 0 as UpcomingCharge["amount"],
  day: null,
  reason: null,
};

function dayRows(
  { status, day, paidAt }: Pick<UpcomingCharge, "status" | "day"> & { readonly paidAt: Date },
  locale: Locale,
): readonly Row[] {
  const words = WORDS[locale];
  if (day !== null) return [[status === "by_day" ? words.byDay : words.onDay, dayInWords(day, locale)]];
  return status === "card_needed" ? [[words.byDay, dayInWords(latestDueDate(paidAt), locale)]] : [];
}

/** Each refund by its day: the price that it returned, and where the money went. */
function refundSections({ order, locale }: ReceiptFacts): readonly Section[] {
  const words = WORDS[locale];
  return order.refunds.flatMap((refund) => {
    const { price, offLaterCharge, toCards, byBank, byTransfer } = movedBy(order, refund);
    const rows = [
      [words.refunded, price],
      [words.offSecond, offLaterCharge.amount],
      ...toCards.map(({ card, amount }) => [`${words.toCard} ••${card.last4}`, amount] as const),
      [words.byBank, byBank.amount],
      [words.byTransfer, byTransfer.amount],
    ] as const;
    const moved = rows.filter(([, amount]) => amount > 0);
    if (moved.length === 0) return [];
    const title = `${words.refund} ${dayInWords(santiagoDay(refund.createdAt), locale)}`;
    return [{ title, rows: moved.map(([label, amount]) => [label, formatClp(amount)] as const) }];
  });
}

function contactSection({ clinic, locale }: ReceiptFacts): Section {
  const words = WORDS[locale];
  const ways = [clinic.supportEmail, ...(clinic.supportPhone === null ? [] : [clinic.supportPhone])].join(" · ");
  return {
    title: words.questions,
    blocks: [
      { type: "paragraph", text: `${clinic.name}: ${ways}. ${words.complain}` },
      { type: "paragraph", text: words.notBoleta },
    ],
  };
}

function capturedOf({ payments }: OrderRecord, kind: PaymentRecord["kind"]): PaymentRecord | undefined {
  return payments.find((payment) => payment.kind === kind && payment.status === "captured");
}

function voucherRows(payment: PaymentRecord | undefined, locale: Locale): readonly Row[] {
  if (payment === undefined) return [];
  const words = WORDS[locale];
  const code = payment.voucher.authorisationCode;
  return [
    [words.card, `${CARD_BRAND_NAMES[payment.card.brand]} ••${payment.card.last4}`.trim()],
    ...(code === undefined ? [] : [[words.code, code] as const]),
    ...(payment.disputed === 0 ? [] : [[words.byBank, formatClp(payment.disputed)] as const]),
  ];
}

export function withRut(name: string, rut: Rut): string {
  return `${name}, RUT\u00a0${formatRut(rut)}`;
}
