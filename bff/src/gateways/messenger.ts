import type { Phone } from "../contract/vocabulary/phone.ts";
import type { Locale } from "../contract/widget-tokens.ts";
import type { Unknown } from "./gateway-call.ts";

export interface Email {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Makes the mail's files; null if they cannot be made now, and the mail is to be sent later. */
  readonly attachments?: (() => Promise<readonly MailAttachment[] | null>) | undefined;
}

/** A file of a mail. */
export interface MailAttachment {
  readonly name: string;
  /** Its media type. */
  readonly type: string;
  readonly base64: string;
}

/** A short text message to a telephone. */
export interface Message {
  readonly to: Phone;
  readonly text: string;
  /** The kind of notification, for gateways with approved templates. Absent in messages of earlier versions. */
  readonly template?: { readonly name: string; readonly language: Locale } | undefined;
  /** The values for the template. */
  readonly values?: Readonly<Record<string, string>> | undefined;
}

/** The mail server cannot carry an address beyond ASCII: it has no SMTPUTF8. Nothing was sent. */
export type MailRefusal = "no_smtputf8";

export type SendingOutcome =
  | { readonly outcome: "sent" }
  | { readonly outcome: "refused"; readonly reason?: MailRefusal | undefined }
  | Unknown;

/** The number does not exist, cannot receive messages, or its owner has opted out. */
export type MessageRefusal = "number_unknown" | "number_unreachable" | "opted_out";

export type MessageOutcome =
  | { readonly outcome: "sent" }
  | { readonly outcome: "refused"; readonly reason: MessageRefusal }
  | Unknown;

/** A repeat with the same `messageId` is not delivered again. */
export interface Messenger {
  sendEmail(input: {
    readonly messageId: string;
    readonly providerId: string;
    readonly email: Email;
  }): Promise<SendingOutcome>;
  /** A repeat with the same `messageId` is not delivered a second time. */
  sendMessage(input: {
    readonly messageId: string;
    readonly providerId: string;
    readonly message: Message;
  }): Promise<MessageOutcome>;
}
