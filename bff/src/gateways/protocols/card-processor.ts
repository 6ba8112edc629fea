import * as z from "zod/mini";
import { declineLimitSchema, declineReasonSchema, refundRefusalSchema } from "../../contract/errors.ts";
import { cardBrandSchema, cardKindSchema, sealedValueSchema } from "../../contract/orders.ts";
import type { CardExpiry } from "../../contract/vocabulary/card.ts";
import { namesCardNumber } from "../../contract/vocabulary/card-number.ts";
import { clpSchema } from "../../contract/vocabulary/clp.ts";
import { orderHashSchema } from "../../contract/vocabulary/identifiers.ts";
import { sealingKeySchema } from "../../contract/widget-tokens.ts";
import { callOperation, momentSchema, pageSchema, rangeSchema, readOperation } from "../connector/protocol.ts";

const idSchema = z.string().check(z.minLength(1), z.maxLength(128));
/** An answer with the card's own number as its id is refused, because the number would be stored. */
const isCardsOwnNumber = ({ id, last4 }: { readonly id: string; readonly last4: string }) =>
  namesCardNumber(id) && id.endsWith(last4);

const chargeableSchema = clpSchema.check(z.gte(1));

const shownFields = {
  brand: cardBrandSchema,
  last4: z.string().check(z.regex(/^\d{4}$/)),
  expMonth: z.optional(z.int().check(z.gte(1), z.lte(12))),
  expYear: z.optional(z.int()),
};
const isWholeExpiry = ({ expMonth, expYear }: CardExpiry) => (expMonth === undefined) === (expYear === undefined);

const pageFields = {
  url: z.url({ protocol: /^https?$/ }),
  expiresAt: momentSchema,
  display: z.optional(z.enum(["frame", "window"])),
};

const registeredSchema = z.object({
  outcome: z.literal("registered"),
  card: z
    .object({
      id: idSchema,
      ...shownFields,
      holderName: z.optional(z.string()),
      kind: cardKindSchema,
      authenticatedAt: z.optional(momentSchema),
    })
    .check(
      z.refine((card) => !isCardsOwnNumber(card), "is the card's own number"),
      z.refine(isWholeExpiry, "has half an expiry"),
    ),
});
const declinedSchema = z.object({ outcome: z.literal("declined"), reason: declineReasonSchema });

export const registrationSchema = z.discriminatedUnion("outcome", [
  registeredSchema,
  declinedSchema,
  z.object({ outcome: z.literal("page"), ...pageFields }),
  z.object({ outcome: z.literal("page_abandoned") }),
  z.object({ outcome: z.literal("sealed_card_refused") }),
]);

export const keepingSchema = z.discriminatedUnion("outcome", [
  z.object({ outcome: z.literal("kept"), storedCardId: idSchema }),
  z.object({ outcome: z.literal("refused") }),
]);

export const storedRegistrationSchema = z.discriminatedUnion("outcome", [
  registeredSchema,
  declinedSchema,
  z.object({ outcome: z.literal("not_kept") }),
]);

export const forgettingSchema = z.object({ outcome: z.literal("forgotten") });

export const removalSchema = z.object({ outcome: z.literal("removed") });

/** Omitted by a processor that cannot remove cards: it gets no such request. */
const removesCards = z.optional(z.literal(true));
/** Omitted by a processor without limits. */
const limits = z.optional(
  z.object({ perCharge: z.optional(chargeableSchema), perPatientDay: z.optional(chargeableSchema) }),
);
/** Omitted by a processor whose page can be framed. */
const cardPageDisplay = z.optional(z.literal("window"));
/** A key, and whether the processor also has its own page; or no key if it accepts cards only there. */
export const cardEntrySchema = z.union([
  z.extend(sealingKeySchema, { cardPage: z.optional(z.literal("also")), cardPageDisplay, removesCards, limits }),
  z.object({ cardPage: z.literal("only"), cardPageDisplay, removesCards, limits }),
]);
export type CardEntry = z.infer<typeof cardEntrySchema>;

/** A record's id, which reveals nothing about the patient. */
const customerSchema = z.string().check(z.minLength(1), z.maxLength(64));
const keptCardSchema = z.object({ storedCardId: idSchema, ...shownFields }).check(
  z.refine(({ storedCardId: id, last4 }) => !isCardsOwnNumber({ id, last4 }), "is the card's own number"),
  z.refine(isWholeExpiry, "has half an expiry"),
);

/** A name in a processor's records: printable, without blanks. */
const nameSchema = (charactersMax: number) =>
  z.optional(z.string().check(z.regex(/^[\x21-\x7e]+$/), z.maxLength(charactersMax)));
const networkFields = { networkTransactionId: nameSchema(64) };
/** An issuer's code has 6 characters; one of more than 12 could be a card number. */
const voucherFields = { buyOrder: nameSchema(64), storeCode: nameSchema(32), authorisationCode: nameSchema(12) };
const chargeVoucherFields = {
  ...voucherFields,
  instalments: z.optional(z.int().check(z.gte(0), z.lte(99))),
  ...networkFields,
};

