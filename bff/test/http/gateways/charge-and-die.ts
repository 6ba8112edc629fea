/**
 * A separate process that a test starts to be killed: it asks the sandbox for `kill_after` and charges a card, and is
 * killed before the answer. Its arguments are the database's address and, as JSON, the call.
 */
import { z } from "zod";
import { replaceFaults } from "../../../sandbox/calls/gateway-call-store.ts";
import { createSandboxGateways } from "../../../sandbox/sandbox-gateways.ts";
import { clp } from "../../../src/contract/vocabulary/clp.ts";
import { orderHashSchema } from "../../../src/contract/vocabulary/identifiers.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { openDatabase } from "../../../src/platform/database/database.ts";
import { migrate } from "../../../src/platform/database/migrate.ts";
import { inTransaction } from "../../../src/platform/database/transaction.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { silentLogger } from "../../../src/platform/logger.ts";
import { cardFor, seal } from "./start-gateways.ts";

const [url = "", json = ""] = process.argv.slice(2);
const call = z
  .object({ providerId: z.string(), idempotencyKey: z.string(), at: z.coerce.date(), orderHash: orderHashSchema })
  .parse(JSON.parse(json));
const database = await openDatabase({ url }, silentLogger);
await migrate(database, { clock: systemClock, logger: silentLogger });
const { cardProcessor } = createSandboxGateways({
  db: database.db,
  ids: systemIds,
  clock: systemClock,
  challengeOrigin: "http://127.0.0.1:4040",
  kill: () => process.kill(process.pid, "SIGKILL"),
});
const { orderHash } = call;
const sealedCard = await seal(await cardProcessor.sealingKey(), cardFor(orderHash, call.at));
const registered = await cardProcessor.registerCard(call, { sealedCard, orderHash });
if (registered.outcome !== "registered") throw new Error("The card was not registered.");
await inTransaction(database.db, (tx) =>
  replaceFaults(tx, call.providerId, [{ party: "card-processor", method: "charge", kind: "kill_after", calls: 1 }]),
);
const charge = {
  orderHash,
  amount: clp(13_500),
  initiator: "patient",
  authenticationId: null,
  initialChargeId: null,
} as const;
await cardProcessor.charge(call, { ...charge, cardId: registered.card.id });
throw new Error("The process outlived the charge.");
