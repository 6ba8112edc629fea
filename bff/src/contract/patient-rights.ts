import * as z from "zod/mini";
import { insurerChoiceSchema } from "./onboarding.ts";
import {
  consentPurposeSchema,
  customerSchema,
  orderItemSchema,
  orderStatusSchema,
  paymentMethodSchema,
  savedCardSchema,
  timestampSchema,
} from "./orders.ts";
import { calendarDaySchema } from "./vocabulary/calendar-day.ts";
import { clpSchema } from "./vocabulary/clp.ts";
import { orderHashSchema, widgetTokenSchema } from "./vocabulary/identifiers.ts";
import { legalTextNameSchema } from "./vocabulary/legal-text.ts";
import { personRutSchema } from "./vocabulary/rut.ts";

/*
 * A patient's rights over their data: see and export it, withdraw consents, and ask for erasure. They require a link
 * sent to the registered address, and its one-time code.
 */

/** Body of `POST /api/spot/patient/data_link`. */
export const sendDataLinkRequestSchema = z.object({ rut: personRutSchema });
export type SendDataLinkRequest = z.input<typeof sendDataLinkRequestSchema>;
/** The response is the same for every RUT, so that it does not reveal who is registered. */
export const sendDataLinkResponseSchema = z.object({ status: z.literal("accepted") });

const openedLinkSchema = z.object({ widget_token: widgetTokenSchema, access: z.uuid() });

/** A few lines are enough for a request. */
export const REQUEST_WORDS_MAX = 500;
const wordsSchema = z.string().check(z.trim(), z.minLength(1), z.maxLength(REQUEST_WORDS_MAX));

export const rightsRequestKindSchema = z.enum(["rectification", "opposition", "blocking", "credit_review"]);
export type RightsRequestKind = z.infer<typeof rightsRequestKindSchema>;

/** The incorrect field of the record. An address is changed by signing up again, with a code to it. */
export const correctedFieldSchema = z.enum(["first_name", "last_name", "phone_number", "other"]);
export type CorrectedField = z.infer<typeof correctedFieldSchema>;

/** A consent as it was given, with its full text. */
export const keptConsentSchema = z.object({
  purpose: consentPurposeSchema,
  text_version: z.string(),
  text: z.string(),
  order_token: z.nullable(z.uuid()),
  shown_at: z.nullable(timestampSchema),
  accepted_at: timestampSchema,
  withdrawn_at: z.nullable(timestampSchema),
});

const planSchema = z.object({
  plan: z.string(),
  status: z.enum(["active", "cancelled"]),
  valid_until: z.nullable(timestampSchema),
  paid_by: z.enum(["patient", "provider"]),
});

/**
 * The stored data of a patient. A link only shows orders that were addressed to the registered mailbox. Sealed data is
 * only mentioned, not shown.
 */
export const patientDataSchema = z.object({
  exported_at: timestampSchema,
  patient: z.object({
    rut: z.string(),
    first_name: z.string(),
    last_name: z.string(),
    email: z.string(),
    phone_number: z.string(),
    insurer: insurerChoiceSchema,
    registered_at: timestampSchema,
  }),
  insurer_access: z.object({ kept: z.boolean(), since: z.nullable(timestampSchema) }),
  /** The plan that was set last. */
  subscription: z.nullable(planSchema),
  /** One for each provider that has set a plan. */
  subscriptions: z.array(z.object({ ...planSchema.shape, provider: z.string() })),
  consents: z.array(keptConsentSchema),
  orders: z.array(
    z.object({
      order_token: z.uuid(),
      provider: z.string(),
      reference: z.string(),
      status: orderStatusSchema,
      total_amount: clpSchema,
      refunded_amount: clpSchema,
      /** The lines of the bill; null if the clinic sent none. */
      items: z.optional(z.nullable(z.array(orderItemSchema))),
      customer: customerSchema,
      card: z.nullable(paymentMethodSchema),
      created_at: timestampSchema,
      paid_at: z.nullable(timestampSchema),
      charges: z.array(
        z.object({
          kind: z.enum(["first", "deferred"]),
          status: z.string(),
          amount: clpSchema,
          at: timestampSchema,
        }),
      ),
      /** Why the financing provider has refused the credit, in plain Spanish; `null` if it has not. */
      credit_refusal: z.nullable(z.object({ refused_at: timestampSchema, reasons: z.array(z.string()) })),
      /**
       * The texts accepted with the payment. `POST /api/spot/patient/agreement` returns them in full. Null if none were
       * stored.
       */
      agreement: z.optional(z.nullable(z.array(legalTextNameSchema))),
      claim: z.nullable(
        z.object({
          status: z.string(),
          filed_at: z.nullable(timestampSchema),
          /** Why the insurer rejected the claim, in its own words, or why the claim waits or was stopped. */
          reason: z.nullable(z.string()),
          reimbursed_amount: z.nullable(clpSchema),
        }),
      ),
    }),
  ),
  expenses: z.array(
    z.object({
      id: z.uuid(),
      provider: z.string(),
      order_token: z.nullable(z.uuid()),
      status: z.string(),
      name: z.nullable(z.string()),
      date: z.nullable(calendarDaySchema),
      receipt_id: z.nullable(z.string()),
      receipt_rut: z.nullable(z.string()),
      doctor_rut: z.nullable(z.string()),
      total: z.nullable(clpSchema),
      /** Values from the clinic that the service could not read, by field name. */
      unread_fields: z.catchall(z.object({}), z.string()),
      files: z.array(z.object({ name: z.string(), type: z.string(), bytes: z.int() })),
      received_at: timestampSchema,
    }),
  ),
  /** Cards that the processor keeps for later orders, and the orders that each was chosen for. */
  saved_cards: z.optional(
    z.array(
      z.object({
        ...savedCardSchema.shape,
        provider: z.string(),
        saved_at: timestampSchema,
        /** Whether it is being removed: it can no longer pay, but the processor has not confirmed the deletion. */
        removing: z.optional(z.boolean()),
        uses: z.array(z.object({ provider: z.string(), order_token: z.uuid(), at: timestampSchema })),
      }),
    ),
  ),
  email_changes: z.array(z.object({ changed_at: timestampSchema, objected_at: z.nullable(timestampSchema) })),
  /** Outstanding debt, commission included. */
  owed: clpSchema,
  /** Requests to a person, oldest first. */
  requests: z.optional(
    z.array(
      z.object({
        id: z.uuid(),
        kind: rightsRequestKindSchema,
        /** The field or the order that it concerns. */
        about: z.nullable(z.string()),
        words: z.string(),
        status: z.enum(["open", "granted", "refused"]),
        asked_at: timestampSchema,
        answer_by: timestampSchema,
        answered_at: z.nullable(timestampSchema),
        answer: z.nullable(z.string()),
      }),
    ),
  ),
  erasure: z.nullable(z.object({ status: z.enum(["waiting", "erased"]), requested_at: timestampSchema })),
});
export type PatientData = z.infer<typeof patientDataSchema>;

