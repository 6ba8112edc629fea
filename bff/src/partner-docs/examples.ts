import type { SubmitExpenseByUrlRequest } from "../contract/expenses.ts";
import type { GivenConsent } from "../contract/orders.ts";
import { LONG_TERM_LIFETIME_DAYS } from "../contract/terms.ts";
import { clp } from "../contract/vocabulary/clp.ts";
import type { ConsentText } from "../contract/widget-tokens.ts";
import { quoteFor } from "../orders/quote.ts";
import { consentFigures, consentTexts, fillConsent } from "../patients/consent-texts.ts";
import {
  agreementExample,
  agreementFileExample,
  calendarFileExample,
  receiptFileExample,
} from "./agreement-example.ts";
import { orderNotes } from "./notes/orders.ts";
import { exampleOf } from "./notes/schema-note.ts";
import type { Example } from "./openapi-document.ts";
import {
  expenseExample,
  identifiedOrderExample,
  olderOrderExample,
  orderExample,
  orderHashExample,
  patientOrderExample,
  quoteExample,
  readyOrderExample,
  refundExample,
} from "./order-example.ts";
import { patientRightsExamples } from "./patient-rights-examples.ts";
import { sandboxExamples } from "./sandbox-examples.ts";
import { payoutExample, payoutsExample, reconciliationExample, statementExample } from "./settlement-examples.ts";
import { webhookExample } from "./webhook-event-example.ts";
import { webhookAdministrationExamples } from "./webhook-examples.ts";

export interface EndpointExamples {
  readonly request?: Readonly<Record<string, Example>>;
  readonly responses?: Readonly<Record<number, Readonly<Record<string, Example>>>>;
}

const rut = "40.100.000-3";
const widgetToken = "7c9e6679-7425-40de-944b-e07fc1f90ae7";
const mintedExample = {
  widget_token: widgetToken,
  url: `https://widget.example/?widget_token=${widgetToken}&public_key=PK_test&order_token=${orderHashExample}`,
  expires_at: "2026-11-20T16:04:05.000Z",
};
const QR_EXAMPLE =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 61 61" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h61v61h-61z"/></svg>';
const savedCardExample = {
  id: "0190c7a2-7f3e-7b1a-9c35-2d1f3a2b8d44",
  brand: "visa",
  last4: "6623",
  exp_month: 12,
  exp_year: 2030,
};
const cardPage = {
  url: "https://tarjetas.example/card/2f1d7a3e-5c94-4b60-8a1f-6d3e9b2c7a51",
  expires_at: "2026-11-20T15:14:06.000Z",
};
const sealed = "eyJhbGciOiJSU0EtT0FFUC0yNTYifQ.b2tleQ.aXY.Y2lwaGVydGV4dA.dGFn";
const linkAccess = "f2b6c1de-7a51-4c0e-9d0b-6d4a1e8b7c35";
const challengeExample = {
  type: "challenge",
  url: "https://processor.example/challenge/4f7d",
  expires_at: "2026-11-20T15:20:05.000Z",
} as const;
const dueExample = {
  status: "scheduled",
  amount: 30_800,
  commission: 2_800,
  due_at: "2027-01-04T12:00:00.000Z",
  reason: null,
  card: patientOrderExample("paid").payment_method,
};
const secondChargeExample = {
  status: "by_day",
  amount: dueExample.amount,
  commission: dueExample.commission,
  day: "2027-01-04",
  reason: null,
};
const returnExample = {
  purpose: "payment",
  status: "processing",
  waits_for: null,
  amount: null,
  first_instalment: null,
  can_continue: false,
};
const registered = {
  user_id: "3f1d2a8e-5a3c-4a58-8f4e-0b9d2b6f7c10",
  beneficiary_id: "9a4c3c52-0d0a-4d34-9a39-6f0f2a1f4e21",
  event_type: "SPOT_USER_NEW",
  status: "unproven",
  proof_until: "2026-11-21T13:30:00Z",
};
const storedExpenseExample = {
  id: "5b0f5f6e-7d58-4d0f-8a52-3a0c8f1f9b77",
  status: "held",
  aapd: true,
  skip_pay_order_id: orderHashExample,
  processed_files: expenseExample.processed_files,
  missing_document_types: ["medical_order"],
  unread_fields: [],
  created_at: "2026-11-20T15:04:05Z",
  updated_at: "2026-11-20T18:30:00Z",
};
const one = (summary: string, value: unknown): Record<string, Example> => ({ example: { summary, value } });

/**
 * Example requests with the sandbox's test values, and their responses, by operation id. A test checks each against the
 * schema of its endpoint.
 */
