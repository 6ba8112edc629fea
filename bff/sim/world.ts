import { readConfig } from "../src/config.ts";
import { consentTexts } from "../src/consents/consent-texts.ts";
import { movableClock } from "../src/platform/clock.ts";
import type { OpenDatabase } from "../src/platform/database/database.ts";
import { seededIds, systemIds } from "../src/platform/ids.ts";
import { createKeyring } from "../src/platform/keyring.ts";
import { createProvider } from "../src/providers/create-provider.ts";
import type { Provider } from "../src/providers/provider.ts";
import { createSandboxParties } from "../src/sandbox/sandbox-parties.ts";
import { openTestDatabase } from "../test/database.ts";
import { memoryStorage } from "../test/http/spot/memory-storage.ts";
import type { CredentialValues } from "../test/test-client.ts";
import { type Instance, type Surroundings, startInstance, type Tampering } from "./instance.ts";
import { createSlowCalls } from "./instance-parties.ts";
import { INSTANCES, type LifePlan } from "./life-plan.ts";
import { createReceiver, type PartnerReceiver } from "./partner-receivers.ts";
import { createStage } from "./stage.ts";

/** The database in which lives are played, one after the other, and what can be kept from one to the next. */
export interface Ground {
  readonly database: OpenDatabase;
  /** Empties every table that a life has written to. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

const ENVIRONMENT = {
  LOG_LEVEL: "silent",
  FACES: "order,spot",
  ORDER_API_PORT: "0",
  SPOT_API_PORT: "0",
  // In real time, of which a life takes a second: whether an answer is late is for the simulation to say.
  PAYMENT_ANSWER_WITHIN_SECONDS: "30",
} as const;

/** What a life needs and does not change. */
const KEPT_TABLES = ["schema_migrations", "sandbox_sealing_keys"];

/** PostgreSQL in this process, in memory, migrated. */
export async function openGround(): Promise<Ground> {
  const database = await openTestDatabase();
  // Plans that depend on the life alone: a plan of an earlier life is dropped with the tables' contents.
  await database.withSession((session) => session.script("set plan_cache_mode = force_generic_plan"));
  const parties = createSandboxParties({
    db: database.db,
    ids: systemIds,
    clock: movableClock(new Date("2026-01-01T00:00:00Z")),
    challengeOrigin: "https://bank.test",
    kill: () => undefined,
  });
  await parties.cardProcessor.sealingKey();
  await parties.insurer.sealingKey();
  return { database, clear: () => clear(database), close: () => database.close() };
}

async function clear(database: OpenDatabase): Promise<void> {
  await database.withSession(async (session) => {
    const { rows } = await session.query(
      "select relname from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace and pg_relation_size(oid) > 0 and relname <> all($1)",
      [KEPT_TABLES],
    );
    if (rows.length > 0) await session.script(`truncate ${rows.map(({ relname }) => relname).join(", ")} cascade`);
  });
}

export interface Partner {
  readonly provider: Provider;
  readonly credentials: CredentialValues;
  readonly receiver: PartnerReceiver;
  endpointId: string;
}

export interface World extends Surroundings {
  readonly partners: readonly Partner[];
  readonly instances: Instance[];
  /** Puts a new process in the place of a dead one. */
  restart(number: number): void;
}

export interface Failure {
  readonly instance: string;
  readonly event: string;
  readonly error: unknown;
}

/** Everything of one life before its first step. */
export async function openWorld(
  ground: Ground,
  plan: LifePlan,
  { tampering = {}, onFailure }: { readonly tampering?: Tampering; readonly onFailure: (failure: Failure) => void },
): Promise<World> {
  await ground.clear();
  const seed = String(plan.seed);
  const stage = createStage(seed);
  const { database } = ground;
  const config = readConfig(ENVIRONMENT);
  const parties = createSandboxParties({
    db: database.db,
    ids: seededIds(`${seed}:parties`),
    clock: stage.clock,
    challengeOrigin: "https://bank.test",
    kill: () => undefined,
  });
  const receivers = plan.providers.map((_, number) => createReceiver(number));
  const around: Surroundings = {
    stage,
    seed,
    config,
    database,
    parties: { ...parties, close: async () => undefined },
    receivers,
    keyring: createKeyring({ keys: [{ id: "sim", secret: Buffer.alloc(32, 1) }], environment: "staging" }),
    files: memoryStorage(),
    slow: createSlowCalls(),
    tampering,
    onFailure: (instance, event, error) => onFailure({ instance, event, error }),
  };
  const generations = Array.from({ length: INSTANCES }, () => 0);
  const instances = generations.map((_, number) => startInstance(around, number, 0));
  const partners: Partner[] = [];
  for (const [number, settings] of plan.providers.entries())
    partners.push(await makePartner(around, instances, number, settings));
  return {
    ...around,
    partners,
    instances,
    restart(number) {
      generations[number] = (generations[number] ?? 0) + 1;
      instances[number] = startInstance(around, number, generations[number] ?? 0);
    },
  };
}

async function makePartner(
  around: Surroundings,
  [instance]: readonly Instance[],
  number: number,
  settings: LifePlan["providers"][number],
): Promise<Partner> {
  const { stage, database, keyring, receivers, seed } = around;
  const { provider, credentials } = await createProvider(
    {
      db: database.db,
      clock: stage.clock,
      ids: seededIds(`${seed}:partner:${number}`),
      keyring,
      environment: "staging",
      actor: "simulation",
    },
    {
      name: `Clínica ${number}`,
      rut: number === 0 ? "76.900.001-1" : "76.901.112-9",
      commissionPercentage: 7,
      supportEmail: "pagos@clinica.example.com",
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
  return { provider, credentials: values, receiver, endpointId: answer.body.id };
}

/** Consents as a patient gives them to all that is asked at a step. */
export function consentsTo(step: "payment" | "onboarding") {
  return consentTexts("es-CL", step).map(({ purpose, text_version, text_sha256 }) => ({
    purpose,
    text_version,
    text_sha256,
  }));
}
