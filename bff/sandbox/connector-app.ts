import type express from "express";
import { createConnectorApp } from "../connectors/kit/connector-service.ts";
import { serveBank } from "../connectors/kit/serve/serve-bank.ts";
import { serveCardProcessor } from "../connectors/kit/serve/serve-card-processor.ts";
import { serveFinancingProvider } from "../connectors/kit/serve/serve-financing-provider.ts";
import { serveIdentityRegistry } from "../connectors/kit/serve/serve-identity-registry.ts";
import { serveInsurer } from "../connectors/kit/serve/serve-insurer.ts";
import { serveMessenger } from "../connectors/kit/serve/serve-messenger.ts";
import { serveTaxDocuments } from "../connectors/kit/serve/serve-tax-documents.ts";
import type { Gateways } from "../src/gateways/gateways.ts";
import type { Logger } from "../src/platform/logger.ts";

export interface SandboxConnectorDependencies extends Omit<Gateways, "close"> {
  readonly logger: Logger;
  /** The token with which the service authenticates. */
  readonly connectorToken: string;
}

/** Serves the sandbox's gateways in the connector protocol. */
export function createSandboxConnector({
  connectorToken,
  logger,
  ...parties
}: SandboxConnectorDependencies): express.Express {
  return createConnectorApp({
    token: connectorToken,
    logger,
    serve(service) {
      serveCardProcessor(service, parties.cardProcessor);
      serveFinancingProvider(service, parties.financingProvider);
      serveIdentityRegistry(service, parties.identityRegistry);
      serveInsurer(service, parties.insurer);
      serveBank(service, parties.bank);
      serveTaxDocuments(service, parties.taxDocuments);
      serveMessenger(service, parties.messenger);
    },
  });
}
