import { type Agreement, agreementSchema } from "bff/contract/agreement";
import { type ErrorCode, errorBodySchema } from "bff/contract/errors";
import { type PatientOrder, patientOrderSchema, type SavedCardView, upcomingChargeSchema } from "bff/contract/orders";
import { type PatientData, patientDataSchema } from "bff/contract/patient-rights";
import { type PaymentPage, paymentPageSchema } from "bff/contract/payment-page";
import { quoteExample as QUOTE } from "bff/contract/quote-example";
import { laterCharge } from "bff/contract/receipt-amounts";
import {
  type AnswerLinkCodeResponse,
  answerLinkCodeResponseSchema,
  type dueSchema,
} from "bff/contract/self-service-links";
import { legalTextKindSchema } from "bff/contract/vocabulary/legal-text";
import type { PageProblem } from "bff/contract/widget-page";
import { type Locale, type WidgetSession, widgetSessionSchema } from "bff/contract/widget-tokens";
import type { z } from "zod/mini";
import type { Refusal } from "../api/problem.ts";
import { formatPesos } from "../words/format.ts";

/*
 * Answers of the service as they were recorded in the sandbox, with people and clinics that do not exist. Each passes
 * through the contract's own schema, so that screens in the gallery and in tests only show answers that the service can
 * give.
 */

type OrderInput = z.input<typeof patientOrderSchema>;
type PlanInput = OrderInput["plan"];
type SessionInput = z.input<typeof widgetSessionSchema>;
export type DueInput = z.input<typeof dueSchema>;

const ORDER_TOKEN = "7d3c2b1a-4f5e-4a6b-8c9d-0e1f2a3b4c5d";
export const SERVER_TIME = "2026-11-21T15:20:00.000Z";
const LATEST_DUE_DATE = QUOTE.latest_due_date;

export const VISA: NonNullable<OrderInput["payment_method"]> = {
  id: "card_4c1f",
  brand: "visa",
  last4: "6623",
  exp_month: 12,
  exp_year: 2034,
  holder_name: "CAMILA ROJAS",
  kind: "credit",
};

/** A saved card of the patient, and another one. */
export const SAVED: readonly [SavedCardView, SavedCardView] = [
  { id: "0190c7a2-4d2e-4b1a-9c35-6f1f3a2b8d51", brand: "visa", last4: "6623", exp_month: 12, exp_year: 2034 },
  { id: "0190c7a2-4d2e-4b1a-9c35-6f1f3a2b8d52", brand: "mastercard", last4: "0568", exp_month: 3, exp_year: 2031 },
];

/** The lines of a bill that sum to the price. */
export const BILL: NonNullable<OrderInput["items"]> = [
  { description: "Consulta de traumatología", quantity: 1, amount: 38_000 },
  { description: "Radiografía de rodilla", quantity: 2, amount: 7_952 },
];

/** An order of $45.952 with every step missing by default. */
export function orderWith(overrides: Partial<OrderInput> = {}): PatientOrder {
  return patientOrderSchema.parse({
    hash: ORDER_TOKEN,
    status: "pending",
    reference: "AGENDA-20417",
    total_amount: QUOTE.total,
    paid_amount: 0,
    pending_amount: QUOTE.total,
    customer: {
      rut: "40100000-3",
      first_name: "Camila",
      last_name: "Rojas Fuentes",
      email: "c•••@e•••.com",
      phone_number: "+56•••••678",
    },
    plan: {
      name: "aapd_30_70",
      data: {
        installments: [
          { number: 1, percentage: 30, amount: QUOTE.today, due: "now", status: "pending" },
          {
            number: 2,
            percentage: 70,
            amount: QUOTE.later,
            due: "deferred",
            latest_due_date: LATEST_DUE_DATE,
            status: "pending",
          },
        ],
        commission: {
          percentage: 7,
          amount: QUOTE.commission,
          regime: "taxed_service",
          vat_included: true,
          charged_with: "deferred",
        },
      },
    },
    created_at: "2026-11-21T15:18:00.000Z",
    currency: "CLP",
    captured_amount: 0,
    refunded_amount: 0,
    paid_at: null,
    deferred_cancelled: 0,
    returned_amount: 0,
    updated_at: "2026-11-21T15:21:00.000Z",
    readiness: { identity_validated: false, payment_method_added: false },
    payment_method: null,
    ...overrides,
  } satisfies OrderInput);
}

