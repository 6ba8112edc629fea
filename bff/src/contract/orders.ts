import * as z from "zod/mini";
import { collectionStatusSchema, declineLimitSchema, declineReasonSchema, refundRefusalSchema } from "./errors.ts";
import { missingDocumentSchema } from "./expenses.ts";
import { quoteHashSchema } from "./quote.ts";
import { calendarDaySchema, existingDaySchema } from "./vocabulary/calendar-day.ts";
import { addClp, type Clp, clp, clpSchema, ORDER_TOTAL_CLP_MAX } from "./vocabulary/clp.ts";
import { commissionRegimeSchema } from "./vocabulary/commission-tax.ts";
import { EMAIL_LENGTH_MAX, emailSchema } from "./vocabulary/email.ts";
import { orderHashSchema } from "./vocabulary/identifiers.ts";
import { pageLimitSchema } from "./vocabulary/page.ts";
import { isPlainText, NAME_LENGTH_MAX, PLAIN_TEXT_MESSAGE, personNameSchema } from "./vocabulary/person-name.ts";
import { isPossiblePhone } from "./vocabulary/phone.ts";
import { personRutSchema, rutSchema } from "./vocabulary/rut.ts";

export const REFERENCE_LENGTH_MAX = 255;
export const PHONE_LENGTH_MAX = 40;

/** The order states that partners see. */
export const orderStatusSchema = z.enum([
  "pending",
  "partially_paid",
  "paid",
  "partially_refunded",
  "refunded",
  "cancelled",
]);
export type OrderStatus = z.infer<typeof orderStatusSchema>;

export const instalmentStatusSchema = z.enum([
  "pending",
  "captured",
  "scheduled",
  "collected",
  "failed",
  "cancelled",
  "refunded",
]);
export type InstalmentStatus = z.infer<typeof instalmentStatusSchema>;

/** ISO 8601, UTC. */
export const timestampSchema = z.iso.datetime();

/**
 * `total_amount` as a partner may send it: an integer, or digits as text. A negative amount is parsed, because it
 * has its own error code.
 */
const totalAmountSchema = z.pipe(
  z.union([
    z.int().check(z.lte(ORDER_TOTAL_CLP_MAX)),
    z.string().check(z.regex(/^-?\d{1,15}$/, "must be an integer amount of pesos, digits only")),
  ]),
  z.transform((value: number | string, context): number => {
    const amount = Number(value);
    if (amount <= ORDER_TOTAL_CLP_MAX) return amount;
    context.issues.push({ code: "custom", input: value, message: `must be at most ${ORDER_TOTAL_CLP_MAX}` });
    return z.NEVER;
  }),
);

/** A partner's own id for an order, returned exactly as it was sent. */
const referenceSchema = z
  .string()
  .check(
    z.minLength(1),
    z.maxLength(REFERENCE_LENGTH_MAX),
    z.regex(/\S/, "must not be blank"),
    z.refine(isPlainText, PLAIN_TEXT_MESSAGE),
  );

/** An empty text. */
const blankSchema = z.string().check(z.regex(/^\s*$/));

export const ITEMS_MAX = 50;
const ITEM_DESCRIPTION_LENGTH_MAX = 120;
const ITEM_QUANTITY_MAX = 9_999;

/** A line of the clinic's bill. `amount` is the amount of the whole line. */
export const orderItemSchema = z.object({
  description: z.string().check(z.trim(), z.minLength(1), z.maxLength(ITEM_DESCRIPTION_LENGTH_MAX)),
  quantity: z._default(z.int().check(z.gte(1), z.lte(ITEM_QUANTITY_MAX)), 1),
  amount: z.pipe(
    z.int().check(z.gte(1), z.lte(ORDER_TOTAL_CLP_MAX)),
    z.transform((amount: number): Clp => clp(amount)),
  ),
});
export type OrderItem = z.output<typeof orderItemSchema>;

/** Whether the lines of a bill sum to its total. A negative total has its own error. */
function sumsUp({
  total_amount: total,
  items,
}: {
  readonly total_amount: number;
  readonly items?: readonly OrderItem[] | undefined;
}): boolean {
  return total < 0 || items === undefined || addClp(...items.map(({ amount }) => amount)) === total;
}

/**
 * Body of `POST /orders`. The schema allows a missing or blank `customer.email` and a negative `total_amount`, because
 * the interface answers these two with 400 instead of 422.
 */
