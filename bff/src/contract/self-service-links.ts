import * as z from "zod/mini";
import { collectionStatusSchema } from "./errors.ts";
import { insurerChoiceSchema, startRecoveryResponseSchema } from "./onboarding.ts";
import {
  collectionReasonSchema,
  givenConsentsSchema,
  paymentMethodSchema,
  sealedValueSchema,
  timestampSchema,
} from "./orders.ts";
import { clpSchema } from "./vocabulary/clp.ts";
import { orderHashSchema, widgetTokenSchema } from "./vocabulary/identifiers.ts";

/*
 * What a patient does by a link that the service has sent. The link alone opens the page;
 * a one-time code to the registered address opens what it is for, for half an hour.
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

/** What is left to charge of an order, as it stands now. */
export const dueSchema = z.object({
  status: collectionStatusSchema,
  /** What one charge would take now, commission included. */
  amount: clpSchema,
  commission: clpSchema,
  /** When the next charge comes by itself; null where none does. */
  due_at: z.nullable(timestampSchema),
  /** What has made it due; null while it waits for that, at the latest for day 45. */
  reason: collectionReasonSchema,
  card: paymentMethodSchema,
});
export type Due = z.infer<typeof dueSchema>;

export const answerLinkCodeResponseSchema = z.object({
  /** Sent with what follows, and kept nowhere: a reload asks for another code. */
  access: z.uuid(),
  expires_at: timestampSchema,
  patient: z.object({ first_name: z.string(), rut: z.string(), insurer: z.nullable(insurerChoiceSchema) }),
  /** The order that the link is about, if it is about one: a card is sealed for it. Told to nobody before the code. */
  order_token: z.nullable(orderHashSchema),
  /** Null where the link is about no order, or nothing of it was ever to be charged. */
  due: z.nullable(dueSchema),
});
export type AnswerLinkCodeResponse = z.infer<typeof answerLinkCodeResponseSchema>;

const openedLinkSchema = z.object({ widget_token: widgetTokenSchema, access: z.uuid() });

/** Body of `POST /api/spot/patient/insurer_access`; the consent to keep the access is asked for again. */
export const giveInsurerAccessRequestSchema = z.extend(openedLinkSchema, {
  insurer: insurerChoiceSchema,
  sealed_insurer_access: sealedValueSchema,
  consents: z._default(givenConsentsSchema, []),
});
export type GiveInsurerAccessRequest = z.input<typeof giveInsurerAccessRequestSchema>;
export const giveInsurerAccessResponseSchema = z.object({ status: z.literal("given") });

/** Body of `POST /api/spot/patient/card`. */
export const changeCardRequestSchema = z.extend(openedLinkSchema, { sealed_card: sealedValueSchema });
export type ChangeCardRequest = z.input<typeof changeCardRequestSchema>;
export const changeCardResponseSchema = z.object({ status: z.literal("changed"), due: z.nullable(dueSchema) });
export type ChangeCardResponse = z.infer<typeof changeCardResponseSchema>;

/** Body of `POST /api/spot/patient/early_payment`. */
export const payEarlyRequestSchema = z.extend(openedLinkSchema, {
  /** Only asks what became of the charge before, and never makes one. */
  inquire: z._default(z.boolean(), false),
});
export type PayEarlyRequest = z.input<typeof payEarlyRequestSchema>;
/**
 * `processing`: nobody knows yet; with `inquire` it is asked about, also after its end: without, an end that is a decline
 * lets the same call charge anew. What was collected has used the link up (410 `widget_token_used`). `none`: an inquiry
 * where nothing has been tried.
 */
export const payEarlyResponseSchema = z.object({ status: z.enum(["collected", "processing", "none"]) });
export type PayEarlyResponse = z.infer<typeof payEarlyResponseSchema>;
