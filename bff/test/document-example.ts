import type { UpcomingCharge } from "../src/contract/orders.ts";
import { clp } from "../src/contract/vocabulary/clp.ts";
import type { OrderId } from "../src/contract/vocabulary/identifiers.ts";
import type { Rut } from "../src/contract/vocabulary/rut.ts";
import type { AgreementFacts } from "../src/orders/documents/agreement-document.ts";
import type { ReceiptFacts } from "../src/orders/documents/receipt-document.ts";
import type { OrderRecord, PaymentRecord } from "../src/orders/order-record.ts";

/** A paid order of $40.000 for documents, and what they are made of. */

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
  items: null,
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
  upcoming: exampleUpcoming,
  quote: { financing_provider: "Financiera Andina S.A.", annual_cost_percentage: 81.11 },
  locale: "es-CL",
  madeAt: PAID_AT,
};

export const exampleAgreement: AgreementFacts = {
  clinic,
  letterhead,
  order: exampleOrder,
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
