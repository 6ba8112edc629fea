import type { OrderDocument } from "../contract/order-files.ts";
import type { Locale } from "../contract/widget-tokens.ts";
import type { MailAttachment } from "../gateways/messenger.ts";

/** Identifies the order and language of a mail's files. */
export interface DocumentsWanted {
  readonly providerId: string;
  readonly orderId: string;
  readonly locale: Locale;
}

/**
 * Makes the files of a mail when it is sent, so that they show the order at that time. Omits a file that the order no
 * longer has. Throws if a file cannot be made now.
 */
export type MakeDocuments = (
  documents: readonly OrderDocument[],
  wanted: DocumentsWanted,
) => Promise<readonly MailAttachment[]>;