export const createOrderRequestSchema = z
  .object({
    reference: referenceSchema,
    total_amount: totalAmountSchema,
    customer: z.object({
      rut: personRutSchema,
      first_name: personNameSchema,
      last_name: personNameSchema,
      email: z.optional(z.union([emailSchema, blankSchema])),
      phone_number: z
        .string()
        .check(
          z.trim(),
          z.minLength(1),
          z.maxLength(PHONE_LENGTH_MAX),
          z.refine(isPossiblePhone, "must be a telephone number of 8 to 15 digits"),
        ),
    }),
    provider_rut: z.optional(rutSchema),
    items: z.optional(z.array(orderItemSchema).check(z.minLength(1), z.maxLength(ITEMS_MAX))),
  })
  .check(z.refine(sumsUp, { path: ["items"], message: "must sum to total_amount" }));
/** The body as a partner sends it, before it is normalised. */
export type CreateOrderRequest = z.input<typeof createOrderRequestSchema>;

export const customerSchema = z.object({
  rut: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  email: z.string().check(z.maxLength(EMAIL_LENGTH_MAX)),
  phone_number: z.string(),
});

export const planSchema = z.object({
  name: z.literal("aapd_30_70"),
  data: z.object({
    installments: z.tuple([
      z.object({
        number: z.literal(1),
        percentage: z.int(),
        amount: clpSchema,
        due: z.literal("now"),
        status: instalmentStatusSchema,
      }),
      z.object({
        number: z.literal(2),
        percentage: z.int(),
        amount: clpSchema,
        due: z.literal("deferred"),
        latest_due_date: calendarDaySchema,
        status: instalmentStatusSchema,
      }),
    ]),
    commission: z.object({
      percentage: z.number(),
      amount: clpSchema,
      regime: z.optional(commissionRegimeSchema),
      /** The VAT in the amount; 0 if the commission is interest. */
      vat: z.optional(clpSchema),
      vat_included: z.boolean(),
      charged_with: z.literal("deferred"),
    }),
  }),
});
export type Plan = z.infer<typeof planSchema>;

export const cardBrandSchema = z.enum(["visa", "mastercard", "amex", "diners", "discover", "maestro", "jcb", "other"]);
export type CardBrand = z.infer<typeof cardBrandSchema>;
/** The names of card brands; empty for an unknown brand. */
export const CARD_BRAND_NAMES: Readonly<Record<CardBrand, string>> = {
  visa: "Visa",
  mastercard: "Mastercard",
  amex: "American Express",
  diners: "Diners Club",
  discover: "Discover",
  maestro: "Maestro",
  jcb: "JCB",
  other: "",
};
export const cardKindSchema = z.enum(["credit", "debit", "prepaid"]);
export type CardKind = z.infer<typeof cardKindSchema>;

export const paymentMethodSchema = z.object({
  id: z.string(),
  brand: cardBrandSchema,
  last4: z.string().check(z.regex(/^\d{4}$/)),
  exp_month: z.optional(z.int()),
  exp_year: z.optional(z.int()),
  holder_name: z.optional(z.string()),
  kind: cardKindSchema,
});
export type PaymentMethod = z.infer<typeof paymentMethodSchema>;

/** A card that was declined for a reason that another attempt cannot change. */
export const declinedCardSchema = z.object({
  ...paymentMethodSchema.shape,
  /** Absent if the issuer reported none. */
  decline_reason: z.optional(declineReasonSchema),
});
export type DeclinedCard = z.infer<typeof declinedCardSchema>;

export const orderPaymentSchema = z.object({
  id: z.string(),
  kind: z.enum(["first", "deferred"]),
  status: z.enum(["processing", "captured", "declined", "failed", "undone"]),
  amount: clpSchema,
  returned_amount: clpSchema,
  card: z.nullable(z.object({ brand: cardBrandSchema, last4: z.string(), kind: cardKindSchema })),
  decline_reason: z.nullable(declineReasonSchema),
  /** The card limit that the charge exceeded, if the issuer reports it. */
  decline_limit: z.optional(declineLimitSchema),
  created_at: timestampSchema,
});

