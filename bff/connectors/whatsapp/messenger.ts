import { createHash } from "node:crypto";
import * as z from "zod/mini";
import type { Message, MessageOutcome, Messenger } from "../../src/gateways/messenger.ts";
import { localOperation, UNKNOWN } from "../kit/kept-calls.ts";
import { PartyUnanswered } from "../kit/party-client.ts";
import { type Content, changeMessage, findMessage, insertMessage, type StoredMessage } from "./message-store.ts";
import { refusalKindOf } from "./refusal.ts";
import { giveToFallback } from "./send-by-sms.ts";
import { templateOf } from "./templates.ts";
import type { Whatsapp } from "./whatsapp.ts";

/** The stored answer of a call. The message holds its outcome. */
const taken = localOperation("send", z.object({ outcome: z.literal("taken") }));

/** WhatsApp as the service's messenger. Mails go by SMTP. */
export function createWhatsappMessenger(whatsapp: Whatsapp): Messenger {
  const { calls, clock } = whatsapp;
  return {
    // No answer: the service sends mails by SMTP.
    sendEmail: async () => UNKNOWN,
    async sendMessage({ messageId, providerId, message }) {
      const call = { providerId, idempotencyKey: messageId, at: clock.now() };
      const id = messageNameOf(call);
      // A repeat may have a corrected text, so the input is not part of the call.
      await calls.perform(taken, call, null, async (tx) => {
        await insertMessage(tx, { id, ...call, begunAt: clock.now() });
        return { answer: { outcome: "taken" as const } };
      });
      const stored = await findMessage(whatsapp.db, id);
      return stored === undefined ? UNKNOWN : continueMessage(whatsapp, stored, message);
    },
  };
}

/** Our name of a message at Meta, derived from its key alone. */
function messageNameOf(call: { readonly providerId: string; readonly idempotencyKey: string }): string {
  return createHash("sha256")
    .update(JSON.stringify(["message", call.providerId, call.idempotencyKey]))
    .digest("hex");
}

async function continueMessage(whatsapp: Whatsapp, stored: StoredMessage, message: Message): Promise<MessageOutcome> {
  switch (stored.state) {
    case "planned":
      return begin(whatsapp, stored, message);
    case "by_sms":
      return giveToFallback(whatsapp, stored, contentOf(message));
    default:
      return outcomeOf(stored);
  }
}

function contentOf({ to, text }: Message): Content {
  return { to, text };
}

function outcomeOf({ state, reason }: StoredMessage): MessageOutcome {
  if (state === "accepted" || state === "delivered" || state === "sent_by_sms") return { outcome: "sent" };
  return state === "refused" && reason !== null ? { outcome: "refused", reason } : UNKNOWN;
}

/** Sends a message that WhatsApp has not taken. Only one process gets past the change to `sending`. */
async function begin(whatsapp: Whatsapp, { id }: StoredMessage, message: Message): Promise<MessageOutcome> {
  const { clock, db, logger } = whatsapp;
  const content = contentOf(message);
  const template = templateOf(message);
  const next = template === null ? ({ to: "by_sms", content: null } as const) : ({ to: "sending", content } as const);
  const claimed = await changeMessage(db, id, { from: ["planned"], at: clock.now(), ...next });
  if (claimed === null) return UNKNOWN;
  if (template === null) return giveToFallback(whatsapp, claimed, content);
  try {
    const reply = await whatsapp.api.send({ ...template, id, to: message.to.replace("+", "") });
    if (reply.is === "refused") return await refuse(whatsapp, claimed, { code: reply.code, content });
    const { wamid } = reply;
    const accepted = { from: ["sending"], to: "accepted", at: clock.now(), wamid } as const;
    // Meta's notification may have been faster than its answer.
    const stored = (await changeMessage(db, id, accepted)) ?? (await findMessage(db, id));
    return outcomeOf(stored ?? claimed);
  } catch (error) {
    logger.warn("connector.party_unanswered", { operation: "send", call: claimed.idempotencyKey, error });
    if (isUnsent(error)) await changeMessage(db, id, { from: ["sending"], to: "planned", at: clock.now() });
    return UNKNOWN;
  }
}

/** Errors before the first byte of a request. */
const UNSENT: readonly unknown[] = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "ENETUNREACH", "EHOSTUNREACH"];
const UNSENT_BY_CLIENT = "UND_ERR_CONNECT_TIMEOUT";

function isUnsent(error: unknown): boolean {
  if (!(error instanceof PartyUnanswered) || !(error.cause instanceof Error) || !("code" in error.cause)) return false;
  return error.cause.code === UNSENT_BY_CLIENT || UNSENT.includes(error.cause.code);
}

/** Meta took nothing: now, the fallback may send it. */
async function refuse(
  whatsapp: Whatsapp,
  message: StoredMessage,
  { code, content }: { readonly code: number; readonly content: Content },
): Promise<MessageOutcome> {
  const { clock, db, fallback, logger } = whatsapp;
  const kind = refusalKindOf(code);
  const about = { call: message.idempotencyKey, code: `meta_${code}` };
  if (kind === "ours") logger.error("whatsapp.message_refused", about);
  else logger.info("whatsapp.message_not_taken", about);
  const from = ["sending"] as const;
  const at = clock.now();
  if (kind === "opted_out") {
    const opted = { from, to: "refused", at, content: null, reason: "opted_out" } as const;
    return outcomeOf((await changeMessage(db, message.id, opted)) ?? message);
  }
  // Without a fallback, a repeat may find the template or account corrected.
  if (kind === "later" || (kind === "ours" && fallback === null)) {
    await changeMessage(db, message.id, { from, to: "planned", at });
    return UNKNOWN;
  }
  const bySms = await changeMessage(db, message.id, { from, to: "by_sms", at });
  return bySms === null ? UNKNOWN : giveToFallback(whatsapp, bySms, content);
}