export const authenticationSchema = z.discriminatedUnion("outcome", [
  z.object({ outcome: z.literal("not_needed"), ...networkFields }),
  z.object({ outcome: z.literal("authenticated"), authenticationId: idSchema, ...networkFields }),
  z.object({
    outcome: z.literal("challenge"),
    authenticationId: idSchema,
    ...pageFields,
  }),
  z.object({ outcome: z.literal("declined"), reason: declineReasonSchema }),
]);

export const chargeSchema = z.discriminatedUnion("outcome", [
  z.object({ outcome: z.literal("captured"), chargeId: idSchema, amount: clpSchema, ...chargeVoucherFields }),
  z.object({
    outcome: z.literal("declined"),
    reason: declineReasonSchema,
    limit: z.optional(declineLimitSchema),
    hard: z.boolean(),
  }),
]);

export const returnSchema = z.discriminatedUnion("outcome", [
  z.object({ outcome: z.literal("returned"), returnId: idSchema, amount: clpSchema, ...voucherFields }),
  z.object({ outcome: z.literal("pending"), returnId: idSchema, endsBy: momentSchema }),
  z.object({ outcome: z.literal("refused"), reason: z.optional(refundRefusalSchema) }),
]);

const movementSchema = z.object({
  id: idSchema,
  kind: z.enum(["charge", "return", "chargeback"]),
  chargeId: idSchema,
  idempotencyKey: z.string(),
  orderHash: orderHashSchema,
  amount: clpSchema,
  at: momentSchema,
  ...voucherFields,
});

const settlementSchema = z.object({
  id: idSchema,
  amount: clpSchema,
  lines: z
    .array(
      z.object({
        id: idSchema,
        kind: z.enum(["charge", "return", "chargeback", "chargeback_reversal", "fee"]),
        idempotencyKey: z.nullable(z.string()),
        orderHash: z.nullable(orderHashSchema),
        amount: clpSchema.check(z.gte(0)),
        fee: clpSchema,
        feeVat: clpSchema,
      }),
    )
    .check(z.minLength(1)),
  at: momentSchema,
});

const returnUrlSchema = z.url({ protocol: /^https?$/ }).check(z.maxLength(2_048));

/** The card processor's operations in the connector protocol. */
export const cardProcessorProtocol = {
  sealingKey: readOperation({ path: "/card-processor/sealing-key", input: z.object({}), answer: cardEntrySchema }),
  registerCard: callOperation({
    path: "/card-processor/register-card",
    input: z.object({
      sealedCard: z.nullable(sealedValueSchema),
      orderHash: orderHashSchema,
      returnUrl: z.optional(returnUrlSchema),
      about: z.optional(
        z.object({ clinic: z.string().check(z.minLength(1), z.maxLength(255)), total: chargeableSchema }),
      ),
    }),
    outcome: registrationSchema,
  }),
  keepCard: callOperation({
    path: "/card-processor/keep-card",
    input: z.object({ cardId: idSchema, customer: customerSchema }),
    outcome: keepingSchema,
  }),
  registerStoredCard: callOperation({
    path: "/card-processor/register-stored-card",
    isInquired: false,
    input: z.object({ storedCardId: idSchema, customer: customerSchema, orderHash: orderHashSchema }),
    outcome: storedRegistrationSchema,
  }),
  forgetCard: callOperation({
    path: "/card-processor/forget-card",
    input: z.object({ storedCardId: idSchema, customer: customerSchema }),
    outcome: forgettingSchema,
  }),
  removeCard: callOperation({
    path: "/card-processor/remove-card",
    input: z.object({ cardId: idSchema, orderHash: orderHashSchema }),
    outcome: removalSchema,
  }),
  keptCards: readOperation({
    path: "/card-processor/kept-cards",
    input: z.object({ providerId: z.string().check(z.maxLength(64)), customer: customerSchema }),
    answer: z.object({ cards: z.array(keptCardSchema).check(z.maxLength(100)) }),
  }),
  authenticate: callOperation({
    path: "/card-processor/authenticate",
    input: z.object({
      cardId: idSchema,
      amount: clpSchema,
      orderHash: orderHashSchema,
      purpose: z.enum(["payment", "mandate"]),
      returnUrl: returnUrlSchema,
    }),
    outcome: authenticationSchema,
  }),
  charge: callOperation({
    path: "/card-processor/charge",
    input: z.object({
      cardId: idSchema,
      amount: clpSchema,
      orderHash: orderHashSchema,
      initiator: z.enum(["patient", "merchant"]),
      authenticationId: z.nullable(idSchema),
      initialChargeId: z.nullable(idSchema),
      initialNetworkTransactionId: networkFields.networkTransactionId,
    }),
    outcome: chargeSchema,
  }),
  returnCharge: callOperation({
    path: "/card-processor/return",
    input: z.object({ chargeId: idSchema, amount: clpSchema, orderHash: orderHashSchema }),
    outcome: returnSchema,
  }),
  movements: readOperation({
    path: "/card-processor/movements",
    input: rangeSchema,
    answer: pageSchema(movementSchema),
  }),
  settlements: readOperation({
    path: "/card-processor/settlements",
    input: rangeSchema,
    answer: pageSchema(settlementSchema),
  }),
};
