import * as z from "zod/mini";
import { declineReasonSchema } from "./errors.ts";
import { missingDocumentSchema } from "./expenses.ts";
import { insurerChoiceSchema } from "./onboarding.ts";
import { orderDocumentSchema } from "./order-files.ts";
import {
  cardBrandSchema,
  missingStepSchema,
  orderStatusSchema,
  timestampSchema,
  upcomingChargeSchema,
} from "./orders.ts";
import { dueSchema } from "./self-service-links.ts";
import { calendarDaySchema } from "./vocabulary/calendar-day.ts";
import { clpSchema } from "./vocabulary/clp.ts";
import { widgetTokenSchema } from "./vocabulary/identifiers.ts";
import { localeSchema } from "./widget-tokens.ts";

/*
 * The page on which a patient follows the payment of one order. Everything on it is computed from the order's records.
 */

/** Body of `POST /api/spot/patient/payment`. */
export const readPaymentRequestSchema = z.object({ widget_token: widgetTokenSchema, access: z.uuid() });
export type ReadPaymentRequest = z.input<typeof readPaymentRequestSchema>;

/** Body of `POST /api/spot/patient/payment/file`. */
export const makePaymentFileRequestSchema = z.extend(readPaymentRequestSchema, {
  document: orderDocumentSchema,
  locale: z._default(localeSchema, "es-CL"),
});
export type MakePaymentFileRequest = z.input<typeof makePaymentFileRequestSchema>;

const cardSchema = z.object({ brand: cardBrandSchema, last4: z.string() });

const paidPartSchema = z.object({
  kind: z.enum(["first", "deferred"]),
  /** Commission included. */
  amount: clpSchema,
  commission: clpSchema,
  /** Returned by refunds. */
  returned_amount: clpSchema,
  /** Taken back by the patient's bank. */
  disputed_amount: clpSchema,
  /** The part of it that the bank no longer reviews. Absent only while a process of the previous version answers. */
  lost_amount: z.optional(clpSchema),
  at: timestampSchema,
  /** Null for a part that was not paid by card. */
  card: z.nullable(cardSchema),
  authorization_code: z.nullable(z.string()),
});
export type PaidPart = z.infer<typeof paidPartSchema>;

const refundPartSchema = z.object({
  /** The refunded price. */
  amount: clpSchema,
  status: z.enum(["processing", "succeeded", "failed"]),
  at: timestampSchema,
  /** The amounts that were moved so far, commission included. */
  off_second_charge: clpSchema,
  to_cards: clpSchema,
  by_bank: clpSchema,
  by_transfer: clpSchema,
  /** The part of `by_transfer` that was transferred. Absent only while a process of the previous version answers. */
  transferred: z.optional(clpSchema),
});

/**
 * - `waiting_for_receipt`: the clinic has not sent the receipt.
 * - `queued`: the claim is being filed.
 * - `held`: `missing_document_types` are missing.
 * - `stopped`: it will no longer be filed or followed, or its answer is not awaited after a full refund.
 */
const claimSchema = z.object({
  status: z.enum([
    "waiting_for_receipt",
    "queued",
    "access_missing",
    "access_blocked",
    "held",
    "filed",
    "approved",
    "rejected",
    "stopped",
  ]),
  since: timestampSchema,
  filed_at: z.nullable(timestampSchema),
  insurer: z.nullable(insurerChoiceSchema),
  missing_document_types: z.array(missingDocumentSchema),
  /** With `rejected`: the insurer's own words. */
  reason: z.nullable(z.string()),
  /** With `access_blocked`: the day of the second charge if the access stays blocked; null if that changes nothing. */
  charged_on_if_blocked: z.nullable(calendarDaySchema),
  /** With `approved`; null once the answer was erased. */
  reimbursed_amount: z.nullable(clpSchema),
});
export type PaymentClaim = z.infer<typeof claimSchema>;

/**
 * - `pending`: `upcoming` names the next charge.
 * - `collected`: charged to a card.
 * - `paid_otherwise`: paid by another method.
 * - `cancelled`: refunds have left nothing to charge.
 * - `written_off`: given up, so that nothing is charged.
 */
const secondChargeSchema = z.object({
  status: z.enum(["pending", "collected", "paid_otherwise", "cancelled", "written_off"]),
  upcoming: upcomingChargeSchema,
  /** The card that is charged next. */
  card: cardSchema,
  /** Why no automatic charge is planned for now; null if one is, or nothing is left to charge. */
  held_by: z.nullable(z.enum(["chargeback", "data_blocked", "mandate_revoked", "card_declined", "refund"])),
  /** The last declined charge, unless a later one succeeded. */
  declined: z.nullable(
    z.object({ at: timestampSchema, amount: clpSchema, card: cardSchema, reason: declineReasonSchema }),
  ),
});
export type SecondCharge = z.infer<typeof secondChargeSchema>;

export const paymentPageSchema = z.object({
  clinic: z.string(),
  reference: z.string(),
  /** The day on the receipt; null if unknown. */
  consultation_day: z.nullable(calendarDaySchema),
  status: orderStatusSchema,
  total_amount: clpSchema,
  refunded_amount: clpSchema,
  paid: z.array(paidPartSchema),
  refunds: z.array(refundPartSchema),
  /** Null for an order that has no claim, because it was refunded before one was filed. */
  claim: z.nullable(claimSchema),
  second_charge: secondChargeSchema,
  /**
   * After an approval: the amounts paid and kept and the one still to be charged, less the reimbursement. Null while a
   * chargeback is undecided.
   */
  own_cost: z.nullable(clpSchema),
  missing_step: z.nullable(missingStepSchema),
  /** The patient's current options. Each names its charge; null if the action has no effect. */
  actions: z.object({ pay_early: z.nullable(dueSchema), change_card: z.nullable(dueSchema), give_access: z.boolean() }),
  /** The `agreement` if there is one. `files` names it too. */
  documents: z.array(z.enum(["agreement"])),
  /**
   * Files to download. `calendar` is included while the second charge, or the last day to pay it, is in the future.
   * Absent only while a process of the previous version answers.
   */
  files: z.optional(z.array(orderDocumentSchema)),
  as_of: timestampSchema,
});
export type PaymentPage = z.infer<typeof paymentPageSchema>;
