import { once } from "node:events";
import { createServer, type Server } from "node:http";
import express from "express";
import { systemClock } from "../../src/platform/clock.ts";
import { type OpenDatabase, openDatabase } from "../../src/platform/database/database.ts";
import { migrate } from "../../src/platform/database/migrate.ts";
import type { Database } from "../../src/platform/database/transaction.ts";
import type { Logger } from "../../src/platform/logger.ts";
import { type ConnectorService, createConnectorApp, failWith } from "./connector-service.ts";

export interface ConnectorToRun {
  readonly settings: {
    readonly CONNECTOR_PORT: number;
    readonly CONNECTOR_HOST: string;
    readonly CONNECTOR_TOKEN: string;
    readonly CONNECTOR_DATABASE_URL: string;
  };
  /** The folder of its migrations; the first is a copy of `packages/connector-kit/calls.sql`. */
  readonly migrations: string;
  readonly logger: Logger;
  /** Builds the party on the open database. */
  readonly open: (db: Database) => OpenConnector | Promise<OpenConnector>;
}

export interface OpenConnector {
  /** Serves the party's port: `serveCardProcessor(service, processor)`. */
  readonly serve: (service: ConnectorService) => void;
  /** Pages for patients, outside of the protocol. */
  readonly pages?: express.RequestHandler;
  close(): Promise<void>;
}

export interface RunningConnector {
  readonly port: number;
  readonly database: OpenDatabase;
  /** Stops accepting requests, waits for running ones, then closes the database. */
  stop(): Promise<void>;
}

/** Opens and migrates the database, then serves `/connector/v1`, `/livez`, `/readyz` and the pages. */
export async function startConnector({
  settings,
  migrations,
  logger,
  open,
}: ConnectorToRun): Promise<RunningConnector> {
  const database = await openDatabase({ url: settings.CONNECTOR_DATABASE_URL, connectionsMax: 10 }, logger);
  await migrate(database, { clock: systemClock, logger }, migrations);
  const connector = await open(database.db);
  const app = express();
  app.disable("x-powered-by");
  app.get("/livez", (_request, response) => void response.json({ status: "ok" }));
  app.get("/readyz", async (_request, response) => {
    const answers = await database.ping().then(
      () => true,
      () => false,
    );
    response.status(answers ? 200 : 503).json({ status: answers ? "ok" : "unavailable" });
  });
  const token = settings.CONNECTOR_TOKEN;
  app.use("/connector/v1", createConnectorApp({ token, logger, serve: connector.serve }));
  if (connector.pages !== undefined) app.use(connector.pages);
  app.use(failWith(logger));
  const server = createServer(app).listen(settings.CONNECTOR_PORT, settings.CONNECTOR_HOST);
  await once(server, "listening");
  const port = portOf(server);
  logger.info("connector.listening", { port });
  return {
    port,
    database,
    async stop() {
      const closed = once(server, "close");
      server.close();
      server.closeIdleConnections();
      await closed;
      await connector.close();
      await database.close();
    },
  };
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("A server on a port has an address.");
  return address.port;
}

/** Runs until SIGTERM or SIGINT. */
export async function runConnector(connector: ConnectorToRun): Promise<void> {
  const running = await startConnector(connector);
  await Promise.race([once(process, "SIGTERM"), once(process, "SIGINT")]);
  await running.stop();
}
