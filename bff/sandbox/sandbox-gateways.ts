import type { Bank } from "../src/gateways/bank.ts";
import type { CardProcessor } from "../src/gateways/card-processor.ts";
import type { FinancingProvider } from "../src/gateways/financing-provider.ts";
import type { IdentityRegistry } from "../src/gateways/identity-registry.ts";
import type { InsurerConnector } from "../src/gateways/insurer.ts";
import type { Messenger } from "../src/gateways/messenger.ts";
import type { TaxDocuments } from "../src/gateways/tax-documents.ts";
import type { Clock } from "../src/platform/clock.ts";
import type { Database } from "../src/platform/database/transaction.ts";
import type { Ids } from "../src/platform/ids.ts";
import { providerNow } from "../src/platform/provider.ts";
import { findProvider } from "../src/tenants/providers.ts";
import { createSandboxBank } from "./bank/bank.ts";
import type { PartyMemory } from "./calls/sandbox-call.ts";
import { createSandboxCardProcessor } from "./card-processor/card-processor.ts";
import {
  accountBehaviour,
  addressBehaviour,
  catalogueCard,
  creditBehaviour,
  documentRefusedDays,
  insurerBehaviour,
  numberBehaviour,
  serialBehaviour,
} from "./catalogue.ts";
import { createSandboxFinancingProvider } from "./financing-provider/financing-provider.ts";
import { createSandboxIdentityRegistry } from "./identity-registry/identity-registry.ts";
import { createSandboxInsurer } from "./insurer/insurer.ts";
import { createSandboxMessenger } from "./messenger/messenger.ts";
import { createSealingKeys, type SealingKeys } from "./sealing/sealing-keys.ts";
import { createSandboxTaxDocuments } from "./tax-documents/tax-documents.ts";

/** The name of the lender that the sandbox's patients see. */
const SANDBOX_FINANCING_PROVIDER_NAME = "Financiera de Prueba SpA";

export interface SandboxGatewaysDependencies {
  readonly db: Database;
  readonly ids: Ids;
  /** Real time, which decides when the bank's page expires. */
  readonly clock: Clock;
  /** The address of `createPagesApp`, without a slash at the end. */
  readonly challengeOrigin: string;
  /** Kills this process at once (`SIGKILL`), for the fault `kill_after`. */
  readonly kill: () => void;
  /** How long all gateways remember calls. */
  readonly memory?: PartyMemory | undefined;
}

export interface SandboxGateways {
  readonly cardProcessor: CardProcessor;
  readonly financingProvider: FinancingProvider;
  readonly identityRegistry: IdentityRegistry;
  readonly insurer: InsurerConnector;
  readonly messenger: Messenger;
  readonly bank: Bank;
  readonly taxDocuments: TaxDocuments;
  /** The gateways' key pairs, which tests can rotate. */
  readonly cardSealingKeys: SealingKeys;
  readonly insurerSealingKeys: SealingKeys;
}

/** All gateways of the sandbox, which behave as the catalogue specifies. */
export function createSandboxGateways(dependencies: SandboxGatewaysDependencies): SandboxGateways {
  const cardSealingKeys = createSealingKeys("card-processor", dependencies);
  const insurerSealingKeys = createSealingKeys("insurer", dependencies);
  return {
    cardProcessor: createSandboxCardProcessor({
      ...dependencies,
      sealingKeys: cardSealingKeys,
      magicCard: catalogueCard,
    }),
    financingProvider: createSandboxFinancingProvider({
      ...dependencies,
      name: SANDBOX_FINANCING_PROVIDER_NAME,
      creditBehaviour,
    }),
    identityRegistry: createSandboxIdentityRegistry({ ...dependencies, serialBehaviour }),
    insurer: createSandboxInsurer({ ...dependencies, sealingKeys: insurerSealingKeys, insurerBehaviour }),
    messenger: createSandboxMessenger({
      ...dependencies,
      addressBehaviour,
      numberBehaviour,
      providerNow: (providerId) => nowOf(dependencies, providerId),
    }),
    bank: createSandboxBank({ ...dependencies, accountBehaviour }),
    taxDocuments: createSandboxTaxDocuments({ ...dependencies, documentRefusedDays }),
    cardSealingKeys,
    insurerSealingKeys,
  };
}

/** The current time of a provider; real time if the provider does not exist. */
async function nowOf({ db, clock }: SandboxGatewaysDependencies, providerId: string): Promise<Date> {
  const provider = await findProvider(db, providerId);
  return provider === null ? clock.now() : providerNow(provider, clock.now());
}
