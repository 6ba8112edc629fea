// biome-ignore-start lint/performance/noBarrelFile: this is the public entry of the package, not a shortcut inside it.
// biome-ignore-start lint/performance/noReExportAll: a port is all types of its file.
export { sql } from "kysely";
export * as z from "zod/mini";
export { type ConnectorService, createConnectorApp } from "../../../connectors/kit/connector-service.ts";
export {
  createKeptCalls,
  type Decision,
  type KeptCalls,
  type KeptOperation,
  localOperation,
  NOT_FOUND,
  UNKNOWN,
} from "../../../connectors/kit/kept-calls.ts";
export {
  createPartyClient,
  type PartyAnswer,
  type PartyClient,
  type PartyClientConfig,
  type PartyRequest,
  PartyUnanswered,
} from "../../../connectors/kit/party-client.ts";
export { inProviderTime } from "../../../connectors/kit/provider-time.ts";
export {
  type ConnectorToRun,
  type OpenConnector,
  type RunningConnector,
  runConnector,
  startConnector,
} from "../../../connectors/kit/run-connector.ts";
export { serveBank } from "../../../connectors/kit/serve/serve-bank.ts";
export { serveCardProcessor } from "../../../connectors/kit/serve/serve-card-processor.ts";
export { serveFinancingProvider } from "../../../connectors/kit/serve/serve-financing-provider.ts";
export { serveIdentityRegistry } from "../../../connectors/kit/serve/serve-identity-registry.ts";
export { serveInsurer } from "../../../connectors/kit/serve/serve-insurer.ts";
export { serveMessenger } from "../../../connectors/kit/serve/serve-messenger.ts";
export { serveTaxDocuments } from "../../../connectors/kit/serve/serve-tax-documents.ts";
export { readSettings, SettingsInvalid } from "../../../connectors/kit/settings.ts";
export { transferIdOf } from "../../../connectors/kit/transfer-id.ts";
export { type Clp, clpSchema } from "../../../src/contract/vocabulary/clp.ts";
export type { Bank, BankTransfer, TransferOutcome } from "../../../src/gateways/bank.ts";
export type * from "../../../src/gateways/card-processor.ts";
export type * from "../../../src/gateways/financing-provider.ts";
export {
  type GatewayCall,
  GatewayUnavailable,
  type NotFound,
  type Unknown,
} from "../../../src/gateways/gateway-call.ts";
export type * from "../../../src/gateways/identity-registry.ts";
export type * from "../../../src/gateways/insurer.ts";
export type * from "../../../src/gateways/messenger.ts";
export { bankProtocol } from "../../../src/gateways/protocols/bank.ts";
export { cardProcessorProtocol } from "../../../src/gateways/protocols/card-processor.ts";
export { financingProviderProtocol } from "../../../src/gateways/protocols/financing-provider.ts";
export { identityRegistryProtocol } from "../../../src/gateways/protocols/identity-registry.ts";
export { insurerProtocol } from "../../../src/gateways/protocols/insurer.ts";
export { messengerProtocol } from "../../../src/gateways/protocols/messenger.ts";
export { taxDocumentsProtocol } from "../../../src/gateways/protocols/tax-documents.ts";
export type * from "../../../src/gateways/tax-documents.ts";
export { type Clock, systemClock } from "../../../src/platform/clock.ts";
export { type Database, inTransaction, type Transaction } from "../../../src/platform/database/transaction.ts";
export { createLogger, type Logger } from "../../../src/platform/logger.ts";
// biome-ignore-end lint/performance/noReExportAll: a port is all types of its file.
// biome-ignore-end lint/performance/noBarrelFile: this is the public entry of the package, not a shortcut inside it.
