import { openDatabase } from "../src/platform/database/database.ts";
import { silentLogger } from "../src/platform/logger.ts";
import { openWebhookWork } from "./webhook-work.ts";

/* A process that delivers until it is ended. Argument: the database's address. */

const { db } = await openDatabase({ url: process.argv[2] ?? "", connectionsMax: 10 }, silentLogger);
const { timers, deliveries } = openWebhookWork(db, 20);
timers.start();
deliveries.start();
process.stdout.write("working\n");
