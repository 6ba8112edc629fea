import { SANDBOX_COMMISSION_TAX } from "../../sandbox/commission-tax.ts";
import { createSandboxGateways } from "../../sandbox/sandbox-gateways.ts";
import { readConfig } from "../../src/app/config.ts";
import { resolveException } from "../../src/back-office/exceptions/resolve-exception.ts";
import { listExceptions } from "../../src/back-office/list-exceptions.ts";
import { consentTexts } from "../../src/patients/consent-texts.ts";
import { movableClock } from "../../src/platform/clock.ts";
import type { OpenDatabase } from "../../src/platform/database/database.ts";
import { seededIds, systemIds } from "../../src/platform/ids.ts";
import { createKeyring } from "../../src/platform/keyring.ts";
import type { Provider } from "../../src/platform/provider.ts";
import { setLenderAccount, setPayoutTerms } from "../../src/settlement/payout-terms.ts";
import { createProvider } from "../../src/tenants/manage-provider.ts";
import { emptyTables, openTestDatabase } from "../../test/database.ts";
import { memoryStorage } from "../../test/http/spot/memory-storage.ts";
import type { CredentialValues } from "../../test/test-client.ts";
import { noteTransitions } from "./coverage.ts";
import type { RemovedCard, ShownToPatient } from "./facts.ts";
import type { InjectedAnswer } from "./inject.ts";
import { type Instance, type Surroundings, startInstance, type Tampering } from "./instance.ts";
import { createSlowCalls } from "./instance-parties.ts";
import { type CenterAccount, INSTANCES, type LifePlan } from "./life-plan.ts";
import { noteHistory } from "./moment.ts";
import { NEVER_MS } from "./never.ts";
import { createReceiver, type PartnerReceiver } from "./partner-receivers.ts";
import { jsonRequest } from "./requests.ts";
import { LENDER_ACCOUNT } from "./settlement-invariants.ts";
import { createStage } from "./stage.ts";

/** The parts of one version's code that a world needs. */
export interface Version {
  readonly readConfig: typeof readConfig;
  readonly createKeyring: typeof createKeyring;
  readonly createSandboxGateways: typeof createSandboxGateways;
  readonly startInstance: typeof startInstance;
  readonly makePartner: typeof makePartner;
  readonly listExceptions: typeof listExceptions;
  readonly resolveException: typeof resolveException;
}

/** The database on which lives are played one after the other, and the state that is passed from one to the next. */
export interface Ground {
  readonly database: OpenDatabase;
  /**
   * The version on which lives begin, whose schema the database has at first (`version-before.ts`); null for this
   * version.
   */
  readonly before?: Beginning;
  /** Empties every table that a life has written to. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

export interface Beginning {
  readonly version: Version;
  /** Whether a migration requires stopping every process of that version. */
  readonly mustStop: boolean;
  /** Applies this version's migrations. Afterwards `database` is the one that its processes open. */
  migrate(): Promise<void>;
}

const ENVIRONMENT = {
  LOG_LEVEL: "silent",
  FACES: "order,spot",
  ORDER_API_PORT: "0",
  SPOT_API_PORT: "0",
} as const;

/** Data that a life needs and does not change. */
const KEPT_TABLES = ["sandbox_sealing_keys"];

/**
 * Settings under which plans depend only on the life: a life's cached plans are dropped with the tables' contents. The
 * other settings disable work for durability and monitoring, which takes a fifth of a short statement's time.
 */
const SETTINGS = `
  set plan_cache_mode = force_generic_plan;
  set synchronous_commit = off;
  set track_counts = off;
  set track_activities = off`;

/** PostgreSQL in this process, in memory, migrated. */
export async function openGround(): Promise<Ground> {
  const database = await openTestDatabase({ connectTimeoutMs: NEVER_MS, maintenanceIntervalMs: NEVER_MS });
  await database.withSession((session) => session.script(SETTINGS));
  await makeSealingKeys(database, THIS_VERSION);
  await noteTransitions(database);
  await noteHistory(database);
  return { database, clear: () => emptyTables(database, KEPT_TABLES), close: () => database.close() };
}

/** The parties' keys. Lives share them, because creating them takes long. */
export async function makeSealingKeys(
  { db }: OpenDatabase,
  version: Pick<Version, "createSandboxGateways">,
): Promise<void> {
  const parties = version.createSandboxGateways({
    db,
    ids: systemIds,
    clock: movableClock(new Date("2026-01-01T00:00:00Z")),
    challengeOrigin: "https://bank.test",
    kill: () => undefined,
  });
  await parties.cardProcessor.sealingKey();
  await parties.insurer.sealingKey();
}

/** One of a meta-provider's centres. */
export interface PartnerCenter {
  readonly rut: string;
  /** The first digits of the last part of its account numbers. */
  readonly accountsBegin: string;
  /** The number of accounts that it has registered so far. */
  createdAccounts: number;
}

