import * as z from "zod/mini";
import { phoneSchema } from "../../contract/vocabulary/phone.ts";
import { callOperation } from "../connector/protocol.ts";

/** The longest message that a gateway has to take. */
export const MESSAGE_CHARACTERS_MAX = 320;

const sendingOutcomeSchema = z.discriminatedUnion("outcome", [
  z.object({ outcome: z.literal("sent") }),
  z.object({
    outcome: z.literal("refused"),
    reason: z.enum(["number_unknown", "number_unreachable", "opted_out"]),
  }),
]);

/** The operation of a gateway for messages, in the connector protocol. */
export const messengerProtocol = {
  send: callOperation({
    path: "/messenger/send",
    input: z.object({
      to: phoneSchema,
      text: z.string().check(z.minLength(1), z.maxLength(MESSAGE_CHARACTERS_MAX)),
    }),
    outcome: sendingOutcomeSchema,
  }),
};
