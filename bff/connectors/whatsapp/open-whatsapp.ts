import { createKeptCalls } from "../kit/kept-calls.ts";
import { createPartyClient, type PartyClient } from "../kit/party-client.ts";
import type { OpenConnector } from "../kit/run-connector.ts";
import { serveMessenger } from "../kit/serve/serve-messenger.ts";
import { createFallback } from "./fallback.ts";
import { createWhatsappMessenger } from "./messenger.ts";
import { doDueWork } from "./send-by-sms.ts";
import { createWebhookApp, type WebhookSecrets } from "./webhook-app.ts";
import type { Whatsapp } from "./whatsapp.ts";
import { createWhatsappApi } from "./whatsapp-api.ts";

export interface WhatsappToOpen extends Pick<Whatsapp, "db" | "clock" | "logger"> {
  readonly client: PartyClient;
  readonly phoneNumberId: string;
  readonly accountId: string;
  readonly webhook: WebhookSecrets;
  readonly fallbackClient: PartyClient | null;
}

/** Both a call to Meta and one to the fallback have to fit into the service's 10 seconds. */
const TIMEOUT_MS = 4_500;

export function createWhatsappClient({
  baseUrl,
  accessToken,
}: {
  readonly baseUrl: string;
  readonly accessToken: string;
}): PartyClient {
  return createPartyClient({ baseUrl, headers: { authorization: `Bearer ${accessToken}` }, timeoutMs: TIMEOUT_MS });
}

export function createFallbackClient({
  baseUrl,
  token,
}: {
  readonly baseUrl: string;
  readonly token: string;
}): PartyClient {
  return createPartyClient({ baseUrl, headers: { authorization: `Bearer ${token}` }, timeoutMs: TIMEOUT_MS });
}

export function buildWhatsapp({ client, fallbackClient, ...parts }: WhatsappToOpen): Whatsapp {
  return {
    ...parts,
    api: createWhatsappApi({ client, ...parts }),
    calls: createKeptCalls(parts),
    fallback: fallbackClient === null ? null : createFallback(fallbackClient),
  };
}

/** `ticks`: each does the work that is due. It ends when the connector is closed. */
export function openWhatsapp(given: WhatsappToOpen, ticks: AsyncIterable<unknown>): OpenConnector {
  const whatsapp = buildWhatsapp(given);
  const messenger = createWhatsappMessenger(whatsapp);
  const working = (async () => {
    for await (const _ of ticks) await doDueWork(whatsapp);
  })();
  return {
    serve: (service) => serveMessenger(service, messenger),
    pages: createWebhookApp(whatsapp, given.webhook),
    async close() {
      await working;
      await given.client.close();
      await given.fallbackClient?.close();
    },
  };
}