/** A plan whose first part is paid; `rest` is the status of the other part. */
export function paidPlan(
  rest: PlanInput["data"]["installments"][1]["status"],
  commission: number = QUOTE.commission,
): PlanInput {
  const { data, name } = orderWith().plan;
  const [first, later] = data.installments;
  return {
    name,
    data: {
      installments: [
        { ...first, status: "captured" },
        { ...later, status: rest },
      ],
      commission: { ...data.commission, amount: commission },
    },
  };
}

/** An order paid with a Visa; the next charge follows from its plan. */
export function paidOrder(overrides: Partial<OrderInput> = {}): PatientOrder {
  const order = orderWith({
    status: "paid",
    paid_amount: QUOTE.total,
    pending_amount: 0,
    captured_amount: QUOTE.today,
    plan: paidPlan("scheduled"),
    paid_at: "2026-11-21T15:21:00.000Z",
    readiness: { identity_validated: true, payment_method_added: true },
    payment_method: VISA,
    ...overrides,
  });
  return { upcoming_charge: upcomingOfPlan(order), ...order };
}

function upcomingOfPlan(order: PatientOrder): NonNullable<PatientOrder["upcoming_charge"]> {
  const { installments, commission } = order.plan.data;
  const [, later] = installments;
  const isOpen = later.status === "scheduled" || later.status === "failed";
  if (!isOpen) return upcomingChargeSchema.parse(upcomingWith({ status: "none", amount: 0, commission: 0, day: null }));
  const isCharged = later.status === "scheduled" && order.mandate_revoked !== true;
  return upcomingChargeSchema.parse(
    upcomingWith({
      ...(isCharged ? {} : { status: "card_needed", day: null }),
      amount: laterCharge(order),
      commission: commission.amount,
    }),
  );
}

/** A paid order whose rest has been charged too: both parts and the commission are captured. */
export function collectedOrder(overrides: Partial<OrderInput> = {}): PatientOrder {
  return paidOrder({
    captured_amount: QUOTE.total_cost,
    plan: paidPlan("collected"),
    updated_at: "2027-01-05T12:00:04.000Z",
    ...overrides,
  });
}

/** A paid order with a refund of $10.000. The rest was not charged yet, so it is reduced by $10.000. */
export function partlyRefundedOrder(): PatientOrder {
  return paidOrder({
    status: "partially_refunded",
    refunded_amount: 10_000,
    deferred_cancelled: 10_000,
    plan: paidPlan("scheduled", 2_517),
  });
}

/** A collected order with a refund of $10.000, which goes back to the card with its commission. */
export function partlyReturnedOrder(): PatientOrder {
  return collectedOrder({
    status: "partially_refunded",
    refunded_amount: 10_000,
    returned_amount: 10_700,
    plan: paidPlan("collected", 2_517),
  });
}

/** A paid order that was refunded in full before the rest was charged. */
export function refundedOrder(): PatientOrder {
  return paidOrder({
    status: "refunded",
    refunded_amount: QUOTE.total,
    deferred_cancelled: QUOTE.later,
    returned_amount: QUOTE.today,
    plan: paidPlan("cancelled", 0),
  });
}

/** The answer to a link's code, for an order whose rest waits for day 45. */
export function openedLink(due: Partial<DueInput> | null = {}): AnswerLinkCodeResponse {
  const upcoming = upcomingWith({});
  return answerLinkCodeResponseSchema.parse({
    access: "5b1f2c3d-4e5f-4a6b-8c7d-8e9f0a1b2c3d",
    expires_at: "2026-11-21T15:50:00.000Z",
    patient: { first_name: "Camila", rut: "40100000-3", insurer: "colmena" },
    order_token: due === null ? null : ORDER_TOKEN,
    due:
      due === null
        ? null
        : {
            status: "scheduled",
            amount: QUOTE.later_charge,
            commission: QUOTE.commission,
            due_at: "2027-01-05T12:00:00.000Z",
            reason: null,
            card: VISA,
            upcoming,
            upcoming_with_given_card: upcoming,
            ...due,
          },
  });
}

/** The upcoming charge of an order, by default due on day 45. */
export function upcomingWith(overrides: Partial<NonNullable<DueInput["upcoming"]>>): NonNullable<DueInput["upcoming"]> {
  return {
    status: "by_day",
    amount: QUOTE.later_charge,
    commission: QUOTE.commission,
    day: LATEST_DUE_DATE,
    reason: null,
    ...overrides,
  };
}

type PaymentInput = z.input<typeof paymentPageSchema>;

