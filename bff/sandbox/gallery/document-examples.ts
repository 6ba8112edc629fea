import type { UpcomingCharge } from "../../src/contract/orders.ts";
import { clp } from "../../src/contract/vocabulary/clp.ts";
import type { OrderId } from "../../src/contract/vocabulary/identifiers.ts";
import type { Rut } from "../../src/contract/vocabulary/rut.ts";
import type { Locale } from "../../src/contract/widget-tokens.ts";
import { type AgreementFacts, agreementDocument } from "../../src/orders/documents/agreement-document.ts";
import { type ReceiptFacts, receiptDocument } from "../../src/orders/documents/receipt-document.ts";
import type { SetDocument } from "../../src/orders/documents/set-document.ts";
import type { OrderRecord, PaymentRecord, RefundRecord } from "../../src/orders/order-record.ts";

/* The documents of a paid order of $40.000, and the facts in them. */

const PAID_AT = new Date("2026-11-21T15:00:00Z");
const clinic = {
  name: "Clínica Los Aromos del Sur SpA",
  rut: "76900001-1" as Rut,
  supportEmail: "ayuda@losaromos.example.com",
  supportPhone: "+56 2 2345 6789",
};
const letterhead = { clinic: clinic.name, accent: "#0b6b61", logo: null };

export const examplePayment: PaymentRecord = {
  id: "00000000-0000-4000-8000-000000000001",
  kind: "first",
  status: "captured",
  amount: clp(12_000),
  commission: clp(0),
  returnAccepted: clp(0),
  commissionReturnAccepted: clp(0),
  returned: clp(0),
  disputed: clp(0),
  lost: clp(0),
  recoveryAccepted: clp(0),
  card: {
    id: "card_1",
    brand: "visa",
    last4: "6623",
    expMonth: 12,
    expYear: 2030,
    holderName: "MARIA DIAZ",
    kind: "credit",
  },
  chargeId: "charge_1",
  voucher: { authorisationCode: "418207" },
  declineReason: null,
  declineLimit: null,
  createdAt: PAID_AT,
};

export const exampleOrder: OrderRecord & { readonly paidAt: Date } = {
  providerId: "prov_1",
  orderId: "3f1c2b1a-1111-4222-8333-444455556666" as OrderId,
  reference: "AGENDA-20417",
  state: "paid",
  total: clp(40_000),
  first: clp(12_000),
  deferred: clp(28_000),
  commissionBasisPoints: 700,
  commissionTax: { regime: "taxed_service", issuer: { name: "AAPD de Prueba SpA", rut: "76904444-2" as Rut } },
  details: {},
  center: null,
  customer: {
    rut: "40100000-3" as Rut,
    firstName: "María José",
    lastName: "O'Ryan Núñez",
    email: "maria@example.com",
    phoneNumber: "+56912345678",
  },
  identityValidatedAt: PAID_AT,
  identityRecognised: false,
  card: examplePayment.card,
  loanId: "loan_1",
  paidAt: PAID_AT,
  refundAccepted: clp(0),
  refunded: clp(0),
  deferredCancelled: clp(0),
  deferredCollected: clp(0),
  deferredFailedAt: null,
  deferredWrittenOffAt: null,
  eventSequence: 1,
  traceparent: null,
  createdAt: PAID_AT,
  updatedAt: PAID_AT,
  payments: [examplePayment],
  paidOtherwise: null,
  refunds: [],
  taxDocuments: [],
};

export const exampleUpcoming: UpcomingCharge = {
  status: "by_day",
  amount: clp(30_800),
  commission: clp(2_800),
  day: "2027-01-05",
  reason: null,
};

export const exampleReceipt: ReceiptFacts = {
  clinic,
  letterhead,
  order: exampleOrder,
  consultationDay: "2026-11-20",
  upcoming: exampleUpcoming,
  quote: { financing_provider: "Financiera Andina S.A.", annual_cost_percentage: 81.11 },
  locale: "es-CL",
  madeAt: PAID_AT,
};

export const exampleAgreement: AgreementFacts = {
  clinic,
  letterhead,
  order: exampleOrder,
  consultationDay: "2026-11-20",
  agreedAt: PAID_AT,
  texts: [
    {
      kind: "contract",
      version: "3",
      locale: "es-CL",
      title: "Contrato de crédito",
      blocks: [
        { type: "heading", text: "Quién paga" },
        { type: "paragraph", text: "María José O'Ryan Núñez y Łukasz Núñez, $49.169." },
        { type: "item", text: "Hoy: $12.000" },
      ],
    },
    { kind: "privacy_notice", version: "1", locale: "es-CL", title: "Privacidad", blocks: [] },
  ],
  locale: "es-CL",
  madeAt: PAID_AT,
};