export const endpointExamples: Readonly<Record<string, EndpointExamples>> = {
  ...sandboxExamples,
  ...webhookAdministrationExamples(webhookExample("order.paid")),
  listPayouts: { responses: { 200: one("A payout of a day", payoutsExample) } },
  readPayout: { responses: { 200: one("A payout of one order", payoutExample) } },
  readStatement: { responses: { 200: one("A month with one paid order", statementExample) } },
  readReconciliation: {
    responses: { 200: one("A charge that is on the processor's list and not in the ledger", reconciliationExample) },
  },
  createOrder: {
    request: one("A consultation for 40.000 pesos", exampleOf(orderNotes.CreateOrderRequest)),
    responses: { 201: one("The order, waiting for its payment", orderExample("pending")) },
  },
  listOrders: {
    responses: { 200: one("The last page", { orders: [orderExample("paid"), olderOrderExample], next: null }) },
  },
  getOrder: {
    responses: {
      200: {
        client_secret: { summary: "Read with client_secret", value: orderExample("paid") },
        client_id: { summary: "Read with client_id", value: patientOrderExample("paid") },
      },
    },
  },
  readAgreement: { responses: { 200: one("What would be agreed to now", agreementExample) } },
  printAgreement: { responses: { 200: one("The file", agreementFileExample) } },
  printReceipt: { responses: { 200: one("The file", receiptFileExample) } },
  readCalendarEntry: { responses: { 200: one("The file", calendarFileExample) } },
  validateIdentity: {
    request: one("The serial of the identity card", { document_serial: "123.456.789", document_type: "CEDULA" }),
    responses: { 200: one("Validated", { status: "validated", order: identifiedOrderExample }) },
  },
  addPaymentMethod: {
    request: one("The card, sealed in the browser", { sealed_card: sealed }),
    responses: {
      200: one("Added", {
        status: "added",
        payment_method: patientOrderExample("paid").payment_method,
        order: readyOrderExample,
      }),
    },
  },
  openCardPage: {
    request: {
      open: { summary: "Open the page", value: {} },
      inquiry: { summary: "What became of it? Opens none", value: { inquire: true } },
    },
    responses: {
      200: {
        open: {
          summary: "The patient is to go to the page",
          value: { status: "open", page: cardPage, payment_method: null, order: identifiedOrderExample },
        },
        added: {
          summary: "The card was given there",
          value: {
            status: "added",
            payment_method: patientOrderExample("paid").payment_method,
            order: readyOrderExample,
          },
        },
      },
    },
  },
  disownRecognition: {
    request: one("Nothing is said in it", {}),
    responses: { 200: one("As for anybody", { order: patientOrderExample("pending") }) },
  },
  startRecognition: {
    request: {
      newest: { summary: "For the saved card that the service chooses", value: {} },
      chosen: { summary: "For the saved card that the patient chose", value: { stored_card: savedCardExample.id } },
    },
    responses: {
      202: one("For anybody", { expires_at: "2026-11-20T15:15:05.000Z", resend_after: "2026-11-20T15:06:05.000Z" }),
    },
  },
  verifyRecognition: {
    request: one("The code", { code: "048213" }),
    responses: {
      200: one("Recognised", {
        status: "recognised",
        stored_card: savedCardExample.id,
        cards: [savedCardExample],
        order: readyOrderExample,
      }),
    },
  },
  payOrder: {
    request: one("With the consents that the payment asks for, and the quote that was shown", {
      consents: givenConsents("payment"),
      quote_sha256: quoteExample.sha256,
    }),
    responses: {
      200: {
        succeeded: {
          summary: "Paid",
          value: { order: patientOrderExample("paid"), payment: { status: "succeeded" } },
        },
        requires_action: {
          summary: "The bank asks the patient",
          value: {
            order: readyOrderExample,
            payment: { status: "requires_action", action: challengeExample },
          },
        },
        processing: {
          summary: "Not decided yet",
          value: { order: readyOrderExample, payment: { status: "processing" } },
        },
      },
    },
  },
  refundOrder: {
    request: {
      part: { summary: "A part", value: { amount: 10_000, reason: "Examen no realizado", refund_reference: "dev-77" } },
      all: { summary: "All that is left", value: {} },
    },
    responses: {
      200: one("A part was returned", { ...orderExample("partially_refunded"), refund: refundExample }),
    },
  },
  cancelOrder: { request: one("Nothing to say", {}), responses: { 200: one("Cancelled", orderExample("cancelled")) } },
  revokeWidgetToken: { responses: { 200: one("Revoked", { status: "revoked" }) } },
  mintWidgetToken: {
    request: {
      payment: {
        summary: "For the payment of an order",
        value: {
          order_token: orderHashExample,
          rut,
          user_data: { name: "Camila", surname: "Rojas Fuentes", email: "camila@example.com" },
          parent_origin: "https://clinica.example",
        },
      },
      signUp: {
        summary: `For a sign-up only, valid for ${LONG_TERM_LIFETIME_DAYS} days`,
        value: { rut, long_term_token: true },
      },
      app: {
        summary: "For an app's web view",
        value: { order_token: orderHashExample, rut, return_url: "cl.clinica.app:/pagado", native: true },
      },
      frontDesk: {
        summary: "For a front desk: on the patient's own phone",
        value: { order_token: orderHashExample, qr: true, deliver: { email: "camila@example.com" } },
      },
    },
    responses: {
      201: {
        payment: { summary: "The token, and the address for the frame", value: mintedExample },
        frontDesk: {
          summary: "With the address as a QR code (cut short here)",
          value: { ...mintedExample, qr_svg: QR_EXAMPLE },
        },
      },
    },
  },
  readWidgetToken: { responses: { 200: one("A session for a payment", widgetSessionExample()) } },
  reportShown: {
    request: one("With the texts on the screen", { widget_token: widgetToken, texts: givenConsents("payment") }),
    responses: { 200: one("Shown for the first time", { shown_at: "2026-11-20T15:04:31.000Z" }) },
  },
  readReturn: {
    request: {
      state: { summary: "How the payment stands", value: {} },
      back: { summary: "Whether the page that was left can be opened again", value: { widget_token: widgetToken } },
    },
    responses: {
      200: {
        paid: { summary: "Paid", value: { ...returnExample, status: "paid", amount: 13_500 } },
        processing: { summary: "Waits for the bank", value: { ...returnExample, waits_for: "bank" } },
        declined: { summary: "Not confirmed", value: { ...returnExample, status: "declined", can_continue: true } },
      },
    },
  },
  registerPatient: {
    request: one("A new patient", {
      widget_token: widgetToken,
      rut,
      first_name: "Camila",
      last_name: "Rojas Fuentes",
      email: "camila@example.com",
      phone_number: "9 1234 5678",
      insurer: "colmena",
      consents: givenConsents("onboarding"),
    }),
    responses: { 201: one("Signed up", registered), 200: one("Was signed up before", registered) },
  },
  startRecovery: {
    request: {
      email_code: {
        summary: "A code to the registered e-mail",
        value: { widget_token: widgetToken, rut, way: "email_code" },
      },
      identity: {
        summary: "Identity, and a new e-mail",
        value: {
          widget_token: widgetToken,
          rut,
          way: "identity",
          document_serial: "123456789",
          email: "camila.nueva@example.com",
        },
      },
    },
    responses: {
      202: one("A code was sent", {
        sent_to: "c•••@e•••.com",
        expires_at: "2026-11-20T15:14:05.000Z",
        resend_after: "2026-11-20T15:05:05.000Z",
      }),
    },
  },
  verifyRecovery: {
    request: {
      code: { summary: "The six digits", value: { widget_token: widgetToken, rut, code: "314159" } },
      withSignUp: {
        summary: "With what was ticked in the sign-up",
        value: { widget_token: widgetToken, rut, code: "314159", consents: givenConsents("onboarding") },
      },
    },
    responses: { 200: one("As after a sign-up", { ...registered, event_type: "SPOT_USER_SUBSCRIBED" }) },
  },
  objectToEmailChange: {
    request: one("The token of the link", { widget_token: widgetToken }),
    responses: { 200: one("The e-mail is what it was", { status: "undone" }) },
  },
  sendLinkCode: {
    request: one("The token of the link", { widget_token: widgetToken }),
    responses: {
      202: one("A code was sent", {
        sent_to: "c•••@e•••.com",
        expires_at: "2026-11-20T15:14:05.000Z",
        resend_after: "2026-11-20T15:05:05.000Z",
      }),
    },
  },
  answerLinkCode: {
    request: one("The six digits", { widget_token: widgetToken, code: "314159" }),
    responses: {
      200: one("What is left to charge, and what opens it", {
        access: linkAccess,
        expires_at: "2026-11-20T15:34:05.000Z",
        patient: { first_name: "Camila", rut: "40100000-3", insurer: "colmena" },
        order_token: orderHashExample,
        due: dueExample,
      }),
    },
  },
  readPayment: {
    request: one("With what the code opened", { widget_token: widgetToken, access: linkAccess }),
    responses: {
      200: one("The claim was filed", {
        clinic: "Clínica Demo",
        reference: "ORD-1042",
        consultation_day: "2026-11-20",
        status: "paid",
        total_amount: 40_000,
        refunded_amount: 0,
        paid: [
          {
            kind: "first",
            amount: 12_000,
            commission: 0,
            returned_amount: 0,
            disputed_amount: 0,
            lost_amount: 0,
            at: "2026-11-20T15:08:41.000Z",
            card: { brand: "visa", last4: "6623" },
            authorization_code: "418207",
          },
        ],
        refunds: [],
        claim: {
          status: "filed",
          since: "2026-11-20T16:02:10.000Z",
          filed_at: "2026-11-20T16:02:10.000Z",
          insurer: "colmena",
          missing_document_types: [],
          reason: null,
          charged_on_if_blocked: null,
          reimbursed_amount: null,
        },
        second_charge: {
          status: "pending",
          upcoming: secondChargeExample,
          card: { brand: "visa", last4: "6623" },
          held_by: null,
          declined: null,
        },
        own_cost: null,
        missing_step: null,
        actions: { pay_early: dueExample, change_card: dueExample, give_access: false },
        documents: ["agreement"],
        files: ["receipt", "agreement", "calendar"],
        as_of: "2026-11-23T12:00:00.000Z",
      }),
    },
  },
  makePaymentFile: {
    request: one("The receipt", { widget_token: widgetToken, access: linkAccess, document: "receipt" }),
    responses: { 200: one("The file", receiptFileExample) },
  },
  giveInsurerAccess: {
    request: one("Sealed in the browser", {
      widget_token: widgetToken,
      access: linkAccess,
      insurer: "colmena",
      sealed_insurer_access: sealed,
      consents: givenConsents("onboarding").filter(({ purpose }) => purpose === "insurer_access"),
    }),
    responses: { 200: one("Claims that waited are taken up", { status: "given" }) },
  },
  openLinkCardPage: {
    request: {
      open: { summary: "Open the page", value: { widget_token: widgetToken, access: linkAccess } },
      inquiry: {
        summary: "What became of it? Opens none",
        value: { widget_token: widgetToken, access: linkAccess, inquire: true },
      },
    },
    responses: {
      200: {
        open: {
          summary: "The patient is to go to the page",
          value: { status: "open", page: cardPage, due: dueExample },
        },
        changed: { summary: "The next charge is on the new card", value: { status: "changed", due: dueExample } },
      },
    },
  },
  changeCard: {
    request: {
      card: {
        summary: "Sealed in the browser",
        value: { widget_token: widgetToken, access: linkAccess, sealed_card: sealed },
      },
      inquiry: {
        summary: "What became of it? Changes nothing",
        value: { widget_token: widgetToken, access: linkAccess, inquire: true },
      },
    },
    responses: {
      200: {
        changed: { summary: "The next charge is on the new card", value: { status: "changed", due: dueExample } },
        requires_action: {
          summary: "The bank asks the patient; the card that was there stays until they have answered",
          value: { status: "requires_action", action: challengeExample, due: dueExample },
        },
        processing: {
          summary: "Not known yet: ask with `inquire`",
          value: { status: "processing", due: dueExample },
        },
        none: {
          summary: "To an inquiry: no card is being changed",
          value: { status: "none", due: dueExample },
        },
      },
    },
  },
  payEarly: {
    request: {
      now: { summary: "Now", value: { widget_token: widgetToken, access: linkAccess } },
      inquiry: {
        summary: "What became of it? Charges nothing",
        value: { widget_token: widgetToken, access: linkAccess, inquire: true },
      },
    },
    responses: {
      200: {
        collected: { summary: "Paid; there are no more charges", value: { status: "collected" } },
        requires_action: {
          summary: "The bank asks the patient; nothing is charged until they have answered",
          value: { status: "requires_action", action: challengeExample },
        },
        processing: { summary: "Not known yet: ask with `inquire`", value: { status: "processing" } },
        none: { summary: "To an inquiry: nothing has been tried", value: { status: "none" } },
      },
    },
  },
  ...patientRightsExamples,
  setSubscription: {
    request: one("A plan that the clinic pays", {
      plan: "familiar",
      status: "active",
      valid_until: "2027-11-20T00:00:00.000Z",
      paid_by: "provider",
    }),
    responses: {
      200: one("Set", {
        rut: "40100000-3",
        plan: "familiar",
        status: "active",
        valid_until: "2027-11-20T00:00:00.000Z",
        paid_by: "provider",
        updated_at: "2026-11-20T15:04:05.000Z",
      }),
    },
  },
  listCenters: {
    responses: {
      200: one("The only page", {
        centers: [
          {
            id: "1f7f0e3c-9b7d-4a8c-9a67-3f4b3b7a2c58",
            rut: "76902223-6",
            name: "Quillay Ñuñoa",
            email: "nunoa@example.com",
            has_bank_account: true,
            created_at: "2026-11-20T15:04:05Z",
            updated_at: "2026-11-20T15:04:05Z",
          },
        ],
        next: null,
      }),
    },
  },
  listExpenses: { responses: { 200: one("The only page", { expenses: [storedExpenseExample], next: null }) } },
  readExpense: { responses: { 200: one("A medical order is missing", storedExpenseExample) } },
  listRefunds: { responses: { 200: one("A part was returned", { refunds: [refundExample] }) } },
  upsertCenters: {
    request: one("Two centres", {
      centers: [
        { rut: "76.902.223-6", name: "Quillay Ñuñoa", email: "nunoa@example.com" },
        { rut: "76.903.334-3", name: "Quillay Viña", email: "vina@example.com" },
      ],
    }),
    responses: {
      200: one("One was there before", {
        centers: [
          { rut: "76902223-6", id: "1f7f0e3c-9b7d-4a8c-9a67-3f4b3b7a2c58", created: false },
          { rut: "76903334-3", id: "a2b1c3d4-5e6f-4a7b-8c9d-0e1f2a3b4c5d", created: true },
        ],
      }),
    },
  },
  submitExpense: { responses: { 200: one("Received, waiting for the order's payment", expenseExample) } },
  submitExpenseByUrl: {
    request: one("A receipt at an address", {
      urls: ["https://clinica.example/boletas/45951.pdf"],
      date: "20/11/2026",
      receipt_id: "45951",
      receipt_rut: "76.900.001-1",
      total: "40.000",
      skip_pay_order_id: orderHashExample,
    } satisfies SubmitExpenseByUrlRequest),
    responses: { 200: one("Received, waiting for the order's payment", expenseExample) },
  },
  isUserSubscribed: {
    responses: { 200: one("On a free trial", { is_subscribed: true, is_free_trial: true }) },
  },
  readQuote: {
    responses: {
      200: one(
        "A consultation of $45.952",
        quoteFor({
          total: clp(45_952),
          commissionBasisPoints: 700,
          commissionTax: { regime: "taxed_service" },
          financingProvider: "Financiera de Prueba SpA",
          annualCost: { convention: "linear", dayBase: 365 },
          now: new Date("2026-11-21T15:00:00Z"),
        }),
      ),
    },
  },
  profile: {
    responses: {
      200: one("A clinic in staging", {
        provider: {
          id: "8d1f6c1e-3a0b-4a53-9a4e-6f2f0c9a7b10",
          name: "Clínica Los Aromos del Sur SpA",
          rut: "76900001-1",
        },
        environment: "staging",
        scopes: [],
      }),
    },
  },
};

