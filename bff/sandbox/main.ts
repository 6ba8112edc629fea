import { runService } from "../src/app/run-service.ts";
import { systemClock } from "../src/platform/clock.ts";
import { ConfigInvalid } from "../src/platform/config-invalid.ts";
import { systemIds } from "../src/platform/ids.ts";
import { listenForService } from "./listen-for-service.ts";
import { openSandbox } from "./open-sandbox.ts";

/*
 * The service in staging: the same as in production, together with the sandbox, which it calls over the loopback in the
 * protocol of real gateways.
 */

const connector = await listenForService();
await runService(({ config, database: { db }, keyring, logger }) => {
  if (config.environment === "production") {
    throw new ConfigInvalid([
      "ENVIRONMENT: this program is staging's; in production start the service's own, src/main",
    ]);
  }
  const connectorUrl = connector.url;
  const sandbox = openSandbox({ config, db, clock: systemClock, ids: systemIds, keyring, logger, connectorUrl });
  connector.serve(sandbox.connectorApp);
  return sandbox;
});
await connector.close();
