import { createRateLimiter } from "../src/platform/http/rate-limit.ts";
/**
 * This folder is the sandbox of staging: simulated gateways, and the routes with which tests and the demo control them.
 */

import type { RequestListener } from "node:http";
import type { Config } from "../src/app/config.ts";
import type { JoinedSandbox, Sandbox, SandboxHost } from "../src/app/sandbox-port.ts";
import { signCallback } from "../src/gateways/connector/callback-signature.ts";
import type { Clock } from "../src/platform/clock.ts";
import type { Database } from "../src/platform/database/transaction.ts";
import type { Ids } from "../src/platform/ids.ts";
import type { Keyring } from "../src/platform/keyring.ts";
import type { Logger } from "../src/platform/logger.ts";
import { createProvider } from "../src/tenants/manage-provider.ts";
import { SANDBOX_BANK_ACCOUNT } from "./bank-account.ts";
import {
  CATALOGUE_ACCOUNTS,
  CATALOGUE_ADDRESSES,
  CATALOGUE_CARDS,
  CATALOGUE_NUMBERS,
  CATALOGUE_PATIENTS,
  CATALOGUE_SERIALS,
  catalogueCard,
} from "./catalogue.ts";
import { createClockMover } from "./clock-mover.ts";
import { createSandboxConnector } from "./connector-app.ts";
import { createPagesApp } from "./pages-app.ts";
import { createRecentRequests } from "./requests/recent-requests.ts";
import { sandboxRoutes } from "./routes.ts";
import { createSandboxGateways, type SandboxGateways } from "./sandbox-gateways.ts";

export interface SandboxParts {
  readonly config: Pick<Config, "addresses" | "environment" | "sandboxMayKill">;
  readonly db: Database;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly keyring: Keyring;
  readonly logger: Logger;
  /** The address of `connectorApp`, without a slash at the end. */
  readonly connectorUrl: string;
  /** Kills this process, for the fault `kill_after`; the default is `SIGKILL`, if that is allowed. */
  readonly kill?: (() => void) | undefined;
  /** After this time a move of a tenant's clock is answered while it continues. */
  readonly clockAnswerWithinMs?: number | undefined;
}

/** A sandbox with the parts that its own program needs. */
export interface OpenSandbox extends Sandbox {
  /** The gateways themselves, for callers that do not use the network. */
  readonly gateways: SandboxGateways;
  /** The gateways in the connector protocol. */
  readonly connectorApp: RequestListener;
}

/** Opens the whole sandbox: the gateways, and the routes with which tests and the demo control them. */
export function openSandbox(parts: SandboxParts): OpenSandbox {
  const { config, keyring, kill = () => process.kill(process.pid, "SIGKILL") } = parts;
  const gateways = createSandboxGateways({ ...parts, challengeOrigin: config.addresses.sandbox.publicUrl, kill });
  // Derived from the keyring, so that every process of a service has the same token without configuration.
  const connectorToken = keyring.hmac("sandbox.connector_token", "callbacks");
  return {
    gateways,
    connectorApp: createSandboxConnector({ ...parts, ...gateways, connectorToken }),
    parties: {
      connectorUrl: parts.connectorUrl,
      connectorToken,
      connectorTokenBefore: null,
      partyConnectors: {},
      // Its address differs at each start.
      connectorNames: new Map([[parts.connectorUrl, "sandbox"]]),
      challengeOrigin: gateways.cardProcessor.challengeOrigin,
      financingProviderName: gateways.financingProvider.name,
      hasCircuit: false,
    },
    defaultAccount: SANDBOX_BANK_ACCOUNT,
    testValues: {
      cards: CATALOGUE_CARDS,
      people: CATALOGUE_PATIENTS,
      serials: CATALOGUE_SERIALS,
      addresses: CATALOGUE_ADDRESSES,
      phoneNumbers: CATALOGUE_NUMBERS,
      bankAccounts: CATALOGUE_ACCOUNTS,
    },
    app: createPagesApp({ ...parts, magicCard: catalogueCard }),
    join: (service) => joinService(parts, connectorToken, service),
  };
}

function joinService(parts: SandboxParts, connectorToken: string, service: SandboxHost): JoinedSandbox {
  const { config, clock, ids, kill, clockAnswerWithinMs } = parts;
  const { environment } = config;
  const clockMover = createClockMover({ ...parts, runDue: service.runDue, answerWithinMs: clockAnswerWithinMs });
  const requests = createRecentRequests();
  let resumed: Promise<void> = Promise.resolve();
  return {
    routes: sandboxRoutes({
      ...parts,
      rateLimiter: createRateLimiter(parts),
      clockMover,
      canBeKilled: kill !== undefined || config.sandboxMayKill,
      async insurerCallsBack({ providerId, claimId }) {
        const body = JSON.stringify({ provider_id: providerId, claim_id: claimId });
        const headers = signCallback({ id: ids.uuid(), at: clock.now(), body }, connectorToken);
        await service.receiveCallback({ headers, body: Buffer.from(body) });
      },
      createProvider: (input, beginning) =>
        createProvider({ ...parts, environment, actor: "credential:client_secret" }, input, beginning),
      addresses: config.addresses,
      requests,
    }),
    requestEnded: (fields) => requests.add(fields, clock.now()),
    start() {
      resumed = clockMover.resume();
    },
    async stop() {
      await clockMover.stop();
      await resumed;
    },
  };
}
