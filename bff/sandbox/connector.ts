import { once } from "node:events";
import { createServer } from "node:http";
import express from "express";
import * as z from "zod";
import { systemClock } from "../src/platform/clock.ts";
import { openDatabase } from "../src/platform/database/database.ts";
import { migrate } from "../src/platform/database/migrate.ts";
import { systemIds } from "../src/platform/ids.ts";
import { createLogger } from "../src/platform/logger.ts";
import { catalogueCard } from "./catalogue.ts";
import { createSandboxConnector } from "./connector-app.ts";
import { createPagesApp } from "./pages-app.ts";
import { createSandboxGateways } from "./sandbox-gateways.ts";

/*
 * The sandbox's parties as a connector, in a separate process with a separate database, as a real connector would run.
 * A connector's author can compare against it (docs/reference/gateways.md). Its time is real time, and it does not know
 * the service's tenants.
 */

const settings = z
  .object({
    CONNECTOR_PORT: z.coerce.number().int().min(1).max(65_535).default(4050),
    CONNECTOR_TOKEN: z.string().min(16),
    /** `postgres://…`, or a folder for the embedded database; never the service's own. */
    CONNECTOR_DATABASE_URL: z.string().min(1),
    /** The origin at which patients' browsers open the bank's page. */
    CARD_CHALLENGE_ORIGIN: z.url(),
  })
  .safeParse(process.env);
if (!settings.success) {
  for (const { path, message } of settings.error.issues) process.stderr.write(`${path.join(".")}: ${message}\n`);
  process.exit(1);
}

const { CONNECTOR_PORT: port, CONNECTOR_TOKEN: connectorToken, ...rest } = settings.data;
const logger = createLogger({ level: "info" });
const database = await openDatabase({ url: rest.CONNECTOR_DATABASE_URL, connectionsMax: 10 }, logger);
await migrate(database, { clock: systemClock, logger });
const own = { db: database.db, ids: systemIds, clock: systemClock, logger };
const gateways = createSandboxGateways({
  ...own,
  challengeOrigin: new URL(rest.CARD_CHALLENGE_ORIGIN).origin,
  kill: () => process.kill(process.pid, "SIGKILL"),
});
const app = express();
app.use("/connector/v1", createSandboxConnector({ ...own, ...gateways, connectorToken }));
app.use(createPagesApp({ ...own, magicCard: catalogueCard }));
const server = createServer(app).listen(port, "127.0.0.1");
await once(server, "listening");
logger.info("connector.listening", { port });
await Promise.race([once(process, "SIGTERM"), once(process, "SIGINT")]);
server.closeAllConnections();
server.close();
await database.close();