/** The data of a payment's page, by default while its claim waits for the isapre. */
export function paymentPage({
  claim,
  second_charge,
  ...overrides
}: Partial<Omit<PaymentInput, "claim" | "second_charge">> & {
  readonly claim?: Partial<PaymentInput["claim"]> | null;
  readonly second_charge?: Partial<PaymentInput["second_charge"]>;
} = {}): PaymentPage {
  const { reference } = paidOrder();
  const { due } = openedLink();
  const at = "2026-11-21T15:02:11.000Z";
  const card = { brand: VISA.brand, last4: VISA.last4 };
  const upcoming = second_charge?.upcoming ?? upcomingWith({});
  return paymentPageSchema.parse({
    clinic: PROVIDER.name,
    reference,
    consultation_day: "2026-11-20",
    status: "paid",
    total_amount: QUOTE.total,
    refunded_amount: 0,
    paid: [paidPart({ kind: "first", amount: QUOTE.today, at })],
    refunds: [],
    claim:
      claim === null
        ? null
        : {
            status: "filed",
            since: at,
            filed_at: at,
            insurer: "colmena",
            missing_document_types: [],
            reason: null,
            charged_on_if_blocked: null,
            reimbursed_amount: null,
            ...claim,
          },
    second_charge: {
      status: "pending",
      upcoming,
      card,
      held_by: null,
      declined: null,
      ...second_charge,
    },
    own_cost: null,
    missing_step: null,
    actions: { pay_early: due && { ...due, amount: upcoming.amount }, change_card: due, give_access: false },
    documents: ["agreement"],
    files: ["receipt", "agreement", ...(upcoming.day === null ? [] : ["calendar" as const])],
    as_of: SERVER_TIME,
    ...overrides,
  });
}

/** A part of a payment, by default paid by card. */
export function paidPart(part: Partial<PaymentInput["paid"][number]>): PaymentInput["paid"][number] {
  return {
    kind: "deferred",
    amount: QUOTE.later_charge,
    commission: part.kind === "first" ? 0 : QUOTE.commission,
    returned_amount: 0,
    disputed_amount: 0,
    lost_amount: 0,
    at: SERVER_TIME,
    card: { brand: VISA.brand, last4: VISA.last4 },
    authorization_code: "418207",
    ...part,
  };
}

/** All stored data of a patient, by default with one payment. */
export function patientData(overrides: Partial<z.input<typeof patientDataSchema>> = {}): PatientData {
  const { hash, reference, customer } = paidOrder();
  const at = "2026-11-20T15:02:11.000Z";
  return patientDataSchema.parse({
    exported_at: SERVER_TIME,
    patient: { ...customer, email: "camila.rojas@example.com", insurer: "colmena", registered_at: at },
    insurer_access: { kept: true, since: at },
    subscription: null,
    subscriptions: [],
    consents: usualConsents("es-CL").map(({ purpose, text, text_version }) => ({
      purpose,
      text,
      text_version,
      order_token: null,
      shown_at: at,
      accepted_at: at,
      withdrawn_at: null,
    })),
    orders: [
      {
        order_token: hash,
        provider: PROVIDER.name,
        reference,
        status: "paid",
        total_amount: QUOTE.total,
        refunded_amount: 0,
        customer,
        card: VISA,
        created_at: at,
        paid_at: at,
        charges: [{ kind: "first", status: "captured", amount: QUOTE.today, at }],
        credit_refusal: null,
        agreement: legalTextKindSchema.options.map((kind) => ({ kind, version: "muestra-1" })),
        claim: { status: "filed", filed_at: at, reason: null, reimbursed_amount: null },
      },
    ],
    expenses: [
      {
        id: "0190c7a2-4d2e-4b1a-9c35-6f1f3a2b8d44",
        provider: PROVIDER.name,
        order_token: hash,
        status: "filed",
        name: "Camila Rojas Fuentes",
        date: "2026-11-20",
        receipt_id: "10442",
        receipt_rut: "76900001-1",
        doctor_rut: null,
        total: 45_952,
        unread_fields: {},
        files: [{ name: "boleta.pdf", type: "application/pdf", bytes: 48_213 }],
        received_at: at,
      },
    ],
    email_changes: [],
    owed: QUOTE.later_charge,
    erasure: null,
    ...overrides,
  } satisfies z.input<typeof patientDataSchema>);
}

