import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { openSandbox } from "../../../sandbox/open-sandbox.ts";
import { createContext } from "../../../src/app/compose.ts";
import { readConfig } from "../../../src/app/config.ts";
import { createFaceApps } from "../../../src/app/server.ts";
import type { OpenDatabase, WriteRefusal } from "../../../src/platform/database/database.ts";
import { DatabaseUnavailable } from "../../../src/platform/database/errors.ts";
import { seededIds } from "../../../src/platform/ids.ts";
import { createKeyring } from "../../../src/platform/keyring.ts";
import { silentLogger } from "../../../src/platform/logger.ts";
import { createMetrics } from "../../../src/platform/metrics.ts";
import { memoryStorage } from "../../../test/http/spot/memory-storage.ts";
import { inject } from "../inject.ts";
import type { Instance, Surroundings } from "../instance.ts";
import { openInstanceDatabase } from "../instance-database.ts";
import { createInstanceLife } from "../instance-life.ts";
import { createSlowCalls } from "../instance-parties.ts";
import { createReceiver, fetchReceivers } from "../partner-receivers.ts";
import { createStage } from "../stage.ts";
import { countTroubles } from "../trouble.ts";
import { makePartner, type Partner, type World } from "../world.ts";

/** The broken parts; an outage sets them. */
export interface Broken {
  /**
   * The party whose connector breaks every connection, or one operation of it (`card-processor/charge`); null for none.
   */
  party: string | null;
  isDatabaseAway: boolean;
  refusesWrites: WriteRefusal | null;
  isReceiverDown: boolean;
  /** No process runs timers and deliveries. */
  isWorkStopped: boolean;
  /** The process does not answer. */
  isProcessGone: boolean;
}

/**
 * One process of the service, which reaches the parties through real connectors, so that their metrics are those of
 * production.
 */
export interface OutageService {
  readonly instance: Instance;
  readonly world: Pick<World, "stage" | "parties" | "database" | "wishes">;
  readonly partner: Partner;
  readonly broken: Broken;
  /** The answer that Prometheus would get, or null. */
  metrics(): Promise<string | null>;
  close(): Promise<void>;
}

const ENVIRONMENT = {
  LOG_LEVEL: "silent",
  FACES: "order,spot",
  ORDER_API_PORT: "0",
  SPOT_API_PORT: "0",
} as const;

export async function startOutageService(database: OpenDatabase, seed: string): Promise<OutageService> {
  const broken: Broken = {
    party: null,
    isDatabaseAway: false,
    refusesWrites: null,
    isReceiverDown: false,
    isWorkStopped: false,
    isProcessGone: false,
  };
  const stage = createStage(seed);
  const { clock } = stage;
  const ids = seededIds(seed);
  const keyring = createKeyring({ keys: [{ id: "sim", secret: Buffer.alloc(32, 1) }], environment: "staging" });
  const read = readConfig(ENVIRONMENT);
  const common = { db: database.db, clock, ids, keyring, logger: silentLogger };
  const connectors = await serveConnectors(broken);
  const sandbox = openSandbox({ ...common, config: read, connectorUrl: connectors.url, kill: () => undefined });
  connectors.serve(sandbox.connectorApp);
  const config = { ...read, parties: { ...sandbox.parties, hasCircuit: true } };
  const life = createInstanceLife("sim", stage, countTroubles([]));
  const receiver = createReceiver(0);
  const receivers = [receiver];
  const files = memoryStorage();
  const line = openInstanceDatabase(database, life, (statement, send) => {
    if (broken.isDatabaseAway) throw new DatabaseUnavailable("The database is away.");
    return send(statement);
  });
  const metrics = createMetrics();
  const context = createContext({
    config,
    database: { ...line, writeRefusal: () => broken.refusesWrites },
    keyring,
    files,
    logger: silentLogger,
    metrics,
    clock,
    ids,
    sandbox,
    widget: null,
    webhookFetch: fetchReceivers(receivers, life, createSlowCalls()),
    pause: async () => undefined,
  });
  const apps = createFaceApps(context);
  const instance: Instance = {
    life,
    skewMs: 0,
    async ask(face, request) {
      receiver.mode = broken.isReceiverDown ? "down" : "up";
      const app = apps.get(face);
      if (app === undefined || broken.isProcessGone) return null;
      return inject(app, request);
    },
    command: async () => undefined,
    async runDue() {
      if (broken.isWorkStopped || broken.isProcessGone) return;
      // While the database is down, the workers try again at the next tick, like at the next poll.
      await context.runDue().catch(() => undefined);
    },
  };
  const around: Surroundings = {
    stage,
    seed,
    config,
    database,
    parties: { ...sandbox.gateways, close: async () => undefined },
    receivers,
    keyring,
    files,
    slow: createSlowCalls(),
    tampering: {},
    onFailure: () => undefined,
  };
  const plain = { captureFirst: false, unpaidOrderExpiryMinutes: null, centers: [], feePercentage: 0 };
  const partner = await makePartner(around, [instance], 0, plain);
  return {
    instance,
    world: { ...around, wishes: { erased: new Set(), keepingCards: new Set(), removedCards: [], shownCharges: [] } },
    partner,
    broken,
    metrics: async () => (broken.isProcessGone ? null : metrics.text()),
    async close() {
      await context.stop();
      await connectors.close();
    },
  };
}

/** The parties' connectors on this machine. A party with an outage closes every connection. */
async function serveConnectors(broken: Broken) {
  let listener: RequestListener = (_request, response) => response.writeHead(503).end();
  const server = createServer((request, response) => {
    if (broken.party !== null && `${request.url}/`.includes(`/${broken.party}/`)) request.socket.destroy();
    else listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    serve(next: RequestListener) {
      listener = next;
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
