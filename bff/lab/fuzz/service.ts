import { SANDBOX_COMMISSION_TAX } from "../../sandbox/commission-tax.ts";
import { openSandbox } from "../../sandbox/open-sandbox.ts";
import { createContext } from "../../src/app/compose.ts";
import { type Config, FACES, readConfig } from "../../src/app/config.ts";
import { listenForFaces } from "../../src/app/listen.ts";
import { createFaceApps } from "../../src/app/server.ts";
import { openApiDocument } from "../../src/partner-docs/openapi.ts";
import type { OpenApiDocument } from "../../src/partner-docs/openapi-document.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { systemIds } from "../../src/platform/ids.ts";
import { createKeyring } from "../../src/platform/keyring.ts";
import { createLogger } from "../../src/platform/logger.ts";
import { createProvider, type NewProvider } from "../../src/tenants/manage-provider.ts";
import { openTestDatabase } from "../../test/database.ts";
import { memoryStorage } from "../../test/http/spot/memory-storage.ts";
import type { KnownCredentials } from "./requests.ts";

/** The service on this machine's loopback, with an in-memory database that can be read. */
export interface FuzzedService {
  readonly document: OpenApiDocument;
  makeProvider(overrides?: Partial<NewProvider>): Promise<KnownCredentials>;
  /** Row counts of everything that requests create. */
  countThings(): Promise<string>;
  /** The errors logged since the last call. */
  takeErrors(): string[];
  runDue(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Tables to which a refused request must not add rows. Counts of requests, answers and attempts are stored on purpose.
 */
const TABLES = [
  "orders",
  "order_payments",
  "order_refunds",
  "events",
  "expenses",
  "expense_files",
  "claims",
  "users",
  "beneficiaries",
  "subscriptions",
  "widget_tokens",
  "webhook_endpoints",
  "webhook_deliveries",
  "centers",
  "credentials",
  "consents",
  "ledger_transfers",
];

export async function startFuzzedService(): Promise<FuzzedService> {
  const errors: string[] = [];
  const wanted = readConfig({
    LOG_LEVEL: "error",
    FACES: "order,spot",
    ORDER_API_PORT: "0",
    SPOT_API_PORT: "0",
    WEBHOOKS_ALLOW_LOOPBACK: "true",
  });
  const servers = await listenForFaces(wanted);
  const config = withPorts(wanted, (face) => servers.ports.get(face) ?? 0);
  const database = await openTestDatabase();
  const keyring = createKeyring({ keys: [{ id: "fuzz", secret: Buffer.alloc(32, 1) }], environment: "staging" });
  const files = memoryStorage();
  const logger = createLogger({ level: "error", destination: { write: (line) => void errors.push(line) } });
  // The fuzzer sends more requests from one address than any clinic.
  const addressLimits = { guessesPerMinute: 1e9, publicCallsPerMinute: 1e9, patientLookupsPerTenMinutes: 1e9 };
  const resolveName = async () => [{ address: "127.0.0.1", family: 4 }];
  const sandbox = openSandbox({
    ...{ config, keyring, logger, db: database.db, clock: systemClock, ids: systemIds },
    connectorUrl: "http://sandbox.test",
  });
  const context = createContext({
    ...{ config, database, keyring, files, logger, addressLimits, resolveName, sandbox, parties: sandbox.gateways },
    widget: null,
  });
  servers.serve(createFaceApps(context));
  const { order, spot, widget } = config.addresses;
  return {
    document: openApiDocument({
      environment: "staging",
      orderApiUrl: order.publicUrl,
      spotApiUrl: spot.publicUrl,
      widgetHostUrl: widget.publicUrl,
      signatureWord: "Service",
    }),
    async makeProvider(overrides = {}) {
      const { credentials } = await createProvider(
        { db: database.db, clock: systemClock, ids: systemIds, keyring, environment: "staging", actor: "fuzz" },
        {
          name: "Clínica",
          rut: "76.900.001-1",
          commissionPercentage: 7,
          commissionTax: SANDBOX_COMMISSION_TAX,
          supportEmail: "a@example.com",
          origins: ["https://clinica.example.com"],
          ...overrides,
        },
      );
      const secretOf = (kind: string) => credentials.find((one) => one.kind === kind)?.value ?? "";
      return {
        client_secret: secretOf("client_secret"),
        client_id: secretOf("client_id"),
        public_key: secretOf("public_key"),
        secret_key: secretOf("secret_key"),
      };
    },
    countThings: () =>
      database.withSession(async (session) => {
        const counts = TABLES.map((table) => `(select count(*) from ${table})::int as ${table}`).join(", ");
        const { rows } = await session.query(`select ${counts}`, []);
        return JSON.stringify({ ...rows[0], files: files.files.size });
      }),
    takeErrors: () => errors.splice(0),
    runDue: async () => void (await context.runDue()),
    async close() {
      await servers.close({ deadlineMs: 1_000 });
      await context.stop();
      await database.close();
    },
  };
}

function withPorts(config: Config, portOf: (face: (typeof FACES)[number]) => number): Config {
  const addresses = { ...config.addresses };
  for (const face of FACES) addresses[face] = { port: portOf(face), publicUrl: `http://127.0.0.1:${portOf(face)}` };
  return { ...config, addresses };
}
