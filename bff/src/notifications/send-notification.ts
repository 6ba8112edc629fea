import * as z from "zod/mini";
import { phoneSchema } from "../contract/vocabulary/phone.ts";
import type { Messenger } from "../gateways/messenger/port.ts";
import type { Clock } from "../platform/clock.ts";
import { type Database, inTransaction } from "../platform/database/transaction.ts";
import type { Keyring } from "../platform/keyring.ts";
import type { Logger } from "../platform/logger.ts";
import type { TimerHandler, TimerHandlers } from "../platform/timers/timer-worker.ts";
import { readWaitingNotification, settleNotification, type WaitingNotification } from "./notification-store.ts";
import { NOTIFICATION_SEALS, SEND_NOTIFICATION_TIMER } from "./notify-patient.ts";

export interface SendNotificationDependencies {
  readonly db: Database;
  /** Real time. */
  readonly clock: Clock;
  readonly logger: Logger;
  readonly keyring: Pick<Keyring, "open">;
  readonly messenger: Messenger;
}

const MINUTE_MS = 60_000;
/** Delays after attempts with an unknown outcome; there is one more attempt than delays. */
const RETRY_DELAYS_MS = [1, 5, 15, 60, 240, 720, 1_440].map((minutes) => minutes * MINUTE_MS);

const payloadSchema = z.object({ notice_id: z.uuid(), tries: z.int() });
const messageSchema = z.object({ to: phoneSchema, text: z.string() });
const emailSchema = z.object({ to: z.string(), subject: z.string(), text: z.string(), html: z.string() });

export function notificationTimerHandlers(dependencies: SendNotificationDependencies): TimerHandlers {
  return { [SEND_NOTIFICATION_TIMER]: sendNotificationHandler(dependencies) };
}

/**
 * Sends one notification on its channel. It is not sent again after a permanent refusal. If the outcome is unknown, it
 * is sent again with the same message id until it is no longer useful. A failed notification does not hold up any
 * other.
 */
function sendNotificationHandler(dependencies: SendNotificationDependencies): TimerHandler {
  return async (timer, { finish }) => {
    const { db, clock, logger } = dependencies;
    const { notice_id: id, tries } = payloadSchema.parse(timer.payload);
    const outcome = await attempt(dependencies, id);
    const delayMs = RETRY_DELAYS_MS[tries];
    if (outcome === "unknown" && delayMs !== undefined) {
      return { again: new Date(clock.now().getTime() + delayMs), payload: { notice_id: id, tries: tries + 1 } };
    }
    const state = outcome === "unknown" ? "given_up" : outcome;
    if (state !== "sent") logger.warn("notices.not_sent", { provider_id: timer.providerId, outcome: state });
    await inTransaction(db, async (tx) => {
      await finish(tx);
      await settleNotification(tx, id, { state, at: clock.now() });
    });
    return "done";
  };
}

async function attempt(
  dependencies: SendNotificationDependencies,
  id: string,
): Promise<"sent" | "refused" | "given_up" | "unknown"> {
  const { db, clock } = dependencies;
  const notification = await readWaitingNotification(db, id);
  // It was settled by a worker that died before completing the timer.
  if (notification === null) return "sent";
  if (notification.usefulUntil !== null && clock.now() >= notification.usefulUntil) return "given_up";
  const { outcome } = await send(dependencies, notification);
  return outcome;
}

function send(
  { keyring, messenger }: SendNotificationDependencies,
  { id, providerId, channel, sealed }: WaitingNotification,
) {
  const content: unknown = JSON.parse(keyring.open(sealed, NOTIFICATION_SEALS[channel]));
  const named = { messageId: id, providerId };
  return channel === "email"
    ? messenger.sendEmail({ ...named, email: emailSchema.parse(content) })
    : messenger.sendMessage({ ...named, message: messageSchema.parse(content) });
}
