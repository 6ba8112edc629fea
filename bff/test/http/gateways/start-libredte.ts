import { join } from "node:path";
import { createConnectorApp } from "../../../connectors/kit/connector-service.ts";
import { serveTaxDocuments } from "../../../connectors/kit/serve/serve-tax-documents.ts";
import type { Libredte } from "../../../connectors/libredte/libredte.ts";
import { buildLibredte, createLibredteClient } from "../../../connectors/libredte/open-libredte.ts";
import { createStandIn, type StandIn } from "../../../connectors/libredte/stand-in/stand-in.ts";
import { createLibredteTaxDocuments } from "../../../connectors/libredte/tax-documents.ts";
import { parseRut } from "../../../src/contract/vocabulary/rut.ts";
import type { GatewayCall } from "../../../src/gateways/gateway-call.ts";
import type { TaxDocuments } from "../../../src/gateways/tax-documents.ts";
import { type MovableClock, movableClock } from "../../../src/platform/clock.ts";
import { openDatabase } from "../../../src/platform/database/database.ts";
import { migrate } from "../../../src/platform/database/migrate.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { createLogger } from "../../../src/platform/logger.ts";
import { packageFolder } from "../../../src/platform/program.ts";
import { createMortalClient, type Death, listen } from "./connector-process.ts";

export const CONNECTOR_TOKEN = "token-del-conector-de-prueba";
export const HASH = "hash-de-prueba-del-usuario";
export const ISSUER_RUT = parseRut("76901112-9");

const providerId = systemIds.uuid();

export interface LibredteWorld {
  readonly clock: MovableClock;
  readonly standIn: StandIn;
  readonly connectorUrl: string;
  readonly log: readonly string[];
  /** Of the running process; another after `restart`. */
  readonly libredte: Libredte;
  readonly taxDocuments: TaxDocuments;
  /** The process dies at its next request of such a path to LibreDTE: nothing of it runs any more. */
  dieAt(death: Death, path: RegExp): void;
  isDead(): boolean;
  /** Another process, by default on the same database. */
  restart(database?: "restored_to_nothing"): Promise<void>;
  call(key?: string): GatewayCall;
  stop(): Promise<void>;
}

export async function startLibredte({ verdictMs = 0 } = {}): Promise<LibredteWorld> {
  const clock = movableClock(new Date());
  const log: string[] = [];
  const logger = createLogger({ level: "debug", destination: { write: (line) => void log.push(line) } });
  const standInServer = await listen();
  const baseUrl = standInServer.url;
  const issuer = Number(ISSUER_RUT.split("-")[0]);
  const standIn = createStandIn({ clock, ids: systemIds, hash: HASH, issuer, verdictMs, baseUrl });
  standInServer.serve(standIn.app);
  const connectorServer = await listen();
  const client = createLibredteClient({ baseUrl, hash: HASH });
  const { mortal, dieAt, isDead } = createMortalClient(client);
  const newDatabase = async () => {
    const database = await openDatabase({ url: "memory://" }, logger);
    await migrate(database, { clock, logger }, join(packageFolder, "connectors/libredte/migrations"));
    return database;
  };
  let database = await newDatabase();
  const begin = () => {
    const parts = { db: database.db, clock, logger, client: mortal, baseUrl, issuerRut: ISSUER_RUT, item: "Comisión" };
    const libredte = buildLibredte(parts);
    const taxDocuments = createLibredteTaxDocuments(libredte);
    const serve = (service: Parameters<typeof serveTaxDocuments>[0]) => serveTaxDocuments(service, taxDocuments);
    return { libredte, taxDocuments, app: createConnectorApp({ token: CONNECTOR_TOKEN, logger, serve }) };
  };
  let running = begin();
  connectorServer.serve((request, response) => running.app(request, response));
  return {
    ...{ clock, standIn, log, dieAt, isDead },
    connectorUrl: connectorServer.url,
    get libredte() {
      return running.libredte;
    },
    get taxDocuments() {
      return running.taxDocuments;
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
