import { callsElsewhere } from "../back-office/list-exceptions.ts";
import { writePartyConnectors } from "../platform/party-connector-store.ts";
import type { Context } from "./compose.ts";

/**
 * Records the connectors of this process when it starts. Logs each that replaces another one, and the calls that only
 * an operator can settle, because the connector that took them is not configured.
 */
export async function reportOtherConnectors({
  database: { db },
  clock,
  logger,
  parties,
  config: { environment },
}: Pick<Context, "database" | "clock" | "logger" | "parties" | "config">): Promise<void> {
  for (const { party, now: connector, before } of await writePartyConnectors(db, { ...parties.connectors }))
    logger.warn("outside.connector_changed", { party, connector, connector_before: before });
  for (const { of: kind, connector, count } of await callsElsewhere({ db, clock, environment }))
    logger.warn("outside.calls_elsewhere", { kind, connector, count });
}
