import type { Unknown } from "../outside-call.ts";

export interface Email {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export type SendingOutcome = { readonly outcome: "sent" } | { readonly outcome: "refused" } | Unknown;

/** How the service reaches a patient. `messageId` is stable for one cause, so that a repeat may be recognised. */
export interface Messenger {
  sendEmail(input: {
    readonly messageId: string;
    readonly providerId: string;
    readonly email: Email;
  }): Promise<SendingOutcome>;
}