/** The amount, commission included, and the commission in it. */
const movedAmountSchema = z.object({ amount: clpSchema, commission: clpSchema });
const movedToCardSchema = z.extend(movedAmountSchema, {
  payment_id: z.string(),
  card: z.object({ brand: cardBrandSchema, last4: z.string(), kind: cardKindSchema }),
});

/** The amount that a refund has moved so far, and the commission returned with it. */
export const refundMovedSchema = z.object({
  off_later_charge: movedAmountSchema,
  to_cards: z.array(movedToCardSchema),
  by_bank: movedAmountSchema,
  by_transfer: movedAmountSchema,
});

export const refundSchema = z.object({
  id: z.string(),
  amount: clpSchema,
  status: z.enum(["processing", "succeeded", "failed"]),
  reason: z.nullable(z.string()),
  refund_reference: z.nullable(z.string()),
  /** For a failed refund: why the card accepts no return, if the processor reports it. */
  refused_because: z.optional(refundRefusalSchema),
  moved: refundMovedSchema,
  created_at: timestampSchema,
});
export type Refund = z.infer<typeof refundSchema>;

/** Response of `GET /orders/{hash}/refunds`: all refunds of the order, as the order has them. */
export const orderRefundsSchema = z.object({ refunds: z.array(refundSchema) });
export type OrderRefunds = z.infer<typeof orderRefundsSchema>;

/** The step that a paying patient must still complete before their reimbursement can be claimed. */
export const missingStepSchema = z.enum(["insurer_access"]);
export type MissingStep = z.infer<typeof missingStepSchema>;

/**
 * The state of an order's claim. `queued`: it is being filed; `access_missing`: the patient has not given access to the
 * insurer; `stopped`: it will no longer be filed or followed. More may be added.
 */
export const claimStatusSchema = z.enum([
  "queued",
  "filed",
  "approved",
  "rejected",
  "held",
  "access_missing",
  "access_blocked",
  "stopped",
]);
export type ClaimStatus = z.infer<typeof claimStatusSchema>;

export const orderClaimSchema = z.object({
  status: claimStatusSchema,
  /** With `held`. */
  missing_document_types: z.array(missingDocumentSchema),
  /** With `rejected`: the insurer's code, if it gives one. Only the patient sees its text. */
  rejection_code: z.nullable(z.string()),
});
export type OrderClaim = z.infer<typeof orderClaimSchema>;

export const orderExpenseSchema = z.object({ id: z.string(), status: z.string() });
/** The reason why the deferred part is due; null while it is not due. */
export const collectionReasonSchema = z.nullable(z.enum(["approved", "access_blocked", "day_45", "paid_early"]));
/**
 * The upcoming charge of a paid order:
 * - `none`: nothing is charged any more.
 * - `in_flight`: a charge was sent to the card, and its outcome is not known.
 * - `due_now`: it is charged now.
 * - `on_day`: it is charged on `day`.
 * - `by_day`: it is charged on `day` at the latest, and earlier if the insurer approves or its access stays blocked.
 *   Once the claim has ended without an approval, it is `on_day`.
 * - `on_hold`: nothing is charged for now; the patient is notified at least a day before a charge.
 * - `card_needed`: this card can no longer be charged and `amount` is owed. The patient adds another card or pays by
 *   another method.
 */
export const upcomingChargeSchema = z.object({
  status: z.enum(["none", "in_flight", "due_now", "on_day", "by_day", "on_hold", "card_needed"]),
  /** The amount of the charge, commission included; 0 with `none`, and while an unfinished refund claims everything. */
  amount: clpSchema,
  commission: clpSchema,
  day: z.nullable(calendarDaySchema),
  /** Why it is due; null until something has made it due. */
  reason: collectionReasonSchema,
});
export type UpcomingCharge = z.infer<typeof upcomingChargeSchema>;

export const orderCollectionSchema = z.object({
  status: collectionStatusSchema,
  due_at: z.nullable(timestampSchema),
  reason: collectionReasonSchema,
});

/**
 * A boleta of the commission, or a nota de crédito that corrects one; `number` and `url` are null until it is issued.
 */
export const taxDocumentSchema = z.object({
  kind: z.enum(["boleta", "credit_note"]),
  amount: clpSchema,
  net: clpSchema,
  vat: clpSchema,
  due_at: timestampSchema,
  number: z.nullable(z.string()),
  url: z.nullable(z.url()),
  issued_at: z.nullable(timestampSchema),
});
export type TaxDocumentView = z.infer<typeof taxDocumentSchema>;

