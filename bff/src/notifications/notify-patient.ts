import { isOrderId, type OrderId } from "../contract/vocabulary/identifiers.ts";
import { greetingName } from "../contract/vocabulary/person-name.ts";
import { readPhone } from "../contract/vocabulary/phone.ts";
import type { Locale } from "../contract/widget-tokens.ts";
import { latestLocale } from "../patients/consents.ts";
import type { Clock } from "../platform/clock.ts";
import type { Database, Transaction } from "../platform/database/transaction.ts";
import type { Ids } from "../platform/ids.ts";
import type { Keyring } from "../platform/keyring.ts";
import { type Provider, providerNow } from "../platform/provider.ts";
import type { CalendarDay } from "../platform/santiago-time.ts";
import { messageHour, renderMessage, takesMessages } from "./message.ts";
import { isOtp, messageIsAlone, type Notification, type NotificationChannel } from "./notification.ts";
import type { AboutPayment } from "./notification-definition.ts";
import { insertNotification, isCauseKnown } from "./notification-store.ts";
import { documentsOf, renderMail } from "./render-mail.ts";

export const SEND_NOTIFICATION_TIMER = "notices.send";
/** Sends a one-time code. No switch stops this kind: without codes, patients cannot reach their data. */
export const SEND_OTP_TIMER = "notices.send_code";
/** The keyring's purposes for the address and text of a waiting notification. */
export const NOTIFICATION_SEALS: Readonly<Record<NotificationChannel, string>> = {
  email: "notices.email",
  message: "notices.message",
};

interface PaymentPage {
  readonly url: string;
  readonly locale: Locale;
}

export interface NotifyPatientDependencies {
  readonly ids: Ids;
  /** Real time. */
  readonly clock: Clock;
  readonly keyring: Pick<Keyring, "seal">;
  /** The page of a paid order; `null` if it has none. */
  readonly paymentPage: (
    tx: Transaction,
    order: { readonly providerId: string; readonly orderId: OrderId },
  ) => Promise<PaymentPage | null>;
  /** The day of the consultation as the order's receipt names it; `null` if it is not known. */
  readonly consultationDay: (
    db: Database,
    order: { readonly providerId: string; readonly orderId: OrderId },
  ) => Promise<CalendarDay | null>;
}

export interface NotificationRequest {
  /** The provider that patients contact about it, and to whose staging mailbox it is sent. */
  readonly provider: Provider;
  /** The payment that it is about, which mail and message name. */
  readonly about?: Omit<AboutPayment, "consultationDay">;
  /**
   * Identifies its cause (`payment_receipt:<order>`). The patient gets one notification per cause and channel, ever.
   */
  readonly cause: string;
  /** The e-mail address. */
  readonly to: string;
  /** The patient's RUT, which determines their last used language. */
  readonly rut: string;
  /** By default that of the order's page; without a page, the one in which the patient agreed to texts last. */
  readonly locale?: Locale;
  /**
   * Where to send a short message, in addition to the mail or instead of it, depending on the kind. Without it, only
   * the mail is sent.
   */
  readonly telephone?: string;
  readonly orderId?: string;
  /** The patient whose erasure deletes it while it is waiting or undelivered; by default, the order's customer. */
  readonly beneficiaryId?: string;
  readonly notification: Notification;
  /** How many milliseconds it is useful to the patient; unlimited if omitted. */
  readonly usefulForMs?: number;
}

/**
 * Notifies a patient, in the transaction of the cause: by e-mail, by short message, or both, if the kind has a message
 * and the number accepts messages. Both are sent later, independently and with retries.
 */
