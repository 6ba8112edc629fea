import { join } from "node:path";
import { createConnectorApp } from "../../../connectors/kit/connector-service.ts";
import { serveIdentityRegistry } from "../../../connectors/kit/serve/serve-identity-registry.ts";
import { buildSoyioRegistry, createSoyioClient } from "../../../connectors/soyio/open-soyio.ts";
import { createStandIn, type StandIn } from "../../../connectors/soyio/stand-in/stand-in.ts";
import type { IdentityRegistry } from "../../../src/gateways/identity-registry.ts";
import { type MovableClock, movableClock } from "../../../src/platform/clock.ts";
import { openDatabase } from "../../../src/platform/database/database.ts";
import { migrate } from "../../../src/platform/database/migrate.ts";
import type { Database } from "../../../src/platform/database/transaction.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { createLogger } from "../../../src/platform/logger.ts";
import { packageFolder } from "../../../src/platform/program.ts";
import { createMortalClient, type Death, listen } from "./connector-process.ts";

export const CONNECTOR_TOKEN = "token-del-conector-de-prueba";
const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
/** An API key that expires at a moment, or never. */
export const apiKey = (expiresAt?: Date) =>
  [part({ alg: "HS256" }), part(expiresAt === undefined ? {} : { exp: expiresAt.getTime() / 1_000 }), "firma"].join(
    ".",
  );
export const API_KEY = apiKey();

export interface SoyioWorld {
  readonly clock: MovableClock;
  readonly standIn: StandIn;
  readonly connectorUrl: string;
  readonly log: readonly string[];
  readonly db: Database;
  /** Of the running process; another after `restart`. */
  readonly registry: IdentityRegistry;
  /** The process dies at its next request of such a path to Soyio: nothing of it runs any more. */
  dieAt(death: Death, path: RegExp): void;
  isDead(): boolean;
  /** Another process on the same database. */
  restart(): void;
  stop(): Promise<void>;
}

export async function startSoyio({
  pendingMs = 0,
  usedKey = API_KEY,
  keyExpiresAt = null,
}: {
  readonly pendingMs?: number;
  readonly usedKey?: string;
  readonly keyExpiresAt?: Date | null;
} = {}): Promise<SoyioWorld> {
  const clock = movableClock(new Date());
  const log: string[] = [];
  const logger = createLogger({ level: "debug", destination: { write: (line) => void log.push(line) } });
  const standInServer = await listen();
  const standIn = createStandIn({ clock, ids: systemIds, apiKey: API_KEY, pendingMs });
  standInServer.serve(standIn.app);
  const connectorServer = await listen();
  const client = createSoyioClient({ baseUrl: standInServer.url, apiKey: usedKey });
  const { mortal, dieAt, isDead } = createMortalClient(client);
  const database = await openDatabase({ url: "memory://" }, logger);
  await migrate(database, { clock, logger }, join(packageFolder, "connectors/soyio/migrations"));
  const begin = () => {
    const wait = async (milliseconds: number) => clock.advance(milliseconds);
    const parts = { db: database.db, clock, logger, client: mortal, secret: CONNECTOR_TOKEN, keyExpiresAt, wait };
    const registry = buildSoyioRegistry(parts);
    const serve = (service: Parameters<typeof serveIdentityRegistry>[0]) => serveIdentityRegistry(service, registry);
    return { registry, app: createConnectorApp({ token: CONNECTOR_TOKEN, logger, serve }) };
  };
  let running = begin();
  connectorServer.serve((request, response) => running.app(request, response));
  return {
    ...{ clock, standIn, log, dieAt, isDead },
    connectorUrl: connectorServer.url,
    db: database.db,
    get registry() {
      return running.registry;
    },
    restart() {
      running = begin();
    },
    async stop() {
      await connectorServer.close();
      await standInServer.close();
      await client.close();
      await database.close();
    },
  };
}