/** The fields that every reader of an order sees. More fields may be added. */
const commonOrderFields = {
  hash: orderHashSchema,
  status: orderStatusSchema,
  reference: z.string(),
  total_amount: clpSchema,
  paid_amount: clpSchema,
  pending_amount: clpSchema,
  customer: customerSchema,
  plan: planSchema,
  created_at: timestampSchema,
  currency: z.literal("CLP"),
  captured_amount: clpSchema,
  refunded_amount: clpSchema,
  updated_at: timestampSchema,
  readiness: z.object({ identity_validated: z.boolean(), payment_method_added: z.boolean() }),
  /** The lines of the bill, if the partner sent them. */
  items: z.optional(z.array(z.object({ description: z.string(), quantity: z.int(), amount: clpSchema }))),
};

/** The order as read with `client_secret`. */
export const orderSchema = z.object({
  ...commonOrderFields,
  /** The sub-clinic of a meta-provider's order; null otherwise. */
  center: z.optional(z.nullable(z.object({ id: z.uuid(), rut: z.string() }))),
  payments: z.array(orderPaymentSchema),
  refunds: z.array(refundSchema),
  expense: z.nullable(orderExpenseSchema),
  /** For a paid order with a receipt; null otherwise. */
  claim: z.optional(z.nullable(orderClaimSchema)),
  /** For a paid order; null if the patient has nothing to do. */
  missing_step: z.optional(z.nullable(missingStepSchema)),
  collection: z.nullable(orderCollectionSchema),
  /** Only in `GET /orders/{hash}` of a paid order: the page on which the patient follows the payment. */
  payment_page_url: z.optional(z.nullable(z.url())),
  /** For a commission that is a taxed service. */
  tax_documents: z.optional(z.array(taxDocumentSchema)),
});
export type Order = z.infer<typeof orderSchema>;

/**
 * Query of `GET /orders`. The days are calendar days in America/Santiago, both included; `after` is the `next` of the
 * page before.
 */
export const listOrdersQuerySchema = z.object({
  reference: z.optional(z.string().check(z.minLength(1), z.maxLength(REFERENCE_LENGTH_MAX))),
  status: z.optional(orderStatusSchema),
  rut: z.optional(rutSchema),
  created_from: z.optional(existingDaySchema),
  created_to: z.optional(existingDaySchema),
  after: z.optional(orderHashSchema),
  limit: pageLimitSchema,
});
export type ListOrdersQuery = z.output<typeof listOrdersQuerySchema>;

/** Newest first. `next` is null on the last page; a page before that may have fewer orders than `limit`, or none. */
export const ordersSchema = z.object({ orders: z.array(orderSchema), next: z.nullable(orderHashSchema) });
export type Orders = z.infer<typeof ordersSchema>;

/**
 * The order as read with `client_id`, which is public. E-mail and phone are masked, and the partner's own fields are
 * absent.
 */
export const patientOrderSchema = z.object({
  ...commonOrderFields,
  /** When the card paid the first instalment, as on the receipt; null before that. */
  paid_at: z.nullable(timestampSchema),
  /** Refunded amounts: deducted from the second instalment, or returned to cards. */
  deferred_cancelled: clpSchema,
  returned_amount: clpSchema,
  /**
   * Refunded amounts owed by bank transfer, and those that the patient's bank had already returned; absent if there are
   * none.
   */
  transferred_amount: z.optional(clpSchema),
  bank_returned_amount: z.optional(clpSchema),
  /** The amount of the second instalment paid by another method than card; absent if there is none. */
  paid_otherwise: z.optional(clpSchema),
  payment_method: z.nullable(paymentMethodSchema),
  /**
   * Before the payment: the cards that were declined for a reason that another attempt cannot change; absent if there
   * are none.
   */
  declined_cards: z.optional(z.array(declinedCardSchema)),
  /** Only for a paid order; null if the patient has nothing to do. */
  missing_step: z.optional(z.nullable(missingStepSchema)),
  /** Only for a paid order: whether the rest is not charged to the card, because the patient revoked the mandate. */
  mandate_revoked: z.optional(z.boolean()),
  /** Only for a paid order: the next charge. */
  upcoming_charge: z.optional(z.nullable(upcomingChargeSchema)),
  /** For a paid order without refunds: the receipt for the embedding page, a compact JWS. */
  signed_receipt: z.optional(z.nullable(z.string())),
});
export type PatientOrder = z.infer<typeof patientOrderSchema>;

