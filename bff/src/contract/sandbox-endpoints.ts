import * as z from "zod/mini";
import { endpoint } from "./endpoint.ts";
import { cardBrandSchema, cardKindSchema, timestampSchema } from "./orders.ts";
import { clpSchema } from "./vocabulary/clp.ts";
import { commissionRegimeSchema } from "./vocabulary/commission-tax.ts";
import { orderHashSchema } from "./vocabulary/identifiers.ts";
import { originSchema, returnUrlSchema } from "./widget-tokens.ts";

const catalogue = z.object({
  cards: z.array(z.object({ number: z.string(), brand: cardBrandSchema, kind: cardKindSchema, causes: z.string() })),
  document_serials: z.array(z.object({ document_serial: z.string(), causes: z.string() })),
  people: z.array(z.object({ rut: z.string(), causes: z.string() })),
  email_addresses: z.array(z.object({ email: z.string(), causes: z.string() })),
  phone_numbers: z.array(z.object({ number: z.string(), causes: z.string() })),
  bank_accounts: z.array(z.object({ number: z.string(), causes: z.string() })),
  faults: z.object({
    kinds: z.array(z.object({ kind: z.string(), causes: z.string() })),
    methods: z.array(z.object({ party: z.string(), method: z.string() })),
  }),
});

const newTenant = z.object({
  name: z.optional(z.string().check(z.trim(), z.minLength(1), z.maxLength(255))),
  /** Whether the tenant may onboard centres. */
  meta: z.optional(z.boolean()),
  /** Pages that may frame the widget. */
  origins: z.optional(z.array(originSchema).check(z.maxLength(50))),
  /** Addresses that bring patients back from a checkout without a frame. */
  return_urls: z.optional(z.array(returnUrlSchema).check(z.maxLength(20))),
  /** Whether the first instalment is captured before the credit decision. */
  capture_first: z.optional(z.boolean()),
  commission_percentage: z.optional(z.number().check(z.gte(0), z.lte(100), z.multipleOf(0.01))),
  /** A taxed service by default. */
  commission_regime: z.optional(commissionRegimeSchema),
  /** Whether its patients enter their card on the card processor's own page. */
  card_page: z.optional(z.boolean()),
  /** Whether its patients may save a card and be recognised by a code. */
  known_patients: z.optional(z.boolean()),
  unpaid_order_expiry_minutes: z.optional(z.int().check(z.gte(1), z.lte(525_600))),
});

const tenant = z.object({
  provider: z.object({ id: z.uuid(), name: z.string(), rut: z.string() }),
  credentials: z.object({
    client_secret: z.string(),
    client_id: z.string(),
    public_key: z.string(),
    webhook_secret: z.string(),
    secret_key: z.string(),
  }),
});

const challenge = z.object({
  challenge: z.string(),
  /** How many leading bits of SHA-256 of `{challenge}.{solution}` must be zero. */
  bits: z.int(),
  expires_at: timestampSchema,
});

const newKeys = z.object({
  challenge: z.string().check(z.maxLength(512)),
  solution: z.string().check(z.maxLength(64)),
  name: newTenant.shape.name,
  origins: newTenant.shape.origins,
});

const keys = z.object({
  ...tenant.shape,
  addresses: z.object({ order_api: z.string(), spot_api: z.string(), widget_host: z.string() }),
  /** The keys expire then, unless an operator extends them. */
  ends_at: timestampSchema,
});

const request = z.object({
  request_id: z.string(),
  ended_at: timestampSchema,
  method: z.string(),
  /** The pattern of its path, without values. */
  route: z.string(),
  status: z.int(),
  /** The code of an error response. */
  code: z.nullable(z.string()),
  /** The names of refused fields. */
  invalid_fields: z.array(z.string()),
  duration_ms: z.number(),
});

const fault = z.object({
  party: z.enum([
    "card-processor",
    "financing-provider",
    "identity-registry",
    "insurer",
    "messenger",
    "bank",
    "tax-documents",
  ]),
  method: z.string().check(z.maxLength(64)),
  kind: z.enum(["slow", "fail_before", "fail_after", "twice", "kill_after"]),
  /** The number of faulty calls. */
  calls: z._default(z.int().check(z.gte(1), z.lte(1_000)), 1),
});

const clock = z.object({
  /** The tenant's own time. */
  now: timestampSchema,
  real_now: timestampSchema,
  ahead_seconds: z.number(),
  /** How far the clock still has to move; 0 when it has moved and all due work is done. */
  remaining_seconds: z.number(),
});

const notification = z.object({
  id: z.uuid(),
  message_id: z.string(),
  to: z.string(),
  subject: z.string(),
  text: z.string(),
  html: z.string(),
  sent_at: timestampSchema,
});

const message = z.object({
  id: z.uuid(),
  message_id: z.string(),
  /** A telephone number in E.164. */
  to: z.string(),
  text: z.string(),
  sent_at: timestampSchema,
});

const claim = z.object({
  order_hash: orderHashSchema,
  status: z.enum(["waiting", "approved", "rejected", "access_blocked", "portal_down"]),
  reimbursed: z.nullable(clpSchema),
  reason: z.nullable(z.string()),
});

/** After this time a move of the clock is answered before it is done, while a proxy still waits for it. */
export const CLOCK_ANSWER_WITHIN_SECONDS = 15;

/** One to four numbers, each with a unit, as in `45d` or `1d12h`. */
const duration = z
  .string()
  .check(z.regex(/^(?:\d{1,9}[smhd]){1,4}$/, "must be a duration such as 45d, 12h, 30m or 10s"));

const common = {
  family: "spot",
  caller: "partner",
  credentials: ["client_secret"],
} as const;

