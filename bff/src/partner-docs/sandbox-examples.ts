import { LATEST_COLLECTION_DAY } from "../contract/terms.ts";
import type { Example } from "./openapi-document.ts";
import { orderHashExample } from "./order-example.ts";

const one = (summary: string, value: unknown): Record<string, Example> => ({ example: { summary, value } });

const fault = { party: "card-processor", method: "charge", kind: "fail_after", calls: 1 };
const id = "5b0c3c0e-6a0f-4c3a-8f0e-0f8f1f0a2b11";
const moved = {
  now: "2027-01-05T15:04:05.000Z",
  real_now: "2026-11-21T15:04:05.000Z",
  ahead_seconds: 3_888_000,
  remaining_seconds: 0,
};

const tenantExample = {
  provider: { id, name: "Clínica de Prueba SpA", rut: "76900001-1" },
  credentials: {
    client_secret: "cs_…",
    client_id: "ci_…",
    public_key: "PK_…",
    webhook_secret: "whsec_…",
    secret_key: "ak_…",
  },
};
const challenge = "lbgcjcgefagfkcjaofgefgflfagbll~mzxqk3a0~k1.Zm9yIGV4YW1wbGU";

interface CallExamples {
  readonly request?: Readonly<Record<string, Example>>;
  readonly responses: Readonly<Record<number, Readonly<Record<string, Example>>>>;
}

/** Examples of the sandbox's own calls, by operation id. */
export const sandboxExamples: Readonly<Record<string, CallExamples>> = {
  readSandboxCatalogue: {
    responses: {
      200: one("One entry of each kind", {
        cards: [
          { number: "4051885600446623", brand: "visa", kind: "credit", causes: "Every charge is captured." },
          { number: "5186059559590568", brand: "mastercard", kind: "credit", causes: "Every charge is declined." },
        ],
        document_serials: [{ document_serial: "100000001", causes: "Rejected." }],
        people: [{ rut: "40100000-3", causes: "Everything succeeds; the claim is approved after 5 days." }],
        email_addresses: [{ email: "rebota@example.com", causes: "Bounces: the mail is refused." }],
        phone_numbers: [{ number: "+56900000001", causes: "Bounces: nobody has this number." }],
        bank_accounts: [{ number: "1000000001", causes: "A transfer is refused: there is no such account." }],
        faults: {
          kinds: [{ kind: "fail_after", causes: "It takes effect, and the answer is lost." }],
          methods: [{ party: "card-processor", method: "charge" }],
        },
      }),
    },
  },
  readSandboxChallenge: {
    responses: {
      200: one("The work to be done", { challenge, bits: 18, expires_at: "2026-11-21T15:14:05.000Z" }),
    },
  },
  createSandboxKeys: {
    request: one("A solved challenge", { challenge, solution: "k3v9", name: "Clínica de Prueba SpA" }),
    responses: {
      201: one("The provider, and its credentials, which are shown once", {
        ...tenantExample,
        addresses: {
          order_api: "https://api.example.com",
          spot_api: "https://backend.example.com",
          widget_host: "https://checkout.example.com",
        },
        ends_at: "2026-12-21T15:04:05.000Z",
      }),
    },
  },
  createSandboxTenant: {
    request: one("As the demo's clinic is", {}),
    responses: { 201: one("The provider, and its credentials, which are shown once", tenantExample) },
  },
  readSandboxRequests: {
    responses: {
      200: one("A call that was refused", {
        requests: [
          {
            request_id: id,
            ended_at: "2026-11-21T15:04:05.000Z",
            method: "POST",
            route: "/orders",
            status: 422,
            code: "validation_error",
            invalid_fields: ["customer.rut"],
            duration_ms: 3.1,
          },
        ],
      }),
    },
  },
  readSandboxFaults: { responses: { 200: one("One is still to come", { faults: [fault] }) } },
  setSandboxFaults: {
    request: one("The next capture is made, and its answer is lost", { faults: [fault] }),
    responses: { 200: one("What is still to come", { faults: [fault] }) },
  },
  readSandboxClock: { responses: { 200: one(`${LATEST_COLLECTION_DAY} days ahead`, moved) } },
  moveSandboxClock: {
    request: one("To the day of the deferred charge", { advance: "45d" }),
    responses: {
      200: one("All that fell due has been done", moved),
      202: one("It takes longer; read the clock until nothing remains", {
        ...moved,
        now: "2026-12-21T15:04:05.000Z",
        ahead_seconds: 2_592_000,
        remaining_seconds: 1_296_000,
      }),
    },
  },
  readSandboxNotices: {
    responses: {
      200: one("A receipt", {
        notices: [
          {
            id,
            message_id: "payment_receipt:1",
            to: "camila@example.com",
            subject: "Tu comprobante de pago",
            text: "Pagaste $12.000.",
            html: "<p>Pagaste $12.000.</p>",
            sent_at: "2026-11-21T15:04:05.000Z",
          },
        ],
        messages: [
          {
            id,
            message_id: "payment_receipt:1",
            to: "+56912345678",
            text: "Recibimos tu pago de $12.000.",
            sent_at: "2026-11-21T15:04:05.000Z",
          },
        ],
      }),
    },
  },
  settleSandboxClaim: {
    request: {
      approve: { summary: "Approve", value: { outcome: "approve", reimbursed: 24_000 } },
      block: { summary: "Block the access", value: { outcome: "block" } },
    },
    responses: {
      200: one("Approved", {
        claim: { order_hash: orderHashExample, status: "approved", reimbursed: 24_000, reason: null },
      }),
    },
  },
  chargeBackInSandbox: {
    request: one("The latest charge of an order", { order_hash: orderHashExample }),
    responses: {
      201: one("Charged back", {
        chargeback: { id, charge_id: "9a4c3c52-0d0a-4d34-9a39-6f0f2a1f4e21", amount: 12_000 },
      }),
    },
  },
};
