import { createServer } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import * as z from "zod";
import { systemIds } from "../../../src/platform/ids.ts";
import { createStandIn } from "./stand-in.ts";

/*
 * The stand-in as a separate process on 127.0.0.1, for a connector with the same settings. It approves every template,
 * reports every message as delivered, and shows the messages at `/arrived`.
 */

const NOTIFY_EVERY_MS = 500;

const settings = z
  .object({
    STAND_IN_PORT: z.coerce.number().int().min(1).max(65_535),
    /** The connector's address for notifications. */
    STAND_IN_WEBHOOK_URL: z.url(),
    WHATSAPP_ACCESS_TOKEN: z.string().min(1),
    WHATSAPP_PHONE_NUMBER_ID: z.string().min(1),
    WHATSAPP_BUSINESS_ACCOUNT_ID: z.string().min(1),
    WHATSAPP_APP_SECRET: z.string().min(1),
  })
  .parse(process.env);
const { app, arrived, approve, notify } = createStandIn({
  ids: systemIds,
  accessToken: settings.WHATSAPP_ACCESS_TOKEN,
  phoneNumberId: settings.WHATSAPP_PHONE_NUMBER_ID,
  accountId: settings.WHATSAPP_BUSINESS_ACCOUNT_ID,
  appSecret: settings.WHATSAPP_APP_SECRET,
});
const server = createServer((request, response) => {
  if (request.url !== "/arrived") return void app(request, response);
  response.setHeader("content-type", "application/json").end(JSON.stringify(arrived));
});
server.listen(settings.STAND_IN_PORT, "127.0.0.1");
const stopping = new AbortController();
for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => stopping.abort());
let notified = 0;
while (!stopping.signal.aborted) {
  await pause(NOTIFY_EVERY_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
  approve();
  for (const message of arrived.slice(notified)) {
    const { body, headers } = notify(message, "delivered");
    await fetch(settings.STAND_IN_WEBHOOK_URL, { method: "POST", body, headers }).catch(() => undefined);
    notified += 1;
  }
}
server.closeAllConnections();
server.close();