export async function notifyPatient(
  dependencies: NotifyPatientDependencies,
  tx: Transaction,
  request: NotificationRequest,
): Promise<void> {
  const { provider, to, rut } = request;
  const notification = withSafeGreeting(request.notification);
  const now = dependencies.clock.now();
  const page = await paymentPageOf(dependencies, tx, request);
  const locale = request.locale ?? page?.locale ?? (await latestLocale(tx, { rut, providerId: provider.id }));
  const message = messageOf(request, locale);
  if (message === null || !messageIsAlone(notification.kind)) {
    const about = await withConsultationDay(dependencies, tx, request);
    const context = { sender: provider, about, paymentPage: page?.url ?? null };
    const email = renderMail(to, notification, context, locale);
    const documents = request.orderId === undefined ? [] : documentsOf(notification);
    const withFiles = () => {
      const { text, html } = renderMail(to, notification, { ...context, isWithoutFiles: true }, locale);
      return { documents, locale, withoutFiles: { text, html } };
    };
    const content = documents.length === 0 ? email : { ...email, ...withFiles() };
    await write(dependencies, tx, request, { channel: "email", content, dueAt: now });
  }
  if (message === null) return;
  const itsNow = providerNow(provider, now);
  const waitMs = messageHour(notification.kind, itsNow).getTime() - itsNow.getTime();
  const dueAt = new Date(now.getTime() + waitMs);
  await write(dependencies, tx, request, { channel: "message", content: message, dueAt });
}

/**
 * The page that every mail about a paid order links to. Mails with a code have no such link, because a code opens only
 * one thing.
 */
async function paymentPageOf(
  { paymentPage }: NotifyPatientDependencies,
  tx: Transaction,
  { provider, orderId, notification }: NotificationRequest,
): Promise<PaymentPage | null> {
  if (orderId === undefined || !isOrderId(orderId) || isOtp(notification.kind)) return null;
  return paymentPage(tx, { providerId: provider.id, orderId });
}

/** Every mail about a payment names the day of the consultation, once it is known. */
async function withConsultationDay(
  { consultationDay }: NotifyPatientDependencies,
  tx: Transaction,
  { provider, orderId, about }: NotificationRequest,
): Promise<AboutPayment | null> {
  if (about === undefined) return null;
  const isKnown = orderId !== undefined && isOrderId(orderId);
  return {
    ...about,
    consultationDay: isKnown ? await consultationDay(tx, { providerId: provider.id, orderId }) : null,
  };
}

function withSafeGreeting(notification: Notification): Notification {
  return "firstName" in notification
    ? { ...notification, firstName: greetingName(notification.firstName) }
    : notification;
}

/** Whether a patient was notified of a cause, or a notification of it is waiting. */
export function wasNotified(
  tx: Transaction,
  { provider, cause }: Pick<NotificationRequest, "provider" | "cause">,
): Promise<boolean> {
  return isCauseKnown(tx, { providerId: provider.id, cause });
}

function messageOf({ provider, about, telephone, notification }: NotificationRequest, locale: Locale): object | null {
  const to = telephone === undefined ? null : readPhone(telephone);
  if (to === null || !takesMessages(to)) return null;
  const rendered = renderMessage(notification, about?.clinic ?? provider.name, locale);
  return rendered === null ? null : { to, ...rendered };
}

interface Writing {
  readonly channel: NotificationChannel;
  readonly content: object;
  readonly dueAt: Date;
}

async function write(
  { ids, clock, keyring }: NotifyPatientDependencies,
  tx: Transaction,
  { provider, cause, orderId, beneficiaryId, notification, usefulForMs }: NotificationRequest,
  { channel, content, dueAt }: Writing,
): Promise<void> {
  const now = clock.now();
  const id = ids.uuid();
  const waiting = {
    id,
    providerId: provider.id,
    orderId: orderId ?? null,
    beneficiaryId: beneficiaryId ?? null,
    cause,
    kind: notification.kind,
    channel,
    sealed: keyring.seal(JSON.stringify(content), NOTIFICATION_SEALS[channel]),
    usefulUntil: usefulForMs === undefined ? null : new Date(now.getTime() + usefulForMs),
  };
  const payload = { notice_id: id, tries: 0 };
  const kind = isOtp(notification.kind) ? SEND_OTP_TIMER : SEND_NOTIFICATION_TIMER;
  await insertNotification(tx, waiting, { kind, key: id, providerId: provider.id, dueAt, payload }, now);
}
