import { SANDBOX_COMMISSION_TAX } from "../../sandbox/commission-tax.ts";
import { createSandboxGateways } from "../../sandbox/sandbox-gateways.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { type OpenDatabase, openDatabase } from "../../src/platform/database/database.ts";
import { migrate } from "../../src/platform/database/migrate.ts";
import { systemIds } from "../../src/platform/ids.ts";
import type { Keyring } from "../../src/platform/keyring.ts";
import { silentLogger } from "../../src/platform/logger.ts";
import { createProvider } from "../../src/tenants/manage-provider.ts";
import type { CustomerWorld } from "../sim/customer.ts";
import type { PartnerReceiver } from "../sim/partner-receivers.ts";
import { createStage, type Stage } from "../sim/stage.ts";
import type { Partner } from "../sim/world.ts";

/** Two partners. One captures once the credit is authorised, the other captures first. */
const PARTNERS = [
  { name: "Clínica Uno SpA", rut: "76.900.001-1", captureFirst: false },
  { name: "Clínica Dos SpA", rut: "76.901.112-9", captureFirst: true },
] as const;

export interface Ground {
  readonly database: OpenDatabase;
  readonly partners: readonly [Partner, ...Partner[]];
  /** The world that customers of the simulation need, in real time. */
  readonly world: CustomerWorld;
}

/** The service's own database, migrated, with partners. */
export async function prepareGround(
  url: string,
  keyring: Keyring,
  receivers: readonly PartnerReceiver[],
): Promise<Ground> {
  const database = await openDatabase({ url, connectionsMax: 4 }, silentLogger);
  await migrate(database, { clock: systemClock, logger: silentLogger });
  const parties = createSandboxGateways({
    db: database.db,
    ids: systemIds,
    clock: systemClock,
    challengeOrigin: "https://bank.test",
    kill: () => undefined,
  });
  // The parties' public keys do not change, so they are fetched once per database.
  const [cardKey, insurerKey] = [await parties.cardProcessor.sealingKey(), await parties.insurer.sealingKey()];
  const partners: Partner[] = [];
  for (const [number, settings] of PARTNERS.entries()) {
    const receiver = receivers[number];
    if (receiver !== undefined) partners.push(await makePartner(database, keyring, receiver, settings));
  }
  const [first, ...others] = partners;
  if (first === undefined) throw new Error("There is a receiver for each partner.");
  return {
    database,
    partners: [first, ...others],
    world: {
      stage: realStage(),
      wishes: { erased: new Set(), keepingCards: new Set(), removedCards: [], shownCharges: [] },
      database,
      parties: {
        ...parties,
        cardProcessor: { ...parties.cardProcessor, sealingKey: () => Promise.resolve(cardKey) },
        insurer: { ...parties.insurer, sealingKey: () => Promise.resolve(insurerKey) },
        close: () => Promise.resolve(),
      },
    },
  };
}

/** Real time, without coordination between customers. */
function realStage(): Stage {
  const stage = createStage("crash");
  return {
    ...stage,
    clock: { ...stage.clock, now: () => systemClock.now() },
    alone: (run) => run(),
    busy: (run) => run(),
  };
}

async function makePartner(
  database: OpenDatabase,
  keyring: Keyring,
  receiver: PartnerReceiver,
  settings: (typeof PARTNERS)[number],
): Promise<Partner> {
  const { provider, credentials } = await createProvider(
    { db: database.db, clock: systemClock, ids: systemIds, keyring, environment: "staging", actor: "operator:crash" },
    {
      ...settings,
      commissionPercentage: 7,
      commissionTax: SANDBOX_COMMISSION_TAX,
      supportEmail: "pagos@clinica.example.com",
      origins: ["https://clinica.example.com"],
    },
  );
  const secretOf = (kind: string) => credentials.find((one) => one.kind === kind)?.value ?? "";
  return {
    provider,
    credentials: {
      client_secret: secretOf("client_secret"),
      client_id: secretOf("client_id"),
      public_key: secretOf("public_key"),
      webhook_secret: secretOf("webhook_secret"),
      secret_key: secretOf("secret_key"),
    },
    receiver,
    endpointId: "",
    centers: [],
  };
}
