import * as z from "zod/mini";
import { type OrderDocument, orderDocumentSchema } from "../contract/order-files.ts";
import { DAY_MS } from "../contract/vocabulary/durations.ts";
import { phoneSchema } from "../contract/vocabulary/phone.ts";
import { localeSchema } from "../contract/widget-tokens.ts";
import type { Email, MailAttachment, MailRefusal, Messenger } from "../gateways/messenger.ts";
import type { Clock } from "../platform/clock.ts";
import { type Database, inTransaction } from "../platform/database/transaction.ts";
import type { Keyring } from "../platform/keyring.ts";
import type { Logger } from "../platform/logger.ts";
import { purgeInBatches } from "../platform/purge.ts";
import type { Switch } from "../platform/switches.ts";
import type { TimerHandler, TimerHandlers } from "../platform/timers/timer-worker.ts";
import type { DocumentsWanted, MakeDocuments } from "./notification-definition.ts";
import {
  emptyUndelivered,
  readWaitingNotification,
  settleNotification,
  type WaitingNotification,
} from "./notification-store.ts";
import { NOTIFICATION_SEALS, SEND_NOTIFICATION_TIMER, SEND_OTP_TIMER } from "./notify-patient.ts";

interface SendNotificationDependencies {
  readonly db: Database;
  /** Real time. */
  readonly clock: Clock;
  readonly logger: Logger;
  readonly keyring: Pick<Keyring, "open">;
  readonly messenger: Messenger;
  readonly makeDocuments: MakeDocuments;
}

const MINUTE_MS = 60_000;
/** Delays after attempts with an unknown outcome; there is one more attempt than delays. */
const RETRY_DELAYS_MS = [1, 5, 15, 60, 240, 720, 1_440].map((minutes) => minutes * MINUTE_MS);

/** Attempts that wait for the mail's files. The next one, 21 minutes after the first, goes without them. */
const ATTEMPTS_WITH_FILES = 3;

const payloadSchema = z.object({ notice_id: z.uuid(), tries: z.int() });
/** Messages of earlier versions have no template. */
const messageSchema = z.object({
  to: phoneSchema,
  text: z.string(),
  template: z.optional(z.object({ name: z.string(), language: localeSchema })),
  values: z.optional(z.record(z.string(), z.string())),
});
const emailSchema = z.object({ to: z.string(), subject: z.string(), text: z.string(), html: z.string() });
/** Absent in mails without files. */
const filesSchema = z.object({
  documents: z._default(z.array(orderDocumentSchema), []),
  locale: z._default(localeSchema, "es-CL"),
  /** The mail to send if its files cannot be made. Absent in mails of earlier versions. */
  withoutFiles: z._default(z.partial(z.object({ text: z.string(), html: z.string() })), {}),
});

export function notificationTimerHandlers(dependencies: SendNotificationDependencies): TimerHandlers {
  const send = sendNotificationHandler(dependencies);
  return { [SEND_NOTIFICATION_TIMER]: send, [SEND_OTP_TIMER]: send };
}

/**
 * Sends one notification on its channel. It is not sent again after a permanent refusal. If the outcome is unknown, it
 * is sent again with the same message id until it is no longer useful. A failed notification does not delay any other.
 */
function sendNotificationHandler(dependencies: SendNotificationDependencies): TimerHandler {
  return async (timer, { finish }) => {
    const { db, clock, logger } = dependencies;
    const { notice_id: id, tries } = payloadSchema.parse(timer.payload);
    const { outcome, refusal = null } = await attempt(dependencies, id, tries);
    const delayMs = RETRY_DELAYS_MS[tries];
    if (outcome === "unknown" && delayMs !== undefined) {
      return { again: new Date(clock.now().getTime() + delayMs), payload: { notice_id: id, tries: tries + 1 } };
    }
    const state = outcome === "unknown" ? "given_up" : outcome;
    if (state !== "sent")
      logger.warn("notices.not_sent", { provider_id: timer.providerId, outcome: state, reason: refusal });
    await inTransaction(db, async (tx) => {
      // The notification is settled and never retried by itself. Sending it again needs a timer with another key.
      await finish(tx, "gone");
      await settleNotification(tx, id, { state, refusal, at: clock.now() });
    });
    return "gone";
  };
}

interface Attempted {
  readonly outcome: "sent" | "refused" | "given_up" | "unknown";
  /** Why a mail was refused, if known. */
  readonly refusal?: MailRefusal | undefined;
}

async function attempt(dependencies: SendNotificationDependencies, id: string, tries: number): Promise<Attempted> {
  const { db, clock } = dependencies;
  const notification = await readWaitingNotification(db, id);
  // A worker settled it and died before completing the timer.
  if (notification === null) return { outcome: "sent" };
  if (notification.usefulUntil !== null && clock.now() >= notification.usefulUntil) return { outcome: "given_up" };
  return send(dependencies, notification, tries);
}

async function send(
  dependencies: SendNotificationDependencies,
  { id, providerId, orderId, channel, sealed }: WaitingNotification,
  tries: number,
): Promise<Attempted> {
  const { keyring, messenger } = dependencies;
  const content: unknown = JSON.parse(keyring.open(sealed, NOTIFICATION_SEALS[channel]));
  const named = { messageId: id, providerId };
  if (channel === "message") {
    const { outcome } = await messenger.sendMessage({ ...named, message: messageSchema.parse(content) });
    return { outcome };
  }
  const email = await withFiles(dependencies, content, { providerId, orderId, tries });
  const sent = await messenger.sendEmail({ ...named, email });
  return sent.outcome === "refused" ? { outcome: "refused", refusal: sent.reason } : { outcome: sent.outcome };
}

/** A mail with its files, which are made while it is sent. The last attempts send it without files if necessary. */
async function withFiles(
  dependencies: SendNotificationDependencies,
  content: unknown,
  { providerId, orderId, tries }: Pick<WaitingNotification, "providerId" | "orderId"> & { readonly tries: number },
): Promise<Email> {
  const email = emailSchema.parse(content);
  const { documents, locale, withoutFiles } = filesSchema.parse(content);
  if (orderId === null || documents.length === 0) return email;
  const make = () => filesOf(dependencies, { documents, wanted: { providerId, orderId, locale } });
  if (tries < ATTEMPTS_WITH_FILES) return { ...email, attachments: make };
  const files = await make();
  return files === null ? { ...email, ...withoutFiles } : { ...email, attachments: async () => files };
}

/** The files of a mail; null if they cannot be made now. */
async function filesOf(
  { makeDocuments, logger }: SendNotificationDependencies,
  { documents, wanted }: { readonly documents: readonly OrderDocument[]; readonly wanted: DocumentsWanted },
): Promise<readonly MailAttachment[] | null> {
  try {
    return await makeDocuments(documents, wanted);
  } catch (error) {
    logger.warn("notices.documents_failed", { provider_id: wanted.providerId, error });
    return null;
  }
}

/** How long an undelivered notification can be sent again. */
export const UNDELIVERED_KEPT_MS = 30 * DAY_MS;

/** Deletes address and text of notifications that could not be delivered long ago. Returns how many there were. */
export function purgeUndelivered({ db, clock }: { readonly db: Database; readonly clock: Clock }): Promise<number> {
  const before = new Date(clock.now().getTime() - UNDELIVERED_KEPT_MS);
  return purgeInBatches((limit) => emptyUndelivered(db, { before, limit }));
}

/** The switch that stops mails and messages. One-time codes have another kind, which no switch stops. */
export const notificationSwitches: Readonly<Record<string, Switch>> = {
  [SEND_NOTIFICATION_TIMER]: "mails",
};
