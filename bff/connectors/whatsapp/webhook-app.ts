import { createHmac, timingSafeEqual } from "node:crypto";
import express from "express";
import type { StoredMessage } from "./message-store.ts";
import { notificationSchema, statusesIn, statusSchema } from "./notification.ts";
import { recordStatus } from "./record-status.ts";
import { giveToFallback } from "./send-by-sms.ts";
import type { Whatsapp } from "./whatsapp.ts";

const PATH = "/whatsapp/webhook";
/** Meta's largest notification. */
const BODY_BYTES_MAX = 3 * 1024 * 1024;

export interface WebhookSecrets {
  readonly appSecret: string;
  readonly verifyToken: string;
}

/** Where Meta reports what became of a message. */
export function createWebhookApp(whatsapp: Whatsapp, { appSecret, verifyToken }: WebhookSecrets): express.Router {
  const router = express.Router();
  router.get(PATH, ({ query }, response) => {
    const challenge = query["hub.challenge"];
    const isAsked = query["hub.mode"] === "subscribe" && isEqual(String(query["hub.verify_token"]), verifyToken);
    if (!isAsked || typeof challenge !== "string" || !/^[\w-]{1,200}$/.test(challenge))
      return void response.status(403).end();
    response.type("text/plain").send(challenge);
  });
  router.post(PATH, express.raw({ type: () => true, limit: BODY_BYTES_MAX }), async (request, response) => {
    const body = request.body instanceof Uint8Array ? request.body : new Uint8Array();
    const signature = `sha256=${createHmac("sha256", appSecret).update(body).digest("hex")}`;
    if (!isEqual(request.get("x-hub-signature-256") ?? "", signature)) return void response.status(401).end();
    const notification = notificationSchema.safeParse(parse(body));
    if (!notification.success) {
      whatsapp.logger.error("whatsapp.notification_unusable");
      return void response.status(200).end();
    }
    // Meta repeats a notification until it is acknowledged, so it is stored first.
    const failed: StoredMessage[] = [];
    for (const each of statusesIn(notification.data)) {
      const status = statusSchema.safeParse(each);
      if (!status.success) whatsapp.logger.error("whatsapp.status_unusable");
      const bySms = status.success ? await recordStatus(whatsapp, status.data) : null;
      if (bySms !== null) failed.push(bySms);
    }
    response.status(200).end();
    for (const message of failed) await giveToFallback(whatsapp, message, message.content);
  });
  return router;
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString("utf8"));
  } catch {
    return undefined;
  }
}

function isEqual(given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)];
  return one.length === other.length && timingSafeEqual(one, other);
}
