import type { Phone } from "../../contract/vocabulary/phone.ts";
import type { Unknown } from "../gateway-call.ts";

export interface Email {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** A short text to a telephone. */
export interface Message {
  readonly to: Phone;
  readonly text: string;
}

export type SendingOutcome = { readonly outcome: "sent" } | { readonly outcome: "refused" } | Unknown;

/** The number is nobody's, takes no messages, or its owner wants none. */
export type MessageRefusal = "number_unknown" | "number_unreachable" | "opted_out";

export type MessageOutcome =
  | { readonly outcome: "sent" }
  | { readonly outcome: "refused"; readonly reason: MessageRefusal }
  | Unknown;

/** How the service reaches a patient. `messageId` is stable for one cause, so that a repeat may be recognised. */
export interface Messenger {
  sendEmail(input: {
    readonly messageId: string;
    readonly providerId: string;
    readonly email: Email;
  }): Promise<SendingOutcome>;
  /** A repeat under the same `messageId` reaches nobody a second time. */
  sendMessage(input: {
    readonly messageId: string;
    readonly providerId: string;
    readonly message: Message;
  }): Promise<MessageOutcome>;
}
