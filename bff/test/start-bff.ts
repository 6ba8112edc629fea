import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import express from "express";
import { sql } from "kysely";
import { SANDBOX_COMMISSION_TAX } from "../sandbox/commission-tax.ts";
import { nextStopAt } from "../sandbox/next-stop.ts";
import { type OpenSandbox, openSandbox, type SandboxParts } from "../sandbox/open-sandbox.ts";
import { type Context, createContext } from "../src/app/compose.ts";
import { type Config, FACES, readConfig } from "../src/app/config.ts";
import { type FaceServers, listenForFaces, listenForProbes } from "../src/app/listen.ts";
import type { ContextParts } from "../src/app/parts.ts";
import type { PartyConnectors } from "../src/app/party-connectors.ts";
import { createFaceApps, createProbesApp } from "../src/app/server.ts";
import { POLL_CLAIM_TIMER } from "../src/claims/poll-claim.ts";
import { PAGE_MARKERS } from "../src/contract/widget-page.ts";
import type { WidgetSource } from "../src/frame/open-widget.ts";
import { inlineHashes } from "../src/frame/page-policy.ts";
import type { CardProcessor } from "../src/gateways/card-processor.ts";
import type { FileStorage } from "../src/gateways/file-storage.ts";
import type { Gateways } from "../src/gateways/gateways.ts";
import { openFileStorage } from "../src/gateways/open-file-storage.ts";
import { type MovableClock, movableClock } from "../src/platform/clock.ts";
import { systemIds } from "../src/platform/ids.ts";
import { createKeyring } from "../src/platform/keyring.ts";
import { silentLogger } from "../src/platform/logger.ts";
import type { Provider } from "../src/platform/provider.ts";
import { createProvider, type NewProvider } from "../src/tenants/manage-provider.ts";
import { openTestDatabase, type TestDatabase } from "./database.ts";
import { noticeFailedTimers } from "./failed-timers.ts";
import { type Call, type CredentialValues, createTestClient } from "./test-client.ts";

/** A provider with all its credentials. */
export interface TestProvider {
  readonly provider: Provider;
  readonly credentials: CredentialValues;
}

/** The key of the test's keyring, with the name `test`. */
export const TEST_SECRET = Buffer.alloc(32, 1);

export interface TestBff {
  /** Base URLs without a trailing slash. */
  readonly orderApi: string;
  readonly spotApi: string;
  readonly widgetHost: string;
  readonly operatorConsole: string;
  readonly sandboxGateways: string;
  /** The address of the probes if `PROBES_PORT` is set. */
  readonly probes: string;
  /** Clients that check each answer against the endpoint's declaration. */
  readonly callOrderApi: Call;
  readonly callSpotApi: Call;
  readonly callWidgetHost: Call;
  /** Clínica Los Aromos del Sur SpA. */
  readonly clinic: TestProvider;
  readonly context: Context;
  readonly database: TestDatabase;
  readonly files: FileStorage;
  readonly clock: MovableClock;
  /** Creates another provider; the defaults are those of `clinic`. */
  createProvider(overrides?: Partial<NewProvider>): Promise<TestProvider>;
  /**
   * Runs everything that is due by the clock, for all providers or for one. Returns how many items ran. Throws if a
   * timer fails.
   */
  runDue(scope?: { readonly providerId: string }): Promise<number>;
  /**
   * Moves the clock from one due time to the next and runs the due timers at each. Throws if a timer of a kind outside
   * `failing` fails, or if no timer of a `failing` kind fails.
   */
  advance(milliseconds: number, options?: { readonly failing?: readonly string[] }): Promise<void>;
  /**
   * Removes all timers of earlier tests. Providers are separate, but the clock is shared, so each test would otherwise
   * run the timers of those before it.
   */
  forgetTimers(): Promise<void>;
  close(): Promise<void>;
}

