import type { Clock } from "../platform/clock.ts";
import type { Transaction } from "../platform/database/transaction.ts";
import type { Ids } from "../platform/ids.ts";
import { scheduleTimer } from "../platform/timers/timer-store.ts";
import { waitAgain } from "./notification-store.ts";
import { SEND_NOTIFICATION_TIMER } from "./notify-patient.ts";

/**
 * Sends an undelivered notification again to the same address, with the same message id and all attempts. Returns false
 * if its address and text are no longer stored.
 */
export async function sendAgain(
  { ids, clock }: { readonly ids: Ids; readonly clock: Clock },
  tx: Transaction,
  { providerId, id }: { readonly providerId: string; readonly id: string },
): Promise<boolean> {
  if (!(await waitAgain(tx, { providerId, id }))) return false;
  // A code is never sent again: its text is not kept. The key of the notification's first timer cannot be used again.
  const key = `${id}:${ids.uuid()}`;
  const payload = { notice_id: id, tries: 0 };
  return scheduleTimer(tx, { kind: SEND_NOTIFICATION_TIMER, key, providerId, dueAt: clock.now(), payload });
}
