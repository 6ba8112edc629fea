import { once } from "node:events";
import { createServer } from "node:http";
import * as z from "zod";
import { systemClock } from "../../../src/platform/clock.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { createStandIn } from "./stand-in.ts";

/* The stand-in as a separate process on 127.0.0.1, for a connector with the same settings. */

const settings = z
  .object({
    STAND_IN_PORT: z.coerce.number().int().min(1).max(65_535),
    /** How long a transfer is pending. */
    STAND_IN_PENDING_SECONDS: z.coerce.number().int().min(0).default(5),
    /** The public key of the connector's private one, in PEM. */
    STAND_IN_PUBLIC_KEY: z.string().min(1),
    FINTOC_SECRET_KEY: z.string().min(1),
    FINTOC_ACCOUNT_ID: z.string().min(1),
  })
  .parse(process.env);
const { app } = createStandIn({
  clock: systemClock,
  ids: systemIds,
  secretKey: settings.FINTOC_SECRET_KEY,
  accountId: settings.FINTOC_ACCOUNT_ID,
  publicKey: settings.STAND_IN_PUBLIC_KEY,
  pendingMs: settings.STAND_IN_PENDING_SECONDS * 1_000,
});
const server = createServer(app).listen(settings.STAND_IN_PORT, "127.0.0.1");
await Promise.race([once(process, "SIGTERM"), once(process, "SIGINT")]);
server.closeAllConnections();
server.close();
