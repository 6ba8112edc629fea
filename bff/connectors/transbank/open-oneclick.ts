import type { Clock } from "../../src/platform/clock.ts";
import type { Database } from "../../src/platform/database/transaction.ts";
import type { Ids } from "../../src/platform/ids.ts";
import type { Logger } from "../../src/platform/logger.ts";
import { createKeptCalls } from "../kit/kept-calls.ts";
import { createPartyClient, type PartyClient } from "../kit/party-client.ts";
import type { OpenConnector } from "../kit/run-connector.ts";
import { serveCardProcessor } from "../kit/serve/serve-card-processor.ts";
import { createCardProcessor } from "./card-processor.ts";
import type { Oneclick, Terms } from "./oneclick.ts";
import { createOneclickApi } from "./oneclick-api.ts";
import { createPagesApp } from "./pages-app.ts";
import { createUserSeal, opening, sealStoredUsers } from "./sealed-users.ts";

export interface OneclickToOpen {
  readonly db: Database;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly client: PartyClient;
  readonly terms: Terms;
  readonly pageOrigin: string;
  /** The keys that encrypt each `tbk_user`, newest first. */
  readonly sealKeys: readonly string[];
}

/** The client with the mall's credentials, which appear in no error. */
export function createTransbankClient({
  baseUrl,
  mallCode,
  apiKey,
}: {
  readonly baseUrl: string;
  readonly mallCode: string;
  readonly apiKey: string;
}): PartyClient {
  return createPartyClient({ baseUrl, headers: { "tbk-api-key-id": mallCode, "tbk-api-key-secret": apiKey } });
}

export function buildOneclick({ client, sealKeys, ...parts }: OneclickToOpen): Oneclick {
  const { logger } = parts;
  const userSeal = createUserSeal(sealKeys);
  const onCredentialsRefused = () => logger.error("transbank.credentials_refused");
  const api = opening(createOneclickApi({ client, onCredentialsRefused }), userSeal);
  return { ...parts, api, userSeal, calls: createKeptCalls(parts) };
}

export async function openOneclick(given: OneclickToOpen): Promise<OpenConnector> {
  const oneclick = buildOneclick(given);
  await sealStoredUsers(oneclick.db, oneclick.userSeal);
  return {
    serve: (service) => serveCardProcessor(service, createCardProcessor(oneclick)),
    pages: createPagesApp(oneclick),
    close: () => given.client.close(),
  };
}