/** Two saved cards of a patient: one was used, the deletion of the other waits. */
export function keptCards(): NonNullable<z.input<typeof patientDataSchema>["saved_cards"]> {
  const saved = { provider: PROVIDER.name, saved_at: "2026-11-06T15:02:11.000Z", uses: [] };
  const uses = ["2026-11-13T14:30:00.000Z", "2026-11-20T15:02:11.000Z"].map((at, index) => ({
    provider: PROVIDER.name,
    order_token: `7d3c2b1a-4f5e-4a6b-8c9d-0e1f2a3b4c6${index}`,
    at,
  }));
  return [
    { ...SAVED[0], ...saved, uses },
    { ...SAVED[1], ...saved, removing: true },
  ];
}

const KEY_MODULUS =
  "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw";

function sealingKey(kid: string): SessionInput["sealing_keys"]["card"] {
  return { kty: "RSA", kid, alg: "RSA-OAEP-256", use: "enc", n: KEY_MODULUS, e: "AQAB" };
}

type ConsentInput = SessionInput["consents"][number];

function consent(
  purpose: ConsentInput["purpose"],
  step: ConsentInput["step"],
  required: boolean,
  text: string,
): ConsentInput {
  // Placeholder for the hash, which nothing here checks.
  return {
    purpose,
    step,
    required,
    text,
    text_version: "2026-11",
    text_sha256: purpose.length.toString(16).padStart(64, "0"),
  };
}

const CONSENTS: Readonly<Record<Locale, readonly ConsentInput[]>> = {
  "es-CL": [
    consent(
      "terms_and_credit",
      "payment",
      true,
      `Acepto el contrato, la hoja de resumen, el aviso de privacidad y el crédito: pago ${formatPesos(QUOTE.today)} hoy y ${formatPesos(QUOTE.later_charge)} en el segundo cobro.`,
    ),
    consent(
      "later_charge",
      "payment",
      true,
      `Autorizo guardar mi tarjeta y cobrarle una vez más ${formatPesos(QUOTE.later_charge)}: cuando mi isapre apruebe, si su acceso lleva 3 días bloqueado o, a más tardar, el 5 de enero de 2027. Aunque la isapre reembolse menos o nada.`,
    ),
    consent(
      "claim_mandate",
      "onboarding",
      true,
      "Doy mandato para pedir mis reembolsos a mi isapre y ver qué responde. Puedo dejarlo sin efecto cuando quiera.",
    ),
    consent(
      "health_data",
      "onboarding",
      true,
      "Autorizo usar los datos de salud de mis boletas, órdenes y recetas solo para pedir mis reembolsos. Puedo retirarlo cuando quiera.",
    ),
    consent(
      "insurer_access",
      "onboarding",
      false,
      "Autorizo guardar cifrada la clave de mi isapre y usarla solo para pedir y revisar mis reembolsos. Puedo borrarla cuando quiera.",
    ),
    consent(
      "saved_card",
      "card",
      false,
      "Guardar esta tarjeta para mis próximas atenciones. La guarda el procesador de tarjetas. Solo se usa cuando confirmo con un código que soy yo y apruebo ese pago. Puedo borrarla cuando quiera en Mis datos.",
    ),
    consent(
      "marketing",
      "onboarding",
      false,
      "Quiero recibir novedades y ofertas por correo. Es opcional y puedo darme de baja cuando quiera.",
    ),
  ],
  en: [
    consent(
      "terms_and_credit",
      "payment",
      true,
      `I accept the contract, the summary sheet, the privacy notice and the credit: I pay ${formatPesos(QUOTE.today)} today and ${formatPesos(QUOTE.later_charge)} in the second charge.`,
    ),
    consent(
      "later_charge",
      "payment",
      true,
      `I authorise keeping my card and charging it ${formatPesos(QUOTE.later_charge)} once more: when my isapre approves, if access to it has been blocked for 3 days or, at the latest, on 5 January 2027. Even if my isapre reimburses less, or nothing.`,
    ),
    consent(
      "claim_mandate",
      "onboarding",
      true,
      "I give a mandate to claim my reimbursements from my isapre and see what it answers. I can revoke it at any time.",
    ),
    consent(
      "health_data",
      "onboarding",
      true,
      "I authorise the use of the health data in my receipts, orders and prescriptions only to claim my reimbursements. I can withdraw this at any time.",
    ),
    consent(
      "insurer_access",
      "onboarding",
      false,
      "I authorise keeping my isapre's password encrypted and using it only to claim and follow my reimbursements. I can delete it at any time.",
    ),
    consent(
      "saved_card",
      "card",
      false,
      "Keep this card for my next consultations. The card processor keeps it. It is used only when I confirm by a code that it is me and approve that payment. I may remove it at any time in My data.",
    ),
    consent(
      "marketing",
      "onboarding",
      false,
      "I want to receive news and offers by e-mail. This is optional, and I may unsubscribe at any time.",
    ),
  ],
};