export interface Partner {
  readonly provider: Provider;
  readonly credentials: CredentialValues;
  readonly receiver: PartnerReceiver;
  endpointId: string;
  readonly centers: readonly PartnerCenter[];
}

/** Requests of patients that allow acknowledged data to disappear. */
export interface Wishes {
  /** Beneficiaries whose erasure was requested, even if the answer was lost. */
  readonly erased: Set<string>;
  /** The orders whose patients asked to save the card. */
  readonly keepingCards: Set<string>;
  /** Saved cards whose removal was confirmed. */
  readonly removedCards: RemovedCard[];
  readonly shownCharges: ShownToPatient[];
}

export interface World extends Surroundings {
  readonly partners: readonly Partner[];
  readonly instances: Instance[];
  readonly wishes: Wishes;
  /** The names of the files that the storage holds. */
  stored(): readonly string[];
  /** The version that the process runs. */
  versionOf(instance: Instance): Version;
  /**
   * Whether the process runs the previous version. Without a process: whether the database still has its schema, which
   * this version cannot read.
   */
  isOfBefore(instance?: Instance): boolean;
  /** When the last process of the previous version was replaced; null if there was none. */
  readonly replacedAt: Date | null;
  /** Replaces a dead process by a new one. */
  restart(number: number): void;
  /** Whether a migration of the deploy requires stopping every old process. */
  readonly mustStop: boolean;
  /** Starts a deploy: migrates, if the life began on the previous version. */
  migrate(): Promise<void>;
  /** Ends a process and puts one of this version in its place. */
  replace(number: number): void;
}

export interface Failure {
  readonly instance: string;
  readonly event: string;
  readonly error: unknown;
  /** Whether the process runs the previous version. */
  readonly isOfBefore: boolean;
}

/** Sets up a life, before its first step. */
export async function openWorld(
  ground: Ground,
  plan: LifePlan,
  { tampering = {}, onFailure }: { readonly tampering?: Tampering; readonly onFailure: (failure: Failure) => void },
): Promise<World> {
  await ground.clear();
  const seed = String(plan.seed);
  const stage = createStage(seed);
  const partyIds = seededIds(`${seed}:parties`);
  const files = memoryStorage();
  const shared = {
    stage,
    seed,
    receivers: plan.providers.map((_, number) => createReceiver(number)),
    files,
    slow: createSlowCalls(),
    tampering,
  };
  const surround = (version: Version): { readonly version: Version; readonly around: Surroundings } => {
    const { database } = ground;
    const parties = version.createSandboxGateways({
      db: database.db,
      ids: partyIds,
      clock: stage.clock,
      challengeOrigin: "https://bank.test",
      kill: () => undefined,
      memory: plan.memory,
    });
    const isOfBefore = version !== THIS_VERSION;
    const around: Surroundings = {
      ...shared,
      onFailure: (instance, event, error) => onFailure({ instance, event, error, isOfBefore }),
      config: { ...version.readConfig(ENVIRONMENT), paymentAnswerWithinMs: NEVER_MS },
      database,
      parties: { ...parties, close: async () => undefined },
      keyring: version.createKeyring({ keys: [{ id: "sim", secret: Buffer.alloc(32, 1) }], environment: "staging" }),
    };
    return { version, around };
  };
  const first = surround(ground.before?.version ?? THIS_VERSION);
  let newest = first;
  const runs = Array.from({ length: INSTANCES }, () => ({ of: first, generation: 0 }));
  const instances = runs.map((_, number) => first.version.startInstance(first.around, number, 0));
  const start = (number: number, of: typeof first) => {
    const generation = (runs[number]?.generation ?? 0) + 1;
    runs[number] = { of, generation };
    instances[number] = of.version.startInstance(of.around, number, generation);
  };
  const versionOf = (instance?: Instance) => {
    const run = instance === undefined ? undefined : runs[instances.indexOf(instance)];
    return (run?.of ?? newest).version;
  };
  let replacedAt: Date | null = null;
  const partners: Partner[] = [];
  for (const [number, settings] of plan.providers.entries())
    partners.push(await first.version.makePartner(first.around, instances, number, settings));
  return {
    ...first.around,
    get database() {
      return newest.around.database;
    },
    get parties() {
      return newest.around.parties;
    },
    partners,
    instances,
    wishes: { erased: new Set(), keepingCards: new Set(), removedCards: [], shownCharges: [] },
    stored: () => [...files.files.keys()],
    versionOf,
    isOfBefore: (instance) => versionOf(instance) !== THIS_VERSION,
    get replacedAt() {
      return replacedAt;
    },
    mustStop: ground.before?.mustStop ?? false,
    restart: (number) => start(number, runs[number]?.of ?? newest),
    async migrate() {
      await ground.before?.migrate();
      newest = surround(THIS_VERSION);
    },
    replace(number) {
      replacedAt = stage.clock.now();
      instances[number]?.life.die();
      start(number, newest);
    },
  };
}

