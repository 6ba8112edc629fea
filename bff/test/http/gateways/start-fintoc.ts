import { generateKeyPairSync } from "node:crypto";
import { join } from "node:path";
import { createFintocBank } from "../../../connectors/fintoc/bank.ts";
import type { Fintoc } from "../../../connectors/fintoc/fintoc.ts";
import { buildFintoc, createFintocClient } from "../../../connectors/fintoc/open-fintoc.ts";
import { createStandIn, type StandIn } from "../../../connectors/fintoc/stand-in/stand-in.ts";
import { createConnectorApp } from "../../../connectors/kit/connector-service.ts";
import { serveBank } from "../../../connectors/kit/serve/serve-bank.ts";
import type { Bank } from "../../../src/gateways/bank.ts";
import type { GatewayCall } from "../../../src/gateways/gateway-call.ts";
import { type MovableClock, movableClock } from "../../../src/platform/clock.ts";
import { openDatabase } from "../../../src/platform/database/database.ts";
import { migrate } from "../../../src/platform/database/migrate.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { createLogger } from "../../../src/platform/logger.ts";
import { packageFolder } from "../../../src/platform/program.ts";
import { createMortalClient, type Death, listen } from "./connector-process.ts";

export const SECRET_KEY = "sk_test_de_prueba";
export const ACCOUNT_ID = "acc_de_prueba";
export const CONNECTOR_TOKEN = "token-del-conector-de-prueba";

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
export const PRIVATE_KEY_PEM = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
const PUBLIC_KEY_PEM = publicKey.export({ type: "spki", format: "pem" }).toString();

const providerId = systemIds.uuid();

export interface FintocWorld {
  readonly clock: MovableClock;
  readonly standIn: StandIn;
  readonly standInUrl: string;
  readonly connectorUrl: string;
  readonly log: readonly string[];
  /** Of the running process; another after `restart`. */
  readonly fintoc: Fintoc;
  readonly bank: Bank;
  /** The process dies at its next request of such a method and path to Fintoc: nothing of it runs any more. */
  dieAt(death: Death, path: RegExp): void;
  isDead(): boolean;
  /** Another process, by default on the same database. */
  restart(database?: "restored_to_nothing"): Promise<void>;
  call(key?: string): GatewayCall;
  stop(): Promise<void>;
}

export async function startFintoc({ pendingMs = 0 } = {}): Promise<FintocWorld> {
  const clock = movableClock(new Date());
  const log: string[] = [];
  const logger = createLogger({ level: "debug", destination: { write: (line) => void log.push(line) } });
  const standInServer = await listen();
  const standIn = createStandIn({
    ...{ clock, ids: systemIds, pendingMs },
    secretKey: SECRET_KEY,
    accountId: ACCOUNT_ID,
    publicKey: PUBLIC_KEY_PEM,
  });
  standInServer.serve(standIn.app);
  const connectorServer = await listen();
  const client = createFintocClient({
    ...{ clock, ids: systemIds, privateKey },
    baseUrl: standInServer.url,
    secretKey: SECRET_KEY,
  });
  const { mortal, dieAt, isDead } = createMortalClient(client);
  const newDatabase = async () => {
    const database = await openDatabase({ url: "memory://" }, logger);
    await migrate(database, { clock, logger }, join(packageFolder, "connectors/fintoc/migrations"));
    return database;
  };
  let database = await newDatabase();
  const begin = () => {
    const fintoc = buildFintoc({ db: database.db, clock, logger, client: mortal, accountId: ACCOUNT_ID });
    const bank = createFintocBank(fintoc);
    const app = createConnectorApp({ token: CONNECTOR_TOKEN, logger, serve: (service) => serveBank(service, bank) });
    return { fintoc, bank, app };
  };
  let running = begin();
  connectorServer.serve((request, response) => running.app(request, response));
  return {
    ...{ clock, standIn, log, dieAt, isDead },
    standInUrl: standInServer.url,
    connectorUrl: connectorServer.url,
    get fintoc() {
      return running.fintoc;
    },
    get bank() {
      return running.bank;
    },
    async restart(restored) {
      if (restored !== undefined) {
        await database.close();
        database = await newDatabase();
      }
      running = begin();
    },
    call: (key = systemIds.uuid()) => ({ providerId, idempotencyKey: key, at: clock.now() }),
    async stop() {
      await connectorServer.close();
      await standInServer.close();
      await client.close();
      await database.close();
    },
  };
}
