import type { Bank } from "../gateways/bank/port.ts";
import { createSandboxBank } from "../gateways/bank/sandbox.ts";
import type { CardProcessor } from "../gateways/card-processor/port.ts";
import { createSandboxCardProcessor } from "../gateways/card-processor/sandbox.ts";
import type { FinancingProvider } from "../gateways/financing-provider/port.ts";
import { createSandboxFinancingProvider } from "../gateways/financing-provider/sandbox.ts";
import type { IdentityRegistry } from "../gateways/identity-registry/port.ts";
import { createSandboxIdentityRegistry } from "../gateways/identity-registry/sandbox.ts";
import type { InsurerConnector } from "../gateways/insurer/port.ts";
import { createSandboxInsurer } from "../gateways/insurer/sandbox.ts";
import type { Messenger } from "../gateways/messenger/port.ts";
import { createSandboxMessenger } from "../gateways/messenger/sandbox.ts";
import { createSealingKeys, type SealingKeys } from "../gateways/sandbox-gateway/sealing-keys.ts";
import type { Clock } from "../platform/clock.ts";
import type { Database } from "../platform/database/transaction.ts";
import type { Ids } from "../platform/ids.ts";
import { providerNow } from "../platform/provider.ts";
import { findProvider } from "../tenants/provider-reads.ts";
import {
  accountRefusal,
  addressBehaviour,
  catalogueCard,
  creditBehaviour,
  insurerBehaviour,
  numberBehaviour,
  serialBehaviour,
} from "./catalogue.ts";

/** The name that the sandbox's patients are shown for who lends to them. */
const SANDBOX_FINANCING_PROVIDER_NAME = "Financiera de Prueba SpA";

export interface SandboxGatewaysDependencies {
  readonly db: Database;
  readonly ids: Ids;
  /** Real time: it decides when the bank's page closes. */
  readonly clock: Clock;
  /** Where `createSandboxGatewaysApp` is reached, without a slash at the end. */
  readonly challengeOrigin: string;
  /** Ends our own process at once (`SIGKILL`), for the fault `kill_after`. */
  readonly kill: () => void;
}

export interface SandboxGateways {
  readonly cardProcessor: CardProcessor;
  readonly financingProvider: FinancingProvider;
  readonly identityRegistry: IdentityRegistry;
  readonly insurer: InsurerConnector;
  readonly messenger: Messenger;
  readonly bank: Bank;
  /** The parties' key pairs, to be rotated. */
  readonly cardSealingKeys: SealingKeys;
  readonly insurerSealingKeys: SealingKeys;
}

/** All outside parties of the sandbox, behaving as the catalogue says. */
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
    bank: createSandboxBank({ ...dependencies, accountRefusal }),
    cardSealingKeys,
    insurerSealingKeys,
  };
}

/** Now, in a provider's own time; real time for a provider that there is not. */
async function nowOf({ db, clock }: SandboxGatewaysDependencies, providerId: string): Promise<Date> {
  const provider = await findProvider(db, providerId);
  return provider === null ? clock.now() : providerNow(provider, clock.now());
}
