import * as z from "zod/mini";
import { phoneSchema } from "../../contract/vocabulary/phone.ts";
import { localeSchema } from "../../contract/widget-tokens.ts";
import { callOperation } from "../connector/protocol.ts";

/** The longest message that a gateway must accept. */
export const MESSAGE_CHARACTERS_MAX = 320;

const textSchema = z.string().check(z.minLength(1), z.maxLength(MESSAGE_CHARACTERS_MAX));

const sentSchema = z.object({ outcome: z.literal("sent") });

const messageOutcomeSchema = z.discriminatedUnion("outcome", [
  sentSchema,
  z.object({
    outcome: z.literal("refused"),
    reason: z.enum(["number_unknown", "number_unreachable", "opted_out"]),
  }),
]);

/** The operations of a gateway for messages, and for mails where SMTP is not used, in the connector protocol. */
export const messengerProtocol = {
  send: callOperation({
    path: "/messenger/send",
    isInquired: false,
    input: z.object({
      to: phoneSchema,
      text: textSchema,
      template: z.optional(z.object({ name: z.string().check(z.regex(/^[a-z_]{1,64}$/)), language: localeSchema })),
      values: z.optional(z.record(z.string().check(z.regex(/^[A-Za-z]{1,64}$/)), textSchema)),
    }),
    outcome: messageOutcomeSchema,
  }),
  sendEmail: callOperation({
    path: "/messenger/send-email",
    isInquired: false,
    input: z.object({
      to: z.string(),
      subject: z.string(),
      text: z.string(),
      html: z.string(),
      attachments: z.optional(z.array(z.object({ name: z.string(), type: z.string(), base64: z.string() }))),
    }),
    outcome: z.discriminatedUnion("outcome", [
      sentSchema,
      z.object({ outcome: z.literal("refused"), reason: z.optional(z.literal("no_smtputf8")) }),
    ]),
  }),
};
