import type { KeyObject } from "node:crypto";
import type { Clock } from "../../src/platform/clock.ts";
import type { Database } from "../../src/platform/database/transaction.ts";
import type { Ids } from "../../src/platform/ids.ts";
import type { Logger } from "../../src/platform/logger.ts";
import { createKeptCalls } from "../kit/kept-calls.ts";
import { createPartyClient, type PartyClient } from "../kit/party-client.ts";
import type { OpenConnector } from "../kit/run-connector.ts";
import { serveBank } from "../kit/serve/serve-bank.ts";
import { createFintocBank } from "./bank.ts";
import type { Fintoc } from "./fintoc.ts";
import { createFintocApi } from "./fintoc-api.ts";
import { createBodySigner } from "./jws.ts";

export interface FintocToOpen {
  readonly db: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly client: PartyClient;
  readonly accountId: string;
}

/** The client with the secret key, which signs what it sends. Neither key appears in an error. */
export function createFintocClient({
  baseUrl,
  secretKey,
  privateKey,
  clock,
  ids,
}: {
  readonly baseUrl: string;
  readonly secretKey: string;
  readonly privateKey: KeyObject;
  readonly clock: Clock;
  readonly ids: Ids;
}): PartyClient {
  const sign = createBodySigner({ key: privateKey, clock, ids });
  return createPartyClient({ baseUrl, headers: { authorization: secretKey }, sign });
}

export function buildFintoc({ client, ...parts }: FintocToOpen): Fintoc {
  const { logger } = parts;
  const onCredentialsRefused = () => logger.error("fintoc.credentials_refused");
  return { ...parts, api: createFintocApi({ client, onCredentialsRefused }), calls: createKeptCalls(parts) };
}

export function openFintoc(given: FintocToOpen): OpenConnector {
  const bank = createFintocBank(buildFintoc(given));
  return { serve: (service) => serveBank(service, bank), close: () => given.client.close() };
}
