import type { Clock } from "../platform/clock.ts";
import type { Transaction } from "../platform/database/transaction.ts";
import type { Ids } from "../platform/ids.ts";
import { scheduleTimer } from "../platform/timers/timer-store.ts";
import { waitAgain } from "./notification-store.ts";
import { SEND_NOTIFICATION_TIMER } from "./notify-patient.ts";

/**
 * Sends a notification again that could not be delivered, to the same address and under the same message id, with all its tries.
 * False where its address and text are not kept any more.
 */
export async function sendAgain(
  { ids, clock }: { readonly ids: Ids; readonly clock: Clock },
  tx: Transaction,
  { providerId, id }: { readonly providerId: string; readonly id: string },
): Promise<boolean> {
  if (!(await waitAgain(tx, { providerId, id }))) return false;
  // The notification's first timer is done for ever.
  const key = `${id}:${ids.uuid()}`;
  const payload = { notice_id: id, tries: 0 };
  return scheduleTimer(tx, { kind: SEND_NOTIFICATION_TIMER, key, providerId, dueAt: clock.now(), payload });
}