function consentsAt(step: ConsentText["step"]): readonly ConsentText[] {
  return consentTexts("es-CL", step).filter(({ required }) => required);
}

function givenConsents(step: ConsentText["step"]): GivenConsent[] {
  return consentsAt(step).map(({ purpose, text_version, text_sha256 }) => ({ purpose, text_version, text_sha256 }));
}

function widgetSessionExample() {
  const key = {
    kty: "RSA",
    kid: "2026-11",
    alg: "RSA-OAEP-256",
    use: "enc",
    n: "sXchDaQebHnPiGvyDOAT4saGEUetSyo9",
    e: "AQAB",
  };
  return {
    event_type: "SPOT_USER_NEW",
    user_data: { name: "Camila", surname: "Rojas Fuentes", email: "camila@example.com" },
    order_token: orderHashExample,
    order: patientOrderExample("pending"),
    quote: quoteExample,
    provider: {
      name: "Clínica Los Aromos del Sur SpA",
      logo_url: null,
      appearance: { accent: "#0a7d55" },
      support: { email: "ayuda@example.com", phone: null },
    },
    client_id: "ci_test",
    public_key: "PK_test",
    parent_origins: ["https://clinica.example"],
    return_url: null,
    native: false,
    sealing_keys: { card: key, insurer_access: key },
    card_entry: "fields",
    consents: consentsAt("payment").map((text) => fillConsent(text, consentFigures(quoteExample, "es-CL"))),
    withdrawal: "No hay retracto (Ley 19.496, art. 3 bis b): pide devoluciones a la clínica, ayuda@example.com.",
    locale: "es-CL",
    purpose: "checkout",
    expires_at: "2026-11-20T16:04:05.000Z",
    server_time: "2026-11-20T15:04:06.000Z",
  };
}
