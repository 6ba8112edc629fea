import type { Bank } from "./bank.ts";
import type { CardProcessor } from "./card-processor.ts";
import type { FinancingProvider } from "./financing-provider.ts";
import type { CallConnectors } from "./gateway-call.ts";
import type { IdentityRegistry } from "./identity-registry.ts";
import type { InsurerConnector } from "./insurer.ts";
import type { Messenger } from "./messenger.ts";
import type { TaxDocuments } from "./tax-documents.ts";

/*
 * The gateways: one port per outside service in the service's own terms, its adapters, and `runCall` for calls that
 * must happen exactly once.
 */

/** All gateways to outside companies and authorities. */
export interface Gateways {
  readonly cardProcessor: CardProcessor;
  readonly financingProvider: FinancingProvider;
  readonly identityRegistry: IdentityRegistry;
  readonly insurer: InsurerConnector;
  readonly messenger: Messenger;
  readonly bank: Bank;
  readonly taxDocuments: TaxDocuments;
  close(): Promise<void>;
}

/** All gateways, with the names of the connectors that attempts record. */
export interface NamedGateways extends Gateways {
  readonly connectors: CallConnectors;
}