export async function makePartner(
  around: Surroundings,
  [instance]: readonly Instance[],
  number: number,
  { centers, feePercentage, ...settings }: LifePlan["providers"][number],
): Promise<Partner> {
  const { stage, database, keyring, receivers, seed } = around;
  const ids = seededIds(`${seed}:partner:${number}`);
  const making = { db: database.db, clock: stage.clock, ids, keyring };
  const { provider, credentials } = await createProvider(
    { ...making, environment: "staging", actor: "simulation" },
    {
      meta: centers.length > 0,
      name: `Clínica ${number}`,
      rut: number === 0 ? "76.900.001-1" : "76.901.112-9",
      commissionPercentage: 7,
      commissionTax: number === 0 ? SANDBOX_COMMISSION_TAX : { regime: "interest" },
      supportEmail: "pagos@clinica.example.com",
      origins: ["https://clinica.example.com"],
      ...settings,
    },
  );
  const secretOf = (kind: string) => credentials.find((one) => one.kind === kind)?.value ?? "";
  const receiver = receivers[number];
  if (receiver === undefined || instance === undefined) throw new Error("Each partner has a receiver.");
  const values: CredentialValues = {
    client_secret: secretOf("client_secret"),
    client_id: secretOf("client_id"),
    public_key: secretOf("public_key"),
    webhook_secret: secretOf("webhook_secret"),
    secret_key: secretOf("secret_key"),
  };
  const answer = await instance.ask("spot", {
    method: "POST",
    url: `/api/webhook_endpoints?public_key=${values.public_key}`,
    headers: { "x-secret-key": values.secret_key, "content-type": "application/json" },
    body: Buffer.from(JSON.stringify({ url: receiver.url })),
  });
  if (answer?.status !== 201) throw new Error(`The partner's endpoint was answered ${answer?.status}.`);
  const actor = "operator:simulation";
  const fee = { percentage: feePercentage, regime: "taxed_service" } as const;
  await setPayoutTerms(making, { providerId: provider.id, fee, bankAccount: null, actor });
  await setLenderAccount(making, { providerId: provider.id, bankAccount: LENDER_ACCOUNT, actor });
  const partner: Partner = {
    provider,
    credentials: values,
    receiver,
    endpointId: answer.body.id,
    centers: CENTER_RUTS.slice(0, centers.length).map((rut, center) => ({
      rut,
      accountsBegin: `${number + 1}${center + 1}`,
      createdAccounts: 0,
    })),
  };
  for (const [center, account] of centers.entries()) {
    const known = await registerCenter(instance, partner, center, account);
    if (known?.status !== 200) throw new Error(`The partner's centre was answered ${known?.status}.`);
  }
  return partner;
}

export const THIS_VERSION: Version = {
  readConfig,
  createKeyring,
  createSandboxGateways,
  startInstance,
  makePartner,
  listExceptions,
  resolveException,
};

const CENTER_RUTS = ["76.902.223-6", "76.903.334-3"] as const;
/** Refused according to the sandbox's catalogue. */
const REFUSED_ACCOUNT = "1000000002";

/** A meta-provider registers a centre, or another account of it. */
export async function registerCenter(
  instance: Instance,
  { credentials, centers }: Partner,
  number: number,
  account: CenterAccount,
): Promise<InjectedAnswer | null> {
  const center = centers[number];
  if (center === undefined) return null;
  const { rut, accountsBegin } = center;
  if (account === "there") center.createdAccounts += 1;
  const known = String(center.createdAccounts % 100).padStart(2, "0");
  const account_number = account === "there" ? `550${accountsBegin}${known}` : REFUSED_ACCOUNT;
  const bank_account = {
    bank: "Banco de Prueba",
    account_type: "checking",
    account_number,
    holder_name: `Centro ${accountsBegin}`,
    holder_rut: rut,
  };
  const named = { rut, name: `Centro ${accountsBegin}`, email: "centro@clinica.example.com" };
  return instance.ask(
    "spot",
    jsonRequest("POST", `/api/spot/sacmed/centers?public_key=${credentials.public_key}`, {
      headers: { "x-secret-key": credentials.secret_key },
      body: { centers: [{ ...named, ...(account !== "none" && { bank_account }) }] },
    }),
  );
}

/** A patient's consents to all texts of a step. */
export function consentsTo(step: "payment" | "onboarding" | "card") {
  return consentTexts("es-CL", step).map(({ purpose, text_version, text_sha256 }) => ({
    purpose,
    text_version,
    text_sha256,
  }));
}
