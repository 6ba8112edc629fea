import type { RequestListener } from "node:http";
import { openSandbox } from "../../sandbox/open-sandbox.ts";
import { type Context, createContext } from "../../src/app/compose.ts";
import type { Config } from "../../src/app/config.ts";
import { createFaceApps } from "../../src/app/server.ts";
import type { FileStorage } from "../../src/gateways/file-storage.ts";
import type { Gateways } from "../../src/gateways/gateways.ts";
import type { Clock } from "../../src/platform/clock.ts";
import type { OpenDatabase } from "../../src/platform/database/database.ts";
import type { Database } from "../../src/platform/database/transaction.ts";
import { seededIds } from "../../src/platform/ids.ts";
import type { Keyring } from "../../src/platform/keyring.ts";
import type { Logger } from "../../src/platform/logger.ts";
import { type InjectedAnswer, type InjectedRequest, inject } from "./inject.ts";
import { openInstanceDatabase, type Tamper } from "./instance-database.ts";
import { createInstanceLife, type InstanceLife } from "./instance-life.ts";
import { type SlowCalls, type TamperCall, watchGateways } from "./instance-parties.ts";
import { NEVER_MS } from "./never.ts";
import { fetchReceivers, type PartnerReceiver } from "./partner-receivers.ts";
import type { Stage } from "./stage.ts";
import { countTroubles } from "./trouble.ts";

/** A bug that is planted into a world's instances, never into the product. */
export interface Tampering {
  readonly statement?: (life: InstanceLife) => Tamper;
  readonly call?: () => TamperCall;
  /** Between the delivery worker and the receivers. */
  readonly body?: (body: string) => string;
}

/** The state that all instances of a world share. */
export interface Surroundings {
  readonly stage: Stage;
  readonly seed: string;
  readonly config: Config;
  readonly database: OpenDatabase;
  readonly parties: Gateways;
  readonly receivers: readonly PartnerReceiver[];
  readonly keyring: Keyring;
  readonly files: FileStorage;
  readonly slow: SlowCalls;
  readonly tampering: Tampering;
  /** Called with every failure that a process would log. */
  readonly onFailure: (instance: string, event: string, error: unknown) => void;
}

/** A process of ours: the real context over the shared database, reached through its real routers. */
export interface Instance {
  readonly life: InstanceLife;
  /** The offset of its machine's clock. */
  skewMs: number;
  /** Null if it died before it answered. */
  ask(face: "order" | "spot", request: InjectedRequest): Promise<InjectedAnswer | null>;
  /** Runs an operator's command on this machine. Returns as `runDue` does. */
  command(run: (parts: Pick<Context, "clock" | "ids"> & { readonly db: Database }) => Promise<void>): Promise<void>;
  /** Runs due work. Returns also when the instance dies from it, or its database is unavailable. */
  runDue(): Promise<void>;
}

export function startInstance(around: Surroundings, number: number, generation: number): Instance {
  const { stage, tampering } = around;
  const life = createInstanceLife(`i${number}.${generation}`, stage, countTroubles([]));
  const skew = { milliseconds: 0 };
  const clock: Clock = { now: () => new Date(stage.clock.now().getTime() + skew.milliseconds) };
  const database = openInstanceDatabase(around.database, life, tampering.statement?.(life) ?? null);
  const ids = seededIds(`${around.seed}:${number}:${generation}`);
  const logger = failureLogger((event, error) => around.onFailure(life.name, event, error));
  const context = createContext({
    ...around,
    database,
    parties: watchGateways(around.parties, life, around.slow, tampering.call?.() ?? null),
    webhookFetch: receiversOf(around, life),
    clock,
    ids,
    pause: () => stage.jitter(),
    renewTimersEveryMs: NEVER_MS,
    logger,
    sandbox: openSandbox({ ...around, db: database.db, clock, ids, logger, connectorUrl: "http://sandbox.test" }),
    widget: null,
  });
  const apps = createFaceApps(context);
  void life.death.then(() => forget(context));
  return {
    life,
    get skewMs() {
      return skew.milliseconds;
    },
    set skewMs(milliseconds) {
      skew.milliseconds = milliseconds;
    },
    ask(face, request) {
      const app: RequestListener | undefined = apps.get(face);
      if (app === undefined) throw new Error("An instance serves both APIs.");
      return Promise.race([inject(app, request), life.death.then(() => null)]);
    },
    async command(run) {
      const { clock, ids, database } = context;
      await Promise.race([
        run({ clock, ids, db: database.db }).catch((error: unknown) => around.onFailure(life.name, "command", error)),
        life.death,
      ]);
    },
    async runDue() {
      await Promise.race([
        context.runDue().catch((error: unknown) => around.onFailure(life.name, "run_due", error)),
        life.death,
      ]);
    },
  };
}

function receiversOf({ receivers, slow, tampering }: Surroundings, life: InstanceLife) {
  const real = fetchReceivers(receivers, life, slow);
  const { body: change } = tampering;
  if (change === undefined) return real;
  return {
    ...real,
    fetch: (request: Parameters<typeof real.fetch>[0]) =>
      real.fetch({ ...request, body: change(Buffer.from(request.body ?? "").toString()) }),
  };
}

/** Stops the intervals of a dead instance. Its pending promises never settle. */
function forget(context: Context): void {
  void context.stop().catch(() => undefined);
}

function failureLogger(onFailure: (event: string, error: unknown) => void): Logger {
  const logger: Logger = {
    debug: () => undefined,
    info: () => undefined,
    warn: (event, fields) => {
      if (fields?.error !== undefined) onFailure(event, fields.error);
    },
    error: (event, fields) => onFailure(event, fields?.error),
    child: () => logger,
  };
  return logger;
}
