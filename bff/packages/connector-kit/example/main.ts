import { join } from "node:path";
import { createLogger, createPartyClient, readSettings, runConnector, serveBank, z } from "@aapd/connector-kit";
import { createBank } from "./bank.ts";

const settings = readSettings({ BANK_URL: z.url(), BANK_API_KEY: z.string() }, process.env);
const logger = createLogger({ level: "info" });
const headers = { authorization: `Bearer ${settings.BANK_API_KEY}` };
const client = createPartyClient({ baseUrl: settings.BANK_URL, headers });
await runConnector({
  settings,
  logger,
  migrations: join(import.meta.dirname, "migrations"),
  open: (db) => ({
    serve: (service) => serveBank(service, createBank(db, client, logger)),
    close: () => client.close(),
  }),
});
