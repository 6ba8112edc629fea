import { changeMessage, findNamedMessages, type StoredMessage } from "./message-store.ts";
import type { Status } from "./notification.ts";
import { refusalKindOf } from "./refusal.ts";
import { FALLBACK_WITHIN_MS } from "./send-by-sms.ts";
import type { Whatsapp } from "./whatsapp.ts";

/**
 * Stores what Meta reports about a message. Reports may be repeated, late and in any order. Returns the message if the
 * fallback has to send it now.
 */
export async function recordStatus(whatsapp: Whatsapp, status: Status): Promise<StoredMessage | null> {
  const { clock, db, logger } = whatsapp;
  const { biz_opaque_callback_data: id = null, id: wamid } = status;
  const [message, other] = await findNamedMessages(db, { id, wamid });
  // Another program's, or from before a restore.
  if (message === undefined) return null;
  if (other !== undefined) {
    logger.error("whatsapp.status_of_two_messages", { call: message.idempotencyKey });
    return null;
  }
  const at = clock.now();
  switch (status.status) {
    case "sent":
      await changeMessage(db, message.id, { from: ["sending"], to: "accepted", at, wamid });
      return null;
    case "delivered":
    case "read":
      await changeMessage(db, message.id, { from: ["sending", "accepted"], to: "delivered", at, wamid, content: null });
      return null;
    case "failed":
      return recordFailure(whatsapp, message, status);
    default:
      return null;
  }
}

async function recordFailure(
  { clock, db, fallback, logger }: Whatsapp,
  { id, idempotencyKey, begunAt }: StoredMessage,
  { id: wamid, errors }: Status,
): Promise<StoredMessage | null> {
  const code = errors?.[0]?.code ?? 0;
  const kind = refusalKindOf(code);
  const about = { call: idempotencyKey, code: `meta_${code}` };
  if (kind === "ours") logger.error("whatsapp.message_refused", about);
  else logger.info("whatsapp.message_failed", about);
  const at = clock.now();
  const from = ["sending", "accepted"] as const;
  const isLate = at.getTime() - begunAt.getTime() > FALLBACK_WITHIN_MS;
  if (kind !== "opted_out" && fallback !== null && !isLate)
    return changeMessage(db, id, { from, to: "by_sms", at, wamid });
  const reason = kind === "opted_out" ? "opted_out" : "number_unreachable";
  await changeMessage(db, id, { from, to: "refused", at, wamid, content: null, reason });
  return null;
}
