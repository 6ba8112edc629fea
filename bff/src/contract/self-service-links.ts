import * as z from "zod/mini";
import { collectionStatusSchema } from "./errors.ts";
import { insurerChoiceSchema, startRecoveryResponseSchema } from "./onboarding.ts";
import {
  cardPageSchema,
  challengeActionSchema,
  collectionReasonSchema,
  paymentMethodSchema,
  sealedValueSchema,
  timestampSchema,
  upcomingChargeSchema,
} from "./orders.ts";
import { calendarDaySchema } from "./vocabulary/calendar-day.ts";
import { clpSchema } from "./vocabulary/clp.ts";
import { orderHashSchema, widgetTokenSchema } from "./vocabulary/identifiers.ts";

/*
 * The pages that patients open by links of the service. The link alone opens the page; a one-time code, sent to the
 * registered address, allows its action for half an hour.
 */

/** Body of `POST /api/spot/patient/code`. */
export const sendLinkCodeRequestSchema = z.object({ widget_token: widgetTokenSchema });
export type SendLinkCodeRequest = z.input<typeof sendLinkCodeRequestSchema>;
export const sendLinkCodeResponseSchema = startRecoveryResponseSchema;
export type SendLinkCodeResponse = z.infer<typeof sendLinkCodeResponseSchema>;

/** Body of `POST /api/spot/patient/code/verify`. */
export const answerLinkCodeRequestSchema = z.object({
  widget_token: widgetTokenSchema,
  code: z.string().check(z.trim(), z.regex(/^\d{6}$/)),
});
export type AnswerLinkCodeRequest = z.input<typeof answerLinkCodeRequestSchema>;

/** The outstanding part of an order. */
export const dueSchema = z.object({
  status: collectionStatusSchema,
  /** The amount that one charge would take now, commission included. */
  amount: clpSchema,
  commission: clpSchema,
  /** When the next automatic charge is due; null if there is none. */
  due_at: z.nullable(timestampSchema),
  /** The reason why it is due; null while it is not, which lasts until day 45 at the latest. */
  reason: collectionReasonSchema,
  card: paymentMethodSchema,
  /** The next charge. Absent only while a process of the previous version answers. */
  upcoming: z.optional(upcomingChargeSchema),
  /** With a link to change the card: the next charge if another card is given now. */
  upcoming_with_given_card: z.optional(upcomingChargeSchema),
});
export type Due = z.infer<typeof dueSchema>;

export const answerLinkCodeResponseSchema = z.object({
  /** Sent with the requests that follow. The page does not store it, so a reload needs another code. */
  access: z.uuid(),
  expires_at: timestampSchema,
  patient: z.object({ first_name: z.string(), rut: z.string(), insurer: z.nullable(insurerChoiceSchema) }),
  /**
   * The order that the link is about, if any; a card is sealed for this order. It is revealed only after the code was
   * answered.
   */
  order_token: z.nullable(orderHashSchema),
  /**
   * Null if the link is not about an order, the order has no later charge, or the patient revoked the mandate for the
   * card.
   */
  due: z.nullable(dueSchema),
});
export type AnswerLinkCodeResponse = z.infer<typeof answerLinkCodeResponseSchema>;

const openedLinkSchema = z.object({ widget_token: widgetTokenSchema, access: z.uuid() });

/**
 * The charge that the page announced for a newly added card. It is then made as shown. Without this field, or if
 * something has changed since, the patient is notified at least a day before the charge.
 */
export const shownChargeSchema = z.object({ amount: clpSchema, on: z.union([z.literal("now"), calendarDaySchema]) });
export type ShownCharge = z.infer<typeof shownChargeSchema>;

/** Body of `POST /api/spot/patient/card`: a card, or `inquire`. */
export const changeCardRequestSchema = z
  .extend(openedLinkSchema, {
    sealed_card: z.optional(sealedValueSchema),
    shown: z.optional(shownChargeSchema),
    /** Only returns the outcome of the card sent by this link, and never changes it. */
    inquire: z._default(z.boolean(), false),
  })
  .check(
    z.refine(({ sealed_card: card, inquire }) => (card === undefined) === inquire, {
      path: ["sealed_card"],
      error: "either this or inquire is needed",
    }),
  );
export type ChangeCardRequest = z.input<typeof changeCardRequestSchema>;
/**
 * `requires_action`: the new card's issuer challenges the patient first, and the previous card stays until they have
 * answered. `processing`: the outcome is unknown; call again with `inquire`. `none`: the inquiry found no change. A
 * changed card uses the link up, so later calls receive 410 `widget_token_used`.
 */
export const changeCardResponseSchema = z.object({
  status: z.enum(["changed", "requires_action", "processing", "none"]),
  action: z.optional(challengeActionSchema),
  due: z.nullable(dueSchema),
});
export type ChangeCardResponse = z.infer<typeof changeCardResponseSchema>;

/** Body of `POST /api/spot/patient/card_page`: the new card is entered on the card processor's own page. */
export const openLinkCardPageRequestSchema = z.extend(openedLinkSchema, {
  shown: z.optional(shownChargeSchema),
  /** Only returns the outcome of the page and of the issuer's challenge after it, and opens no page. */
  inquire: z._default(z.boolean(), false),
});
export type OpenLinkCardPageRequest = z.input<typeof openLinkCardPageRequestSchema>;
/** `open`: send the patient to `page`. All other values are as for a sealed card. */
export const openLinkCardPageResponseSchema = z.object({
  status: z.enum(["open", "changed", "requires_action", "processing", "none"]),
  page: z.optional(cardPageSchema),
  action: z.optional(challengeActionSchema),
  due: z.nullable(dueSchema),
});
export type OpenLinkCardPageResponse = z.infer<typeof openLinkCardPageResponseSchema>;

/** Body of `POST /api/spot/patient/early_payment`. */
export const payEarlyRequestSchema = z.extend(openedLinkSchema, {
  /** The amount shown on the page. If more is due, nothing is charged and the answer is `none`. */
  amount: z.optional(clpSchema),
  /** Only returns the result of the earlier charge, and never makes one. */
  inquire: z._default(z.boolean(), false),
});
export type PayEarlyRequest = z.input<typeof payEarlyRequestSchema>;
/**
 * `requires_action`: the issuer challenges the patient first; call again with `inquire` after the challenge.
 * `processing`: the outcome is still unknown; call again with `inquire`, because without it the call charges again
 * after a decline. `none`: an inquiry found no charge, or more is due than the page showed. A collected charge uses the
 * link up, so later calls receive 410 `widget_token_used`.
 */
export const payEarlyResponseSchema = z.object({
  status: z.enum(["collected", "requires_action", "processing", "none"]),
  action: z.optional(challengeActionSchema),
});
export type PayEarlyResponse = z.infer<typeof payEarlyResponseSchema>;
