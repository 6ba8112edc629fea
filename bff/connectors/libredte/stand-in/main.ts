import { once } from "node:events";
import { createServer } from "node:http";
import * as z from "zod";
import { parseRut } from "../../../src/contract/vocabulary/rut.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { createStandIn } from "./stand-in.ts";

/* The stand-in as a separate process on 127.0.0.1, for a connector with the same settings. */

const settings = z
  .object({
    STAND_IN_PORT: z.coerce.number().int().min(1).max(65_535),
    /** How long the SII takes for its verdict. */
    STAND_IN_VERDICT_SECONDS: z.coerce.number().int().min(0).default(0),
    LIBREDTE_HASH: z.string().min(1),
    LIBREDTE_ISSUER_RUT: z.string().min(1),
  })
  .parse(process.env);
const { app } = createStandIn({
  clock: systemClock,
  ids: systemIds,
  hash: settings.LIBREDTE_HASH,
  issuer: Number(parseRut(settings.LIBREDTE_ISSUER_RUT).split("-")[0]),
  verdictMs: settings.STAND_IN_VERDICT_SECONDS * 1_000,
  baseUrl: `http://127.0.0.1:${settings.STAND_IN_PORT}`,
});
const server = createServer(app).listen(settings.STAND_IN_PORT, "127.0.0.1");
await Promise.race([once(process, "SIGTERM"), once(process, "SIGINT")]);
server.closeAllConnections();
server.close();