export interface StartOptions
  extends Partial<Omit<ContextParts, "config" | "database" | "clock" | "sandbox">>,
    Pick<SandboxParts, "kill" | "clockAnswerWithinMs"> {
  /** The initial time of the clock. */
  readonly now?: Date;
  /** Environment variables, as in production. */
  readonly environment?: NodeJS.ProcessEnv;
  readonly database?: TestDatabase;
  /**
   * Kinds of timers that a file's tests do not need. They are removed before the clock moves, and then cost nothing.
   */
  readonly without?: readonly string[];
  /** Calls the sandbox's parties in the connector protocol, as staging does; otherwise directly. */
  readonly callsOverNetwork?: boolean;
  /** Connectors of single parties, instead of the sandbox's. Needs `callsOverNetwork`. */
  readonly partyConnectors?: PartyConnectors;
  /** Deviations of the sandbox's card processor from its default behaviour. */
  readonly cardProcessor?: Partial<CardProcessor>;
}

/**
 * The whole service for one test file: real servers on free ports of this machine, a separate database, sandbox
 * parties, and a clock that only the test moves. Nothing runs by itself: see `runDue` and `advance`.
 */
export async function startBff(options: StartOptions = {}): Promise<TestBff> {
  const loopback = { WEBHOOKS_ALLOW_LOOPBACK: "true", EXPENSE_URLS_ALLOW_LOOPBACK: "true" };
  const variables = {
    ...loopback,
    ORDER_API_PORT: "0",
    SPOT_API_PORT: "0",
    WIDGET_HOST_PORT: "0",
    OPERATIONS_PORT: "0",
    SANDBOX_PARTIES_PORT: "0",
  };
  const wanted = readConfig({ LOG_LEVEL: "silent", ...variables, ...options.environment });
  const servers = await listenForFaces(wanted);
  const probes = await listenForProbes(wanted);
  const config = withPorts(wanted, servers.ports);
  const clock = movableClock(options.now ?? new Date("2026-11-21T12:00:00Z"));
  const database = options.database ?? (await openTestDatabase());
  const keyring =
    options.keyring ?? createKeyring({ keys: [{ id: "test", secret: TEST_SECRET }], environment: config.environment });
  const { logger, throwUnexpected } = noticeFailedTimers(options.logger ?? silentLogger);
  const folder = await mkdtemp(join(tmpdir(), "aapd-test-"));
  const files = options.files ?? (await openFileStorage({ location: { kind: "folder", path: folder }, keyring }));
  const widget = options.widget ?? stubWidget(folder);
  const { kill, clockAnswerWithinMs, ids = systemIds } = options;
  const connectorUrl = `${config.addresses.sandbox.publicUrl}/connector`;
  const sandboxParts = {
    config,
    db: database.db,
    clock,
    ids,
    keyring,
    logger,
    kill,
    clockAnswerWithinMs,
    connectorUrl,
  };
  const opened = config.environment === "production" ? null : openSandbox(sandboxParts);
  const { partyConnectors = {} } = options;
  const sandbox = opened && { ...opened, parties: { ...opened.parties, partyConnectors } };
  Object.assign(sandbox?.gateways.cardProcessor ?? {}, options.cardProcessor);
  const direct = sandbox === null || options.callsOverNetwork ? {} : callsWithoutNetwork(sandbox, config);
  const parties = { ...direct, ...options.parties };
  const context = createContext({
    ...options,
    ...{ config, database, keyring, files, logger, widget, clock, ids, sandbox, parties },
  });
  servers.serve(createFaceApps(context));
  probes?.serve(createProbesApp(context));
  if (sandbox !== null) {
    const host = express().use("/connector", sandbox.connectorApp).use(sandbox.app);
    servers.serve(new Map([["sandbox", host]]));
  }
  const makeProvider = (overrides?: Partial<NewProvider>) => createTestProvider(context, overrides);
  const urls = config.addresses;
  return {
    orderApi: urls.order.publicUrl,
    spotApi: urls.spot.publicUrl,
    widgetHost: urls.widget.publicUrl,
    operatorConsole: urls.operations.publicUrl,
    sandboxGateways: urls.sandbox.publicUrl,
    probes: `http://127.0.0.1:${probes?.port}`,
    callOrderApi: createTestClient(urls.order.publicUrl),
    callSpotApi: createTestClient(urls.spot.publicUrl),
    callWidgetHost: createTestClient(urls.widget.publicUrl),
    clinic: await makeProvider(),
    context,
    database,
    files,
    clock,
    createProvider: makeProvider,
    async runDue(scope) {
      const count = await context.runDue(scope);
      throwUnexpected();
      return count;
    },
    async advance(milliseconds, { failing } = {}) {
      const { without = [] } = options;
      if (without.length > 0) {
        await context.runDue();
        await database.db.deleteFrom("timers").where("kind", "in", without).execute();
      }
      await advance(context, clock, milliseconds);
      throwUnexpected(failing);
    },
    forgetTimers: async () => void (await database.db.deleteFrom("timers").execute()),
    async close() {
      await servers.close({ deadlineMs: 1_000 });
      await probes?.close();
      await context.stop();
      if (options.database === undefined) await database.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The sandbox's parties, called directly. If messages go to a test's gateway, mails are sent over the network too. */
function callsWithoutNetwork({ gateways }: OpenSandbox, { messaging }: Config): Partial<Gateways> {
  const { messenger, ...others } = gateways;
  return messaging === null ? { ...others, messenger } : others;
}

function withPorts(config: Config, ports: FaceServers["ports"]): Config {
  const addresses = { ...config.addresses };
  for (const face of FACES) {
    const port = ports.get(face) ?? 0;
    addresses[face] = { port, publicUrl: `http://127.0.0.1:${port}` };
  }
  return { ...config, addresses };
}

async function createTestProvider(context: Context, overrides: Partial<NewProvider> = {}): Promise<TestProvider> {
  const { db } = context.database;
  const { provider, credentials } = await createProvider(
    { ...context, db, environment: context.config.environment, actor: "test" },
    {
      name: "Clínica Los Aromos del Sur SpA",
      rut: "76.900.001-1",
      commissionPercentage: 7,
      commissionTax: SANDBOX_COMMISSION_TAX,
      supportEmail: "pagos@losaromos.example.com",
      origins: ["https://losaromos.example.com"],
      ...overrides,
    },
  );
  const secretOf = (kind: string) => credentials.find((credential) => credential.kind === kind)?.value ?? "";
  return {
    provider,
    credentials: {
      client_secret: secretOf("client_secret"),
      client_id: secretOf("client_id"),
      public_key: secretOf("public_key"),
      webhook_secret: secretOf("webhook_secret"),
      secret_key: secretOf("secret_key"),
    },
  };
}

async function advance(context: Context, clock: MovableClock, milliseconds: number): Promise<void> {
  const end = clock.now().getTime() + milliseconds;
  for (;;) {
    await context.runDue();
    const due = await nextStop(context, clock.now());
    if (due === null || due.getTime() > end) break;
    clock.set(new Date(Math.max(due.getTime(), clock.now().getTime())));
  }
  clock.set(new Date(end));
  await context.runDue();
}

/** The next due time among all providers, at which a moving clock stops. */
async function nextStop({ database: { db } }: Context, now: Date): Promise<Date | null> {
  const waiting = await db
    .selectFrom("timers")
    .select(({ fn }) => [
      "provider_id",
      fn.min("due_at").as("due"),
      sql<boolean>`bool_or(kind = ${POLL_CLAIM_TIMER})`.as("polls"),
    ])
    .where("done_at", "is", null)
    .groupBy("provider_id")
    .execute();
  const first = Math.min(...waiting.filter(({ polls }) => !polls).map(({ due }) => due.getTime()));
  const earlier = waiting.filter(({ polls, due }) => polls && due.getTime() < first);
  const stops = await Promise.all(earlier.map(({ provider_id }) => nextStopAt(db, provider_id, now)));
  const moment = Math.min(first, ...stops.flatMap((stop) => (stop === null ? [] : [stop.getTime()])));
  return Number.isFinite(moment) ? new Date(moment) : null;
}

/** A widget of three lines, for tests of its host. */
function stubWidget(folder: string): WidgetSource {
  const template = `<!doctype html><html lang="${PAGE_MARKERS.lang}"><head><style>body{margin:0}</style></head><body><div id="app">${PAGE_MARKERS.html}</div>${PAGE_MARKERS.state}</body></html>`;
  const renderer = { renderApp: () => "<main>AAPD</main>" };
  const folders = {
    assetsFolder: join(folder, "assets"),
    embedFolder: join(folder, "embed"),
    packagesFolder: join(folder, "packages"),
  };
  return {
    kind: "built",
    widget: { template, styledTemplate: template, inline: inlineHashes(template), renderer, ...folders },
  };
}
