import { ConfigInvalid } from "../src/config.ts";
import { systemClock } from "../src/platform/clock.ts";
import { systemIds } from "../src/platform/ids.ts";
import { runService } from "../src/run-service.ts";
import { openSandbox } from "./open-sandbox.ts";

/*
 * The service of staging: the same as in production, with the sandbox beside it.
 */

await runService(({ config, database: { db }, keyring, logger }) => {
  if (config.environment === "production") {
    throw new ConfigInvalid([
      "ENVIRONMENT: this program is staging's; in production start the service's own, src/main",
    ]);
  }
  return openSandbox({ config, db, clock: systemClock, ids: systemIds, keyring, logger });
});