/** Body of `POST /api/spot/patient/data`. */
export const readPatientDataRequestSchema = openedLinkSchema;
export type ReadPatientDataRequest = z.input<typeof readPatientDataRequestSchema>;

/** Body of `POST /api/spot/patient/agreement`. */
export const printOwnAgreementRequestSchema = z.extend(openedLinkSchema, { order_token: orderHashSchema });
export type PrintOwnAgreementRequest = z.input<typeof printOwnAgreementRequestSchema>;

/** The effects of a withdrawal. */
export const withdrawalEffectSchema = z.enum([
  "insurer_access_destroyed",
  "open_claims_stopped",
  "no_more_claims",
  "card_not_charged",
  "saved_cards_removed",
  "no_more_offers",
]);
export type WithdrawalEffect = z.infer<typeof withdrawalEffectSchema>;

/** Body of `POST /api/spot/patient/consents/withdraw`. */
export const withdrawConsentRequestSchema = z.extend(openedLinkSchema, { purpose: consentPurposeSchema });
export type WithdrawConsentRequest = z.input<typeof withdrawConsentRequestSchema>;
export const withdrawConsentResponseSchema = z.object({
  withdrawn: consentPurposeSchema,
  effects: z.array(withdrawalEffectSchema),
  /** The debt, which a withdrawal does not change. */
  owed: clpSchema,
});
export type WithdrawConsentResponse = z.infer<typeof withdrawConsentResponseSchema>;

/**
 * Body of `POST /api/spot/patient/requests`. `blocking` takes effect at once and lasts until it is answered: no claim
 * is filed, and no later charge is made automatically. Repeating an open request replaces its text.
 */
export const makeRightsRequestSchema = z.extend(openedLinkSchema, {
  request: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("rectification"), field: correctedFieldSchema, words: wordsSchema }),
    z.object({ kind: z.literal("opposition"), words: wordsSchema }),
    z.object({ kind: z.literal("blocking"), words: wordsSchema }),
    z.object({ kind: z.literal("credit_review"), order_token: orderHashSchema, words: wordsSchema }),
  ]),
});
export type MakeRightsRequest = z.input<typeof makeRightsRequestSchema>;
export const makeRightsRequestResponseSchema = z.object({
  kind: rightsRequestKindSchema,
  answer_by: timestampSchema,
});
export type MakeRightsRequestResponse = z.infer<typeof makeRightsRequestResponseSchema>;

/** Body of `POST /api/spot/patient/saved_cards/remove`. */
export const removeSavedCardRequestSchema = z.extend(openedLinkSchema, { saved_card: z.uuid() });
export type RemoveSavedCardRequest = z.input<typeof removeSavedCardRequestSchema>;
/** The card is no longer charged. The removal is repeated until the processor confirms it. */
export const removeSavedCardResponseSchema = z.object({ status: z.literal("removed") });

/** Which data is kept, and why. */
export const keptDataSchema = z.object({
  what: z.enum(["contact", "orders", "credit_decisions", "consents"]),
  because: z.enum(["charge_owed", "order_open", "accounting_law", "consumer_law", "proof"]),
});
export type KeptData = z.infer<typeof keptDataSchema>;

/** Body of `POST /api/spot/patient/erasure`. */
export const eraseDataRequestSchema = openedLinkSchema;
export type EraseDataRequest = z.input<typeof eraseDataRequestSchema>;
/** `waiting`: data kept because of `charge_owed` or `order_open` is erased automatically afterwards. */
export const eraseDataResponseSchema = z.object({
  status: z.enum(["erased", "waiting"]),
  kept: z.array(keptDataSchema),
});
export type EraseDataResponse = z.infer<typeof eraseDataResponseSchema>;
