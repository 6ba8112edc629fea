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
    TRANSBANK_MALL_CODE: z.string().length(12),
    TRANSBANK_API_KEY: z.string().min(16),
    TRANSBANK_SHOP_CODE: z.string().length(12),
  })
  .parse(process.env);
const { app } = createStandIn({
  clock: systemClock,
  ids: systemIds,
  mallCode: settings.TRANSBANK_MALL_CODE,
  apiKey: settings.TRANSBANK_API_KEY,
  shopCodes: [settings.TRANSBANK_SHOP_CODE],
  origin: () => `http://127.0.0.1:${settings.STAND_IN_PORT}`,
});
const server = createServer(app).listen(settings.STAND_IN_PORT, "127.0.0.1");
await Promise.race([once(process, "SIGTERM"), once(process, "SIGINT")]);
server.closeAllConnections();
server.close();