/** Sample texts of a usual length. */
const SAMPLE_TEXTS: AgreementFacts["texts"] = [
  {
    kind: "contract",
    version: "muestra-1",
    locale: "es-CL",
    title: "Contrato de pago en dos partes",
    blocks: [
      { type: "paragraph", text: "Texto de muestra. No es un contrato válido." },
      { type: "heading", text: "Quiénes somos parte" },
      { type: "paragraph", text: `${clinic.name} te da la atención de salud y responde por ella.` },
      { type: "paragraph", text: "Financiera Andina S.A. te presta la parte que pagas después." },
      { type: "heading", text: "Qué pagas y cuándo" },
      { type: "item", text: "Precio de la atención (referencia AGENDA-20417): $40.000." },
      { type: "item", text: "Hoy, con tu tarjeta: $12.000, el 30% del precio." },
      {
        type: "item",
        text: "Después, con la misma tarjeta: $30.800, que son $28.000 del precio y $2.800 de comisión.",
      },
      { type: "item", text: "Costo total: $42.800. Carga anual equivalente (CAE): 81,11%." },
      {
        type: "paragraph",
        text: "El segundo cobro se hace una sola vez, cuando pase lo primero de esto: tu isapre aprueba el reembolso; el acceso a tu isapre lleva 3 días seguidos bloqueado; llega el 5 de enero de 2027. Se hace aunque tu isapre reembolse menos o no reembolse.",
      },
      { type: "heading", text: "Si pagas antes o después" },
      {
        type: "paragraph",
        text: "Puedes pagar antes cuando quieras: la comisión es la misma. El monto no sube por el atraso.",
      },
      { type: "heading", text: "Reclamos" },
      {
        type: "paragraph",
        text: `Escribe a ${clinic.supportEmail}. También puedes reclamar ante el SERNAC (sernac.cl).`,
      },
    ],
  },
  {
    kind: "privacy_notice",
    version: "muestra-1",
    locale: "es-CL",
    title: "Aviso de privacidad",
    blocks: [
      { type: "paragraph", text: "Texto de muestra." },
      {
        type: "paragraph",
        text: `${clinic.name} y Financiera Andina S.A. usan tus datos para cobrar y pedir tu reembolso.`,
      },
    ],
  },
];

const deferredCharge: PaymentRecord = {
  ...examplePayment,
  id: "00000000-0000-4000-8000-000000000002",
  kind: "deferred",
  amount: clp(30_800),
  commission: clp(2_800),
  chargeId: "charge_2",
  voucher: { authorisationCode: "530914" },
  createdAt: new Date("2026-12-03T15:00:00Z"),
};
const nothingToCome: UpcomingCharge = {
  ...exampleUpcoming,
  status: "none",
  amount: clp(0),
  commission: clp(0),
  day: null,
};

/** A refund that came off the second charge, and in part went back to the card of the first. */
export const exampleRefund: RefundRecord = {
  id: "refund_1",
  amount: clp(31_000),
  wholeRest: false,
  status: "succeeded",
  allocated: true,
  reason: null,
  refundReference: null,
  keyHash: null,
  movements: [
    { ...movement("loan_reduction", null), amount: clp(28_000), commission: clp(2_800) },
    { ...movement("card_return", examplePayment.id), amount: clp(3_000), commission: clp(0) },
  ],
  createdAt: new Date("2026-11-25T15:00:00Z"),
};

function movement<Kind extends "loan_reduction" | "card_return", Id>(kind: Kind, paymentId: Id) {
  return { id: kind, kind, paymentId, status: "done", isTaken: false, refusal: null, isTransferred: false } as const;
}

const refunded: ReceiptFacts["order"] = {
  ...exampleOrder,
  refundAccepted: clp(31_000),
  refunded: clp(31_000),
  refunds: [exampleRefund],
};

/** One document in one case; its name is part of its address. */
export interface DocumentExample {
  readonly name: string;
  readonly make: (locale: Locale, look: Partial<SetDocument["letterhead"]>) => SetDocument;
}

function receipt(name: string, change: Partial<ReceiptFacts>): DocumentExample {
  return {
    name,
    make: (locale, look) =>
      receiptDocument({ ...exampleReceipt, ...change, locale, letterhead: { ...letterhead, ...look } }),
  };
}

function agreement(name: string, change: Partial<AgreementFacts>): DocumentExample {
  const texts = SAMPLE_TEXTS;
  return {
    name,
    make: (locale, look) =>
      agreementDocument({ ...exampleAgreement, texts, ...change, locale, letterhead: { ...letterhead, ...look } }),
  };
}

/** Every document for patients, in each case that has different text. */
export const documentExamples: readonly DocumentExample[] = [
  receipt("receipt", {}),
  receipt("receipt-announced", { upcoming: { ...exampleUpcoming, status: "on_day", day: "2026-12-03" } }),
  receipt("receipt-on-hold", { upcoming: { ...exampleUpcoming, status: "on_hold", day: null } }),
  receipt("receipt-card-needed", { upcoming: { ...exampleUpcoming, status: "card_needed", day: null } }),
  receipt("receipt-charged", {
    order: { ...exampleOrder, payments: [examplePayment, deferredCharge] },
    upcoming: nothingToCome,
  }),
  receipt("receipt-written-off", {
    order: { ...exampleOrder, deferredWrittenOffAt: deferredCharge.createdAt },
    upcoming: nothingToCome,
  }),
  receipt("receipt-refunded-in-part", {
    order: refunded,
    upcoming: nothingToCome,
  }),
  agreement("contract", {}),
  agreement("contract-not-accepted", { agreedAt: null }),
];