/** Calls of the sandbox. They exist only in staging and act on the tenant of the client_secret. */
export const sandboxEndpoints = {
  readSandboxCatalogue: endpoint({
    ...common,
    method: "GET",
    path: "/sandbox/catalogue",
    summary: "List magic values.",
    description: "Returns every value with a special effect. All other values succeed.",
    success: { 200: catalogue },
    errors: ["invalid_credential"],
  }),
  readSandboxChallenge: endpoint({
    ...common,
    credentials: [],
    method: "GET",
    path: "/sandbox/keys/challenge",
    summary: "Get a challenge for sandbox keys.",
    description: "Returns a proof-of-work challenge that `POST /sandbox/keys` requires. It is valid for ten minutes.",
    success: { 200: challenge },
    errors: [],
  }),
  createSandboxKeys: endpoint({
    ...common,
    credentials: [],
    method: "POST",
    path: "/sandbox/keys",
    summary: "Create sandbox keys.",
    description: "Creates a provider for a caller without an account, for a solved challenge.",
    body: newKeys,
    success: { 201: keys },
    errors: [],
  }),
  createSandboxTenant: endpoint({
    ...common,
    method: "POST",
    path: "/sandbox/tenants",
    summary: "Create a sandbox tenant.",
    description:
      "Creates a provider with its own credentials, people and clock, for a test worker. If your keys came without an account, its keys end with yours, and you can create 60 an hour and 500 a month.",
    body: newTenant,
    success: { 201: tenant },
    errors: ["invalid_credential"],
    idempotent: true,
  }),
  readSandboxRequests: endpoint({
    ...common,
    method: "GET",
    path: "/sandbox/requests",
    summary: "Read recent requests.",
    description: "Returns the latest requests of your back end and pages that this process has answered, newest first.",
    success: { 200: z.object({ requests: z.array(request) }) },
    errors: ["invalid_credential"],
  }),
  readSandboxFaults: endpoint({
    ...common,
    method: "GET",
    path: "/sandbox/faults",
    summary: "Read pending faults.",
    description: "Returns the faults that have not happened yet.",
    success: { 200: z.object({ faults: z.array(fault) }) },
    errors: ["invalid_credential"],
  }),
  setSandboxFaults: endpoint({
    ...common,
    method: "PUT",
    path: "/sandbox/faults",
    summary: "Set faults.",
    description:
      "Makes the next calls to outside parties misbehave, in this order. Replaces the faults that were set before.",
    body: z.object({ faults: z.array(fault).check(z.maxLength(100)) }),
    success: { 200: z.object({ faults: z.array(fault) }) },
    errors: ["invalid_credential"],
  }),
  readSandboxClock: endpoint({
    ...common,
    method: "GET",
    path: "/sandbox/clock",
    summary: "Read the clock.",
    description: "Returns the tenant's time and the progress of a move.",
    success: { 200: clock },
    errors: ["invalid_credential"],
  }),
  moveSandboxClock: endpoint({
    ...common,
    method: "PUT",
    path: "/sandbox/clock",
    summary: "Move the clock.",
    description: `Moves the tenant's time forward, from one due moment to the next, and answers when all due work is done. After ${CLOCK_ANSWER_WITHIN_SECONDS} seconds it answers 202 with the progress.`,
    body: z.object({ advance: duration }),
    success: { 200: clock, 202: clock },
    errors: ["invalid_credential"],
    idempotent: true,
  }),
  readSandboxNotices: endpoint({
    ...common,
    method: "GET",
    path: "/sandbox/notices",
    summary: "Read messages to patients.",
    description: "Returns the e-mails and phone messages that the service sent, newest first.",
    query: z.object({
      /** An e-mail address, or a telephone number. */
      to: z.optional(z.string().check(z.maxLength(254))),
      limit: z._default(
        z.pipe(
          z.string().check(z.regex(/^[1-9]\d{0,2}$/, "must be 1 to 999")),
          z.transform((text: string) => Number(text)),
        ),
        100,
      ),
    }),
    success: { 200: z.object({ notices: z.array(notification), messages: z.array(message) }) },
    errors: ["invalid_credential", "validation_error"],
  }),
  settleSandboxClaim: endpoint({
    ...common,
    method: "PUT",
    path: "/sandbox/claims/{hash}",
    summary: "Decide a claim.",
    description:
      "Makes the insurer approve or reject the claim of an order, or block or unblock the access, from now on.",
    body: z.object({
      outcome: z.enum(["approve", "reject", "block", "unblock"]),
      /** With `approve`; the default is the insurer's usual share. */
      reimbursed: z.optional(z.int().check(z.gte(0), z.lte(999_999_999))),
      /** With `reject`. */
      reason: z.optional(z.string().check(z.trim(), z.minLength(1), z.maxLength(500))),
      /**
       * Whether the insurer calls back, so that the service polls at once; otherwise the service learns of it at its
       * next poll.
       */
      callback: z._default(z.boolean(), false),
    }),
    success: { 200: z.object({ claim }) },
    errors: ["invalid_credential", "order_not_found"],
  }),
  chargeBackInSandbox: endpoint({
    ...common,
    method: "POST",
    path: "/sandbox/chargebacks",
    summary: "Charge back a payment.",
    description: "Simulates a chargeback of the remaining amount of an order's latest charge.",
    body: z.object({ order_hash: orderHashSchema }),
    success: { 201: z.object({ chargeback: z.object({ id: z.uuid(), charge_id: z.uuid(), amount: clpSchema }) }) },
    errors: ["invalid_credential", "order_not_found"],
    idempotent: true,
  }),
};
