import { readPhone } from "../contract/vocabulary/phone.ts";
import { latestLocale } from "../patients/consents/consents.ts";
import type { Clock } from "../platform/clock.ts";
import type { Transaction } from "../platform/database/transaction.ts";
import type { Ids } from "../platform/ids.ts";
import type { Keyring } from "../platform/keyring.ts";
import { type Provider, providerNow } from "../platform/provider.ts";
import { scheduleTimer } from "../platform/timers/timer-store.ts";
import { messageHour, takesMessages } from "./message.ts";
import { messageWords } from "./message-words.ts";
import type { Notification, NotificationChannel } from "./notification.ts";
import { insertNotification, isCauseKnown } from "./notification-store.ts";
import { renderNotification } from "./render-notification.ts";

export const SEND_NOTIFICATION_TIMER = "notices.send";
/** The keyring's purposes for the address and text of a notice that waits. */
export const NOTIFICATION_SEALS: Readonly<Record<NotificationChannel, string>> = {
  email: "notices.email",
  message: "notices.message",
};

export interface NotifyPatientDependencies {
  readonly ids: Ids;
  /** Real time. */
  readonly clock: Clock;
  readonly keyring: Pick<Keyring, "seal">;
}

export interface NotificationRequest {
  /** Who is asked about it, and whose staging mailbox it goes to. */
  readonly provider: Provider;
  /** Names what the patient is told about (`payment_receipt:<order>`): whatever happens, it is told once on each channel. */
  readonly cause: string;
  /** The e-mail address. */
  readonly to: string;
  /** Whose telephone gets a short message beside the mail; left out, the mail is all. */
  readonly telephone?: { readonly rut: string; readonly number: string };
  readonly orderId?: string;
  /** With whose erasure it goes, if it still waits or could not be delivered; left out, with that of the order's customer. */
  readonly beneficiaryId?: string;
  readonly notification: Notification;
  /** For how long it helps the patient; left out, always. */
  readonly usefulForMs?: number;
}

/**
 * Tells a patient something, in the transaction of what it is about: by e-mail, and in short by message where the kind of
 * notice goes by message and the number takes some. It goes out afterwards, with retries; neither waits for the other.
 */
export async function notifyPatient(
  dependencies: NotifyPatientDependencies,
  tx: Transaction,
  telling: NotificationRequest,
): Promise<void> {
  const { provider, to, notification } = telling;
  const now = dependencies.clock.now();
  const { name: clinic, supportEmail, supportPhone } = provider;
  const email = renderNotification(to, notification, { clinic, supportEmail, supportPhone });
  await write(dependencies, tx, telling, { channel: "email", content: email, dueAt: now });
  const message = await messageOf(tx, telling);
  if (message === null) return;
  const itsNow = providerNow(provider, now);
  const waitMs = messageHour(notification.kind, itsNow).getTime() - itsNow.getTime();
  const dueAt = new Date(now.getTime() + waitMs);
  await write(dependencies, tx, telling, { channel: "message", content: message, dueAt });
}

/** Has a patient been told of a cause, or is going to be? */
export function wasNotified(
  tx: Transaction,
  { provider, cause }: Pick<NotificationRequest, "provider" | "cause">,
): Promise<boolean> {
  return isCauseKnown(tx, { providerId: provider.id, cause });
}

async function messageOf(
  tx: Transaction,
  { provider, telephone, notification }: NotificationRequest,
): Promise<object | null> {
  const to = telephone === undefined ? null : readPhone(telephone.number);
  if (telephone === undefined || to === null || !takesMessages(to)) return null;
  const locale = await latestLocale(tx, { rut: telephone.rut, providerId: provider.id });
  const text = messageWords(notification, locale);
  return text === null ? null : { to, text };
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
  if (!(await insertNotification(tx, waiting, now))) return;
  const payload = { notice_id: id, tries: 0 };
  await scheduleTimer(tx, { kind: SEND_NOTIFICATION_TIMER, key: id, providerId: provider.id, dueAt, payload });
}