/** `validate_customer_identity` */
export const documentTypeSchema = z.enum(["CEDULA", "CEDULA_EXT"]);
export type DocumentType = z.infer<typeof documentTypeSchema>;
export const validateIdentityRequestSchema = z.object({
  document_serial: z.string().check(z.minLength(1), z.maxLength(64)),
  document_type: z._default(documentTypeSchema, "CEDULA"),
});
export type ValidateIdentityRequest = z.input<typeof validateIdentityRequestSchema>;
export const validateIdentityResponseSchema = z.object({ status: z.literal("validated"), order: patientOrderSchema });

/** `add_payment_method`: a compact JWE of five base64url parts (its encrypted key is RSA-2048 to RSA-4096). */
export const SEALED_VALUE_LENGTH_MAX = 8_192;
export const sealedValueSchema = z
  .string()
  .check(
    z.maxLength(SEALED_VALUE_LENGTH_MAX),
    z.regex(/^[\w-]+\.[\w-]+\.[\w-]+\.[\w-]+\.[\w-]+$/, "must be a compact JWE"),
  );
/**
 * The plaintext of `sealed_card`. The browser seals it for the card processor; the service never sees it. `iat` in
 * seconds.
 */
export const cardToSealSchema = z.object({
  number: z.string().check(z.regex(/^\d{12,19}$/)),
  exp_month: z.int().check(z.gte(1), z.lte(12)),
  exp_year: z.int().check(z.gte(2000), z.lte(2100)),
  cvc: z.string().check(z.regex(/^\d{3,4}$/)),
  holder_name: z.string().check(z.trim(), z.minLength(1), z.maxLength(NAME_LENGTH_MAX)),
  order_token: orderHashSchema,
  iat: z.int(),
});
export type CardToSeal = z.input<typeof cardToSealSchema>;

export const consentPurposeSchema = z.enum([
  "terms_and_credit",
  "later_charge",
  "claim_mandate",
  "health_data",
  "insurer_access",
  "saved_card",
  "marketing",
]);
export type ConsentPurpose = z.infer<typeof consentPurposeSchema>;

/** One given consent: the version and the hash of its text, as the session named them, as proof that it was shown. */
export const givenConsentSchema = z.object({
  purpose: consentPurposeSchema,
  text_version: z.string().check(z.minLength(1), z.maxLength(64)),
  text_sha256: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
});
export type GivenConsent = z.infer<typeof givenConsentSchema>;
export const givenConsentsSchema = z.array(givenConsentSchema).check(z.maxLength(16));

/** A sealed card with the consents of the card step, or a saved card of a patient who was recognised for this order. */
export const addPaymentMethodRequestSchema = z
  .object({
    sealed_card: z.optional(sealedValueSchema),
    stored_card: z.optional(z.uuid()),
    consents: z._default(givenConsentsSchema, []),
  })
  .check(
    z.refine((body) => (body.sealed_card === undefined) !== (body.stored_card === undefined), {
      path: ["sealed_card"],
      error: "either this or stored_card is needed",
    }),
  );
export type AddPaymentMethodRequest = z.input<typeof addPaymentMethodRequestSchema>;
export const addPaymentMethodResponseSchema = z.object({
  status: z.literal("added"),
  payment_method: paymentMethodSchema,
  order: patientOrderSchema,
});

/**
 * `card_page`: the card is entered on the card processor's own page. `inquire` only returns the outcome, and opens no
 * page. The consents are those of the card step.
 */
export const openCardPageRequestSchema = z.object({
  consents: z._default(givenConsentsSchema, []),
  inquire: z._default(z.boolean(), false),
});
export type OpenCardPageRequest = z.input<typeof openCardPageRequestSchema>;
/** The page on which the patient gives their card: of the card processor, at its own origin. */
export const cardPageSchema = z.object({
  url: z.url(),
  expires_at: timestampSchema,
  /** `window`: the page cannot be framed; the patient's press opens it in its own window. Absent: it is framed. */
  display: z.optional(z.literal("window")),
});
export type ShownPage = z.infer<typeof cardPageSchema>;
/**
 * `open`: send the patient to `page`. `processing`: the outcome is unknown; call again with `inquire`. `none`: no page
 * was opened, and the order has no card from one.
 */
