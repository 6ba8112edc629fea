import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SANDBOX_COMMISSION_TAX } from "../../sandbox/commission-tax.ts";
import { createContext } from "../../src/app/compose.ts";
import { readConfig } from "../../src/app/config.ts";
import { listenForFaces } from "../../src/app/listen.ts";
import { createFaceApps } from "../../src/app/server.ts";
import { openWidget } from "../../src/frame/open-widget.ts";
import { openFileStorage } from "../../src/gateways/open-file-storage.ts";
import { listLegalTexts, presentTexts, setLegalText } from "../../src/orders/legal-texts.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { openDatabase } from "../../src/platform/database/database.ts";
import { migrate } from "../../src/platform/database/migrate.ts";
import { GENEROUS_LIMITS } from "../../src/platform/http/address-limits.ts";
import { createLogger, silentLogger } from "../../src/platform/logger.ts";
import { createProvider } from "../../src/tenants/manage-provider.ts";
import { idleGateways } from "./orders-parties.ts";
import { recordStatements } from "./replay.ts";
import { keyring } from "./webhook-work.ts";

/*
 * The service as in production, but with parties that do nothing: one process, with its background work and its log.
 * Arguments: the database's address; `requests` to leave timers and deliveries to other processes; `limits` to limit
 * addresses as in production; `page` to serve the built widget. It sends its parent the ports and a provider's
 * credentials, and answers each message with its processor time in milliseconds. `record` records all statements, and
 * answers each message with those since the last.
 */

const [, , databaseUrl, ...options] = process.argv;

const UNLIMITED = {
  guessesPerMinute: 300,
  publicCallsPerMinute: 1_000_000_000,
  patientLookupsPerTenMinutes: 1_000_000_000,
};

const staging = readConfig({
  ENVIRONMENT: "staging",
  DATABASE_URL: databaseUrl,
  FACES: options.includes("page") ? "order,spot,widget" : "order,spot",
  ORDER_API_PORT: "0",
  SPOT_API_PORT: "0",
  WIDGET_HOST_PORT: "0",
  TRUSTED_PROXIES: "1",
});
const parties = {
  connectorUrl: "http://connector.example",
  connectorToken: "nobody is called in a benchmark",
  connectorTokenBefore: null,
  partyConnectors: {},
  connectorNames: new Map(),
  challengeOrigin: "http://bank.example",
  financingProviderName: "Financiera",
  hasCircuit: true,
};
const config = { ...staging, environment: "production" as const, parties };
const servers = await listenForFaces(config);
const database = await openDatabase(
  { url: config.databaseUrl, connectionsMax: config.databaseConnectionsMax },
  silentLogger,
);
await migrate(database, { clock: systemClock, logger: silentLogger });
const folder = await mkdtemp(join(tmpdir(), "aapd-bench-"));
const context = createContext({
  config,
  database,
  keyring,
  files: await openFileStorage({ location: { kind: "folder", path: folder }, keyring }),
  logger: createLogger({ level: "info" }),
  widget: options.includes("page") ? await openWidget(config) : null,
  sandbox: null,
  // All patients of a clinic share one address here.
  addressLimits: options.includes("limits") ? GENEROUS_LIMITS : UNLIMITED,
  parties: idleGateways,
});
// No payment is accepted without the operator's texts. Staging's samples are as long as real ones.
const operator = { ...context, db: database.db, environment: config.environment, actor: "bench" };
// In the opposite order: the withdrawal before the contract. Only the current versions, and once for all processes.
const current = await presentTexts(database.db, "staging");
const isSet = (await listLegalTexts(database.db, config.environment)).length > 0;
for (const text of isSet ? [] : (await listLegalTexts(database.db, "staging")).toReversed())
  if (text.locale === "es-CL" && current.some(({ kind, version }) => kind === text.kind && version === text.version))
    await setLegalText(operator, text);
servers.serve(createFaceApps(context));
if (!options.includes("requests")) context.start();
const { provider, credentials } = await createProvider(operator, {
  name: "Clínica",
  rut: "76.900.001-1",
  commissionPercentage: 7,
  commissionTax: SANDBOX_COMMISSION_TAX,
  supportEmail: "a@example.com",
  origins: ["https://clinica.example.com"],
});
const credentialOf = (kind: string) => credentials.find((credential) => credential.kind === kind)?.value ?? "";
process.send?.({
  port: servers.ports.get("order"),
  spotPort: servers.ports.get("spot"),
  widgetPort: servers.ports.get("widget") ?? 0,
  providerId: provider.id,
  clientSecret: credentialOf("client_secret"),
  clientId: credentialOf("client_id"),
  publicKey: credentialOf("public_key"),
});
const recorded = options.includes("record") ? recordStatements() : null;
process.on("message", () => {
  if (recorded !== null) {
    process.send?.(recorded());
    return;
  }
  const { user, system } = process.cpuUsage();
  process.send?.((user + system) / 1_000);
});
// The parent process has ended.
process.once("disconnect", () => process.exit(0));
process.once("SIGTERM", () => {
  // Exits normally, so that a profiler can write its output.
  process.exit(0);
});
