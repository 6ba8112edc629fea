import express from "express";
import type { Gateways } from "../src/gateways/gateways.ts";
import type { Logger } from "../src/platform/logger.ts";
import { serveBank } from "./bank/serve-bank.ts";
import { createConnectorService, failWith } from "./calls/connector-service.ts";
import { serveCardProcessor } from "./card-processor/serve-card-processor.ts";
import { serveFinancingProvider } from "./financing-provider/serve-financing-provider.ts";
import { serveIdentityRegistry } from "./identity-registry/serve-identity-registry.ts";
import { serveInsurer } from "./insurer/serve-insurer.ts";
import { serveMessenger } from "./messenger/serve-messenger.ts";
import { serveTaxDocuments } from "./tax-documents/serve-tax-documents.ts";

export interface ConnectorAppDependencies extends Omit<Gateways, "close"> {
  readonly logger: Logger;
  /** The token with which the service authenticates. */
  readonly connectorToken: string;
}

/** Serves the sandbox's gateways in the connector protocol. */
export function createConnectorApp({ connectorToken, logger, ...parties }: ConnectorAppDependencies): express.Express {
  const service = createConnectorService({ token: connectorToken });
  serveCardProcessor(service, parties.cardProcessor);
  serveFinancingProvider(service, parties.financingProvider);
  serveIdentityRegistry(service, parties.identityRegistry);
  serveInsurer(service, parties.insurer);
  serveBank(service, parties.bank);
  serveTaxDocuments(service, parties.taxDocuments);
  serveMessenger(service, parties.messenger);
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.use(service.router);
  app.use((_request, response) => void response.status(404).json({ code: "not_found" }));
  app.use(failWith(logger));
  return app;
}
