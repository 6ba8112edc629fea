import { DAY_MS, MINUTE_MS } from "../../src/contract/vocabulary/durations.ts";
import type { MessageOutcome, MessageRefusal } from "../../src/gateways/messenger.ts";
import { UNKNOWN } from "../kit/kept-calls.ts";
import {
  type Content,
  changeMessage,
  deleteOldContents,
  giveUpBySms,
  listBySms,
  type StoredMessage,
} from "./message-store.ts";
import type { Whatsapp } from "./whatsapp.ts";

/** The connector sends nothing later by itself: it may be night, or the message outdated. */
export const FALLBACK_WITHIN_MS = 30 * MINUTE_MS;

/** Gives a message to the fallback. The fallback sends it once for its key. */
export async function giveToFallback(
  whatsapp: Whatsapp,
  message: StoredMessage,
  content: Content | null,
): Promise<MessageOutcome> {
  const { clock, db, fallback, logger } = whatsapp;
  const { id, providerId, idempotencyKey, at } = message;
  const refuse = async (reason: MessageRefusal): Promise<MessageOutcome> => {
    logger.info("whatsapp.message_undeliverable", { call: idempotencyKey, reason });
    await changeMessage(db, id, { from: ["by_sms"], to: "refused", at: clock.now(), content: null, reason });
    return { outcome: "refused", reason };
  };
  if (fallback === null || content === null) return refuse("number_unreachable");
  try {
    const answer = await fallback.send({ providerId, idempotencyKey, at }, content);
    if (answer.outcome === "refused") return await refuse(answer.reason);
    if (answer.outcome === "sent")
      await changeMessage(db, id, { from: ["by_sms"], to: "sent_by_sms", at: clock.now(), content: null });
    return answer;
  } catch (error) {
    logger.warn("connector.party_unanswered", { operation: "fallback", call: idempotencyKey, error });
    return UNKNOWN;
  }
}

/** The service repeats a message for 41 hours. */
const REPEATED_WITHIN_MS = 2 * DAY_MS;

/** Gives the waiting messages to the fallback while it answers, and deletes old numbers and texts. */
export async function doDueWork(whatsapp: Whatsapp): Promise<void> {
  const { clock, db, logger } = whatsapp;
  try {
    const now = clock.now().getTime();
    await deleteOldContents(db, new Date(now - FALLBACK_WITHIN_MS));
    await giveUpBySms(db, new Date(now - REPEATED_WITHIN_MS));
    for (const message of await listBySms(db)) {
      const { outcome } = await giveToFallback(whatsapp, message, message.content);
      if (outcome !== "unknown") continue;
      // The others are next: the fallback may fail for this message alone.
      await changeMessage(db, message.id, { from: ["by_sms"], to: "by_sms", at: clock.now() });
      return;
    }
  } catch (error) {
    logger.error("whatsapp.work_failed", { error });
  }
}
