import { once } from "node:events";
import { createServer } from "node:http";
import * as z from "zod";
import { systemClock } from "../../../src/platform/clock.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { createStandIn } from "./stand-in.ts";

/*
 * The stand-in as a separate process on 127.0.0.1, for a connector with the same settings. It shows the checks at
 * `/checks`.
 */

const settings = z
  .object({
    STAND_IN_PORT: z.coerce.number().int().min(1).max(65_535),
    /** How long a check is pending. */
    STAND_IN_PENDING_SECONDS: z.coerce.number().int().min(0).default(0),
    SOYIO_API_KEY: z.string().min(1),
  })
  .parse(process.env);
const { app, checks } = createStandIn({
  clock: systemClock,
  ids: systemIds,
  apiKey: settings.SOYIO_API_KEY,
  pendingMs: settings.STAND_IN_PENDING_SECONDS * 1_000,
});
const server = createServer((request, response) => {
  if (request.url !== "/checks") return void app(request, response);
  response.setHeader("content-type", "application/json").end(JSON.stringify(checks));
});
server.listen(settings.STAND_IN_PORT, "127.0.0.1");
await Promise.race([once(process, "SIGTERM"), once(process, "SIGINT")]);
server.closeAllConnections();
server.close();