/** The consents of a clinic that saves no cards. */
function usualConsents(locale: Locale): ConsentInput[] {
  return CONSENTS[locale].filter(({ purpose }) => purpose !== "saved_card");
}

const PROVIDER: SessionInput["provider"] = {
  name: "Clínica Los Aromos del Sur",
  logo_url: null,
  appearance: {},
  support: { email: "ayuda@losaromos.example", phone: "+56 2 2345 6789", whatsapp: "+56912345678" },
};

/** A session, by default of a new patient with an order to pay. */
export function sessionWith(overrides: Partial<SessionInput> = {}): WidgetSession {
  const locale = overrides.locale ?? "es-CL";
  return widgetSessionSchema.parse({
    event_type: "SPOT_USER_NEW",
    user_data: {
      name: "Camila",
      surname: "Rojas Fuentes",
      email: "camila.rojas@example.com",
      phone_number: "+56912345678",
    },
    order_token: ORDER_TOKEN,
    order: orderWith(),
    quote: {
      ...QUOTE,
      texts: legalTextKindSchema.options.map((kind) => ({ kind, version: "muestra-1" })),
      sha256: "a".repeat(64),
    },
    provider: PROVIDER,
    client_id: "ci_gallery",
    public_key: "PK_gallery",
    parent_origins: [],
    return_url: null,
    native: false,
    sealing_keys: { card: sealingKey("card-1"), insurer_access: sealingKey("insurer-1") },
    consents: usualConsents(locale),
    withdrawal: WITHDRAWAL[locale],
    locale,
    purpose: "checkout",
    expires_at: "2026-11-21T16:18:00.000Z",
    server_time: SERVER_TIME,
    ...overrides,
  } satisfies SessionInput);
}

/** The session of a registered patient at a clinic that lets its patients save their card. */
export function knownSession(overrides: Partial<SessionInput> = {}): WidgetSession {
  const consents = [...CONSENTS[overrides.locale ?? "es-CL"]];
  return sessionWith({ event_type: "SPOT_USER_SUBSCRIBED", consents, ...overrides });
}

/** As staging's sample. */
const WITHDRAWAL = {
  "es-CL": "No hay retracto (Ley 19.496, art. 3 bis b): pide devoluciones a la clínica, ayuda@example.com.",
  en: "No right of withdrawal (Ley 19.496, art. 3 bis b): ask the clinic for refunds, at ayuda@example.com.",
} as const;

/** The texts of a session's quote, each of a few lines. */
export function agreementWith({ quote, locale }: Pick<WidgetSession, "quote" | "locale">): Agreement {
  return agreementSchema.parse({
    agreed_at: null,
    texts: (quote?.texts ?? []).map((name) => ({
      ...name,
      locale,
      title: `${name.kind} ${name.version}`,
      blocks: [
        { type: "heading", text: "Qué pagas y cuándo" },
        { type: "item", text: "Hoy, con tu tarjeta: $13.786." },
        { type: "paragraph", text: "También puedes reclamar ante el SERNAC." },
      ],
    })),
  } satisfies z.input<typeof agreementSchema>);
}

/** The first bytes of a file. */
export const AGREEMENT_FILE = { name: "contrato.pdf", type: "application/pdf", base64: "JVBERi0xLjcK" };

/** A refusal of the service. `detail` is omitted because nothing shows it. */
export function refusalWith(code: ErrorCode, status: number, additions: Refusal["additions"] = {}): Refusal {
  errorBodySchema.parse({ detail: code, code, ...additions });
  return { kind: "refused", code, status, additions, traceId: "req_gallery" };
}

/** A page without a session. */
export function problemWith(code: ErrorCode, overrides: Partial<PageProblem> = {}): PageProblem {
  return {
    code,
    locale: "es-CL",
    provider_name: PROVIDER.name,
    support: PROVIDER.support,
    parent_origins: [],
    return_url: null,
    native: false,
    purpose: "checkout",
    order: null,
    client_id: overrides.order ? "ci_test" : null,
    ...overrides,
  };
}