export const openCardPageResponseSchema = z.object({
  status: z.enum(["added", "open", "processing", "none"]),
  page: z.optional(cardPageSchema),
  payment_method: z.nullable(paymentMethodSchema),
  order: patientOrderSchema,
});
export type OpenCardPageResponse = z.infer<typeof openCardPageResponseSchema>;

/** A saved card, as shown to the recognised patient. */
export const savedCardSchema = z.object({
  id: z.uuid(),
  brand: cardBrandSchema,
  last4: z.string().check(z.regex(/^\d{4}$/)),
  exp_month: z.optional(z.int()),
  exp_year: z.optional(z.int()),
});
export type SavedCardView = z.infer<typeof savedCardSchema>;

/** `recognition`. `stored_card`: the saved card that the code is for; by default the newest. */
export const startRecognitionRequestSchema = z.object({ stored_card: z.optional(z.uuid()) });
export type StartRecognitionRequest = z.input<typeof startRecognitionRequestSchema>;
/** The same for every order, so that it does not reveal whether the patient is known. */
export const startRecognitionResponseSchema = z.object({ expires_at: timestampSchema, resend_after: timestampSchema });
export type StartRecognitionResponse = z.infer<typeof startRecognitionResponseSchema>;

/** `recognition/verify` */
export const verifyRecognitionRequestSchema = z.object({ code: z.string().check(z.trim(), z.regex(/^\d{6}$/)) });
export type VerifyRecognitionRequest = z.input<typeof verifyRecognitionRequestSchema>;
export const verifyRecognitionResponseSchema = z.object({
  status: z.literal("recognised"),
  /** The saved card that the code was for, if it can be used. Another card needs its own code. */
  stored_card: z.optional(z.nullable(z.uuid())),
  cards: z.array(savedCardSchema),
  order: patientOrderSchema,
});
export type VerifyRecognitionResponse = z.infer<typeof verifyRecognitionResponseSchema>;

/** `recognition/disown` */
export const disownRecognitionResponseSchema = z.object({ order: patientOrderSchema });
export type DisownRecognitionResponse = z.infer<typeof disownRecognitionResponseSchema>;

/**
 * `payment`. `quote_sha256` names the quote that the patient saw; a page of an earlier version does not send it.
 */
export const payOrderRequestSchema = z.object({
  consents: z._default(givenConsentsSchema, []),
  quote_sha256: z.optional(quoteHashSchema),
});
export type PayOrderRequest = z.input<typeof payOrderRequestSchema>;
/** The action that the patient must complete before the payment continues: the issuer's challenge, on its own page. */
export const challengeActionSchema = z.object({
  type: z.literal("challenge"),
  ...cardPageSchema.shape,
});
export type ChallengeAction = z.infer<typeof challengeActionSchema>;
/** The party that has to act or answer before a payment or card in progress can continue. */
export const waitsForSchema = z.enum(["patient", "bank", "lender"]);
export type WaitsFor = z.infer<typeof waitsForSchema>;
export const payOrderResponseSchema = z.object({
  order: patientOrderSchema,
  payment: z.object({
    status: z.enum(["succeeded", "requires_action", "processing"]),
    action: z.optional(challengeActionSchema),
    /** With `processing`. */
    waits_for: z.optional(waitsForSchema),
  }),
});
export type PayOrderResponse = z.infer<typeof payOrderResponseSchema>;

/**
 * `refund`: without an amount, everything that is left is refunded. Unknown fields are refused, so that a misspelt
 * `amount` cannot refund everything. The amount is parsed loosely, because a bad one has its own error code.
 */
export const refundOrderRequestSchema = z.strictObject({
  amount: z.optional(z.unknown()),
  reason: z.optional(z.string().check(z.maxLength(500))),
  refund_reference: z.optional(
    z
      .string()
      .check(z.trim(), z.minLength(1), z.maxLength(REFERENCE_LENGTH_MAX), z.refine(isPlainText, PLAIN_TEXT_MESSAGE)),
  ),
});
export type RefundOrderRequest = { amount?: number | string; reason?: string; refund_reference?: string };
export const refundOrderResponseSchema = z.extend(orderSchema, { refund: refundSchema });
export type RefundOrderResponse = z.infer<typeof refundOrderResponseSchema>;
