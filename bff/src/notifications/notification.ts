import type { Locale } from "../contract/widget-tokens.ts";
import { accessBlocked } from "./kinds/access-blocked.ts";
import { accessLink } from "./kinds/access-link.ts";
import { cardSaved } from "./kinds/card-saved.ts";
import { chargeAnnounced } from "./kinds/charge-announced.ts";
import { chargeDeclined } from "./kinds/charge-declined.ts";
import { chargeReturned } from "./kinds/charge-returned.ts";
import { charged } from "./kinds/charged.ts";
import { checkoutLink } from "./kinds/checkout-link.ts";
import { claimApproved } from "./kinds/claim-approved.ts";
import { claimFiled } from "./kinds/claim-filed.ts";
import { claimRejected } from "./kinds/claim-rejected.ts";
import { claimUnfiled } from "./kinds/claim-unfiled.ts";
import { dataErased } from "./kinds/data-erased.ts";
import { dataErasureEnded } from "./kinds/data-erasure-ended.ts";
import { dataLink } from "./kinds/data-link.ts";
import { disputeClosed } from "./kinds/dispute-closed.ts";
import { emailChangeUndone } from "./kinds/email-change-undone.ts";
import { emailChanged } from "./kinds/email-changed.ts";
import { mandateRevoked } from "./kinds/mandate-revoked.ts";
import { paidOtherwise } from "./kinds/paid-otherwise.ts";
import { paymentLink } from "./kinds/payment-link.ts";
import { paymentReceipt } from "./kinds/payment-receipt.ts";
import { recognitionCode } from "./kinds/recognition-code.ts";
import { recoveryCode } from "./kinds/recovery-code.ts";
import { refundTransferred } from "./kinds/refund-transferred.ts";
import { refunded } from "./kinds/refunded.ts";
import { registrationRenewed } from "./kinds/registration-renewed.ts";
import { rightsAnswered } from "./kinds/rights-answered.ts";
import { rightsRequested } from "./kinds/rights-requested.ts";
import { savedCardUsed } from "./kinds/saved-card-used.ts";
import { taxDocument } from "./kinds/tax-document.ts";
import { writtenOff } from "./kinds/written-off.ts";
import type { MailWords, NotificationDefinition, RenderedWords, ShortMessage } from "./notification-definition.ts";

/*
 * The notifications to patients, by e-mail and short message: their kinds and texts, and how they are stored, sent and
 * erased.
 */

/** Every kind of notification, by the name that is stored. */
const kinds = {
  checkout_link: checkoutLink,
  payment_receipt: paymentReceipt,
  claim_filed: claimFiled,
  claim_approved: claimApproved,
  claim_rejected: claimRejected,
  claim_unfiled: claimUnfiled,
  access_blocked: accessBlocked,
  charge_announced: chargeAnnounced,
  charged,
  charge_declined: chargeDeclined,
  paid_otherwise: paidOtherwise,
  mandate_revoked: mandateRevoked,
  refunded,
  refund_transferred: refundTransferred,
  written_off: writtenOff,
  dispute_closed: disputeClosed,
  charge_returned: chargeReturned,
  tax_document: taxDocument,
  payment_link: paymentLink,
  access_link: accessLink,
  recovery_code: recoveryCode,
  recognition_code: recognitionCode,
  email_changed: emailChanged,
  email_change_undone: emailChangeUndone,
  data_link: dataLink,
  data_erased: dataErased,
  data_erasure_ended: dataErasureEnded,
  registration_renewed: registrationRenewed,
  rights_requested: rightsRequested,
  rights_answered: rightsAnswered,
  card_saved: cardSaved,
  saved_card_used: savedCardUsed,
} as const;

export type NotificationKind = keyof typeof kinds;

type FactsOf<Definition> = Definition extends NotificationDefinition<infer Facts> ? Facts : never;
type Facts = { readonly [Kind in NotificationKind]: FactsOf<(typeof kinds)[Kind]> };
const definitions: { readonly [Kind in NotificationKind]: NotificationDefinition<Facts[Kind]> } = kinds;

export type NotificationOf<Kind extends NotificationKind> = { readonly kind: Kind } & Facts[Kind];

/** A notification to a patient, with the facts that its kind's text needs. */
export type Notification = { [Kind in NotificationKind]: NotificationOf<Kind> }[NotificationKind];

/** How it is sent: as an e-mail with the full text, or as a short message to the telephone. */
export type NotificationChannel = "email" | "message";

export function mailWords<Kind extends NotificationKind>(
  notification: NotificationOf<Kind>,
  locale: Locale,
): MailWords {
  return definitions[notification.kind].mail[locale](notification);
}

/** The short message's text after the clinic's name, and its values; null for a kind that has only a mail. */
export function messageParts<Kind extends NotificationKind>(
  notification: NotificationOf<Kind>,
  locale: Locale,
): RenderedWords | null {
  return definitions[notification.kind].message?.render(notification, locale) ?? null;
}

/** The last line of the short message; null if it has none. */
export function messageLastLine<Kind extends NotificationKind>(notification: NotificationOf<Kind>): string | null {
  return definitions[notification.kind].message?.lastLine?.(notification) ?? null;
}

export function isOtp(kind: NotificationKind): boolean {
  return definitions[kind].isOtp === true;
}

/** Whether the short message of a kind replaces the mail. */
export function messageIsAlone(kind: NotificationKind): boolean {
  return definitions[kind].message?.isAlone === true;
}

/** When the short message of a kind is sent; null if it has none. */
export function messageGoes(kind: NotificationKind): ShortMessage<never>["goes"] | null {
  return definitions[kind].message?.goes ?? null;
}
