import type { RawBuilder } from "kysely";
import type { Clock } from "../platform/clock.ts";
import type { Transaction } from "../platform/database/transaction.ts";
import { type ExceptionPart, ResolutionRefused, type Resolving } from "../platform/exceptions.ts";
import type { Ids } from "../platform/ids.ts";
import type { ErasedPatient } from "../platform/personal-data.ts";
import type { SealedColumn } from "../platform/reseal-store.ts";
import type { TimelinePart } from "../platform/timeline.ts";
import { scheduleTimer } from "../platform/timers/timer-store.ts";
import { waitAgain } from "./notification-store.ts";
import { NOTIFICATION_SEALS, SEND_NOTIFICATION_TIMER } from "./notify-patient.ts";
import {
  emptyUndelivered,
  endWaiting,
  notificationEntries,
  notificationExceptionQueries,
  notificationTimers,
  notificationWaits,
} from "./operations-store.ts";

/**
 * Sends an undelivered notification again to the same address, with the same message id and all attempts. Returns false
 * if its address and text are no longer stored.
 */
async function sendAgain(
  { ids, clock }: { readonly ids: Ids; readonly clock: Clock },
  tx: Transaction,
  { providerId, id }: { readonly providerId: string; readonly id: string },
): Promise<boolean> {
  if (!(await waitAgain(tx, { providerId, id }))) return false;
  // A code is never sent again, because its text is not kept. The key of the notification's first timer cannot be used
  // again.
  const key = `${id}:${ids.uuid()}`;
  const payload = { notice_id: id, tries: 0 };
  return scheduleTimer(tx, { kind: SEND_NOTIFICATION_TIMER, key, providerId, dueAt: clock.now(), payload });
}

/** The operators' view of undelivered mails, and the resolutions for them. */
export const notificationExceptions = {
  kinds: {
    notice_undelivered: {
      means: "A mail to the patient could not be delivered.",
      resolutions: ["send_again", "handled"],
    },
    notice_not_carried: {
      means: "The mail server accepts only ASCII addresses, so a patient got no code or link. The mail is not stored.",
      resolutions: ["handled"],
    },
  },
  resolutions: {
    send_again: { means: "send it again, to the same address", resolve: sendOnceMore },
  },
  queries: notificationExceptionQueries,
} as const satisfies ExceptionPart;

async function sendOnceMore({ tx, clock, ids, exception: { providerId, subject: id } }: Resolving): Promise<string> {
  if (!(await sendAgain({ clock, ids }, tx, { providerId, id })))
    throw new ResolutionRefused("Its address and text are not kept any more.");
  return "It is sent again.";
}

/** Notifications to the patient about the order. */
export const notificationTimeline = {
  kinds: {
    "notification.written": "A mail or message to the patient was written.",
    "notification.ended": "The mail or message was sent, or could not be.",
    "waits.notification": "A mail or message waits to be sent.",
    [SEND_NOTIFICATION_TIMER]: "sends a mail or message to the patient",
  },
  happened: notificationEntries,
  waits: notificationWaits,
  timers: notificationTimers,
} as const satisfies TimelinePart;

/**
 * Deletes address and text of undelivered notifications to a patient whose data is erased. Those of other patients are
 * kept for a while, so that they can be sent again.
 */
export function eraseUndelivered(tx: Transaction, patient: ErasedPatient, orders: RawBuilder<unknown>): Promise<void> {
  return emptyUndelivered(tx, patient, orders);
}

/**
 * Cancels the waiting notifications to an erased patient, and deletes address and text of the undelivered ones, so that
 * an operator cannot send them again. `realNow` is real time.
 */
export function endNotifications(
  tx: Transaction,
  patient: ErasedPatient,
  given: { readonly orders: RawBuilder<unknown>; readonly realNow: Date },
): Promise<void> {
  return endWaiting(tx, patient, given);
}

/** The columns that this room has sealed. */
export const sealedColumns: readonly SealedColumn[] = [
  { table: "notices", column: "sealed_email", key: ["id"], purpose: NOTIFICATION_SEALS.email },
  { table: "notices", column: "sealed_message", key: ["id"], purpose: NOTIFICATION_SEALS.message },
];
