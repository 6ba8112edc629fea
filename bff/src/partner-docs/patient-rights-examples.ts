import { consentTexts } from "../patients/consent-texts.ts";
import { agreementFileExample } from "./agreement-example.ts";
import type { Example } from "./openapi-document.ts";
import { exportedOrderExample, orderHashExample } from "./order-example.ts";

const opened = {
  widget_token: "7c9e6679-7425-40de-944b-e07fc1f90ae7",
  access: "f2b6c1de-7a51-4c0e-9d0b-6d4a1e8b7c35",
};
const customer = {
  rut: "40100000-3",
  first_name: "Camila",
  last_name: "Rojas Fuentes",
  email: "camila@example.com",
  phone_number: "+56912345678",
};
/** After the order was created and before it was paid. */
const registeredAt = "2026-11-20T15:06:11.000Z";

const data = {
  exported_at: "2026-11-21T15:04:05.000Z",
  patient: { ...customer, insurer: "colmena", registered_at: registeredAt },
  insurer_access: { kept: true, since: registeredAt },
  subscription: null,
  subscriptions: [],
  consents: consentTexts("es-CL", "onboarding")
    .filter(({ required }) => required)
    .map(({ purpose, text_version, text }) => ({
      purpose,
      text_version,
      text,
      order_token: null,
      shown_at: "2026-11-20T15:05:40.000Z",
      accepted_at: registeredAt,
      withdrawn_at: null,
    })),
  orders: [
    {
      ...exportedOrderExample,
      provider: "Clínica Los Aromos del Sur SpA",
      credit_refusal: null,
      agreement: [{ kind: "contract", version: "2026-12" }],
      claim: { status: "filed", filed_at: "2026-11-20T16:02:10.000Z", reason: null, reimbursed_amount: null },
    },
  ],
  expenses: [
    {
      id: "0190c7a2-4d2e-7b1a-9c35-6f1f3a2b8d44",
      provider: "Clínica Los Aromos del Sur SpA",
      order_token: orderHashExample,
      status: "filed",
      name: "Camila Rojas Fuentes",
      date: "2026-11-20",
      receipt_id: "10442",
      receipt_rut: "76900001-1",
      doctor_rut: null,
      total: 40_000,
      unread_fields: {},
      files: [{ name: "boleta.pdf", type: "application/pdf", bytes: 48_213 }],
      received_at: "2026-11-20T15:30:00.000Z",
    },
  ],
  email_changes: [],
  owed: 30_800,
  erasure: null,
};

const one = (summary: string, value: unknown): Record<string, Example> => ({ example: { summary, value } });

/** Examples of the calls with which a patient sees, withdraws and erases. */
export const patientRightsExamples = {
  sendDataLink: {
    request: one("The patient's RUT", { rut: "40.100.000-3" }),
    responses: { 202: one("The same for every RUT", { status: "accepted" }) },
  },
  printOwnAgreement: {
    request: one("The order of a visible payment", { ...opened, order_token: orderHashExample }),
    responses: { 200: one("The file", agreementFileExample) },
  },
  readPatientData: {
    request: one("After the code", opened),
    responses: { 200: one("Everything that is kept", data) },
  },
  removeSavedCard: {
    request: {
      card: { summary: "One card", value: { ...opened, saved_card: "0190c7a2-7f3e-7b1a-9c35-2d1f3a2b8d44" } },
    },
    responses: { 200: { removed: { summary: "Removed", value: { status: "removed" } } } },
  },
  withdrawConsent: {
    request: one("No more claims", { ...opened, purpose: "claim_mandate" }),
    responses: {
      200: one("What follows, and what stays owed", {
        withdrawn: "claim_mandate",
        effects: ["insurer_access_destroyed", "open_claims_stopped", "no_more_claims"],
        owed: 30_800,
      }),
    },
  },
  makeRightsRequest: {
    request: {
      correct: {
        summary: "Something is wrong",
        value: { ...opened, request: { kind: "rectification", field: "last_name", words: "Rojas Fuenzalida" } },
      },
      review: {
        summary: "A refused credit",
        value: {
          ...opened,
          request: { kind: "credit_review", order_token: orderHashExample, words: "El atraso que aparece no es mío." },
        },
      },
    },
    responses: {
      200: one("Until when it is answered", { kind: "rectification", answer_by: "2026-12-21T15:04:05.000Z" }),
    },
  },
  eraseData: {
    request: one("After the code", opened),
    responses: {
      200: {
        waiting: {
          summary: "Name and address go when nothing is owed",
          value: {
            status: "waiting",
            kept: [
              { what: "contact", because: "charge_owed" },
              { what: "orders", because: "accounting_law" },
              { what: "consents", because: "proof" },
            ],
          },
        },
        erased: {
          summary: "Only what the law keeps is left",
          value: {
            status: "erased",
            kept: [
              { what: "orders", because: "accounting_law" },
              { what: "consents", because: "proof" },
            ],
          },
        },
      },
    },
  },
};
