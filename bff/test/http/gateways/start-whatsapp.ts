import { join } from "node:path";
import express from "express";
import { createConnectorApp } from "../../../connectors/kit/connector-service.ts";
import { serveMessenger } from "../../../connectors/kit/serve/serve-messenger.ts";
import { createWhatsappMessenger } from "../../../connectors/whatsapp/messenger.ts";
import {
  buildWhatsapp,
  createFallbackClient,
  createWhatsappClient,
} from "../../../connectors/whatsapp/open-whatsapp.ts";
import { type Arrived, createStandIn, type StandIn } from "../../../connectors/whatsapp/stand-in/stand-in.ts";
import { submitTemplates } from "../../../connectors/whatsapp/submit-templates.ts";
import { createWebhookApp } from "../../../connectors/whatsapp/webhook-app.ts";
import type { Whatsapp } from "../../../connectors/whatsapp/whatsapp.ts";
import type { Messenger } from "../../../src/gateways/messenger.ts";
import { type MovableClock, movableClock } from "../../../src/platform/clock.ts";
import { openDatabase } from "../../../src/platform/database/database.ts";
import { migrate } from "../../../src/platform/database/migrate.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { createLogger } from "../../../src/platform/logger.ts";
import { packageFolder } from "../../../src/platform/program.ts";
import { createMortalClient, type Death, listen } from "./connector-process.ts";
import { type MessageGateway, startMessageGateway } from "./message-gateway.ts";

export const CONNECTOR_TOKEN = "token-del-conector-de-prueba";
export const META = {
  accessToken: "EAAprueba-de-un-token-de-acceso",
  phoneNumberId: "106540352242922",
  accountId: "102290129340398",
  appSecret: "0123456789abcdef0123456789abcdef",
};
export const VERIFY_TOKEN = "token-de-verificacion";

export interface WhatsappWorld {
  readonly clock: MovableClock;
  readonly standIn: StandIn;
  readonly connectorUrl: string;
  readonly webhookUrl: string;
  /** Sends short messages. */
  readonly sms: MessageGateway;
  readonly log: readonly string[];
  /** Of the running process; another after `restart`. */
  readonly whatsapp: Whatsapp;
  readonly messenger: Messenger;
  /** The process dies at its next request to Meta or to the fallback: nothing of it runs any more. */
  dieAt(death: Death, party: "meta" | "sms"): void;
  isDead(): boolean;
  /** Another process on the same database. */
  restart(): void;
  /** Meta notifies the connector. Returns the status of its answer. */
  notify(message: Arrived, status: Parameters<StandIn["notify"]>[1], code?: number): Promise<number>;
  stop(): Promise<void>;
}

export async function startWhatsapp(): Promise<WhatsappWorld> {
  const clock = movableClock(new Date());
  const log: string[] = [];
  const logger = createLogger({ level: "debug", destination: { write: (line) => void log.push(line) } });
  const standInServer = await listen();
  const standIn = createStandIn({ ids: systemIds, ...META });
  standInServer.serve(standIn.app);
  const sms = await startMessageGateway();
  const connectorServer = await listen();
  const client = createWhatsappClient({ baseUrl: `${standInServer.url}/v23.0`, accessToken: META.accessToken });
  const { MESSAGING_URL: baseUrl, MESSAGING_TOKEN: token } = sms.environment;
  const fallbackClient = createFallbackClient({ baseUrl, token });
  const [toMeta, toSms] = [createMortalClient(client), createMortalClient(fallbackClient)];
  const database = await openDatabase({ url: "memory://" }, logger);
  await migrate(database, { clock, logger }, join(packageFolder, "connectors/whatsapp/migrations"));
  const webhook = { appSecret: META.appSecret, verifyToken: VERIFY_TOKEN };
  const begin = () => {
    const parts = { db: database.db, clock, logger, client: toMeta.mortal, fallbackClient: toSms.mortal, webhook };
    const whatsapp = buildWhatsapp({ ...parts, ...META });
    const messenger = createWhatsappMessenger(whatsapp);
    const serve = (service: Parameters<typeof serveMessenger>[0]) => serveMessenger(service, messenger);
    const app = createConnectorApp({ token: CONNECTOR_TOKEN, logger, serve });
    return { whatsapp, messenger, app, pages: express().use(createWebhookApp(whatsapp, webhook)) };
  };
  let running = begin();
  let mortal = toMeta;
  connectorServer.serve((request, response) => running.app(request, response));
  const webhookServer = await listen();
  webhookServer.serve((request, response) => running.pages(request, response));
  const webhookUrl = `${webhookServer.url}/whatsapp/webhook`;
  await submitTemplates(running.whatsapp.api);
  standIn.approve();
  return {
    ...{ clock, standIn, sms, log, webhookUrl },
    connectorUrl: connectorServer.url,
    get whatsapp() {
      return running.whatsapp;
    },
    get messenger() {
      return running.messenger;
    },
    dieAt(death, party) {
      mortal = party === "meta" ? toMeta : toSms;
      mortal.dieAt(death);
    },
    isDead: () => mortal.isDead(),
    restart() {
      running = begin();
    },
    async notify(message, status, code) {
      const { body, headers } = standIn.notify(message, status, code);
      return (await fetch(webhookUrl, { method: "POST", body, headers })).status;
    },
    async stop() {
      await connectorServer.close();
      await webhookServer.close();
      await standInServer.close();
      await client.close();
      await fallbackClient.close();
      await sms.close();
      await database.close();
    },
  };
}
