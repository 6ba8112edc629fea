import { openDatabase } from "../../src/platform/database/database.ts";
import { silentLogger } from "../../src/platform/logger.ts";
import { openWebhookWork } from "./webhook-work.ts";

/* Delivery worker process. Starts on the first line of stdin. Argument: the database's address. */

const { db } = await openDatabase({ url: process.argv[2] ?? "", connectionsMax: 10 }, silentLogger);
const { timers, deliveries } = openWebhookWork(db, 20);
await db.selectFrom("providers").select("id").limit(1).execute();
process.stdout.write("ready\n");
process.stdin.once("data", () => {
  timers.start();
  deliveries.start();
});
