import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { keepWidget, openWidget, WidgetNotBuilt } from "../frame/open-widget.ts";
import { readKindsWithoutStampTax, readKindsWithoutText } from "../orders/legal-texts.ts";
import { resultWithin } from "../platform/background-work.ts";
import { systemClock } from "../platform/clock.ts";
import { ConfigInvalid } from "../platform/config-invalid.ts";
import type { OpenDatabase } from "../platform/database/database.ts";
import {
  DatabaseUnavailable,
  LoginRefused,
  MigrationRefused,
  NoEmbeddedDatabase,
  PoolerRefused,
} from "../platform/database/errors.ts";
import { FolderInUse } from "../platform/database/folder-lock.ts";
import { migrate, requireMigrations } from "../platform/database/migrate.ts";
import { CannotListen } from "../platform/http/server.ts";
import { KeyringFileInvalid } from "../platform/keyring-file.ts";
import { createLogger, type Logger } from "../platform/logger.ts";
import { createMetrics } from "../platform/metrics.ts";
import { DatabaseRefused, requireEveryKey, requireOwnDatabase } from "../platform/own-database.ts";
import { createPoller } from "../platform/poller.ts";
import { programOf } from "../platform/program.ts";
import { createSpanSender, type SpanSender } from "../platform/tracing/send-spans.ts";
import { createTracer } from "../platform/tracing/tracing.ts";
import { requireWebhookKeys } from "../tenants/credentials.ts";
import { type Context, createContext } from "./compose.ts";
import { type Config, readConfig } from "./config.ts";
import { type FaceServers, listenForFaces, listenForProbes, type ProbesServer } from "./listen.ts";
import { openStorage } from "./open-storage.ts";
import { reportOtherConnectors } from "./other-connectors.ts";
import type { ContextParts } from "./parts.ts";
import { createReach } from "./probes.ts";
import type { Sandbox } from "./sandbox-port.ts";
import { createFaceApps, createProbesApp } from "./server.ts";

/**
 * Errors that the operator can fix by following their message. Any other error is a defect and is shown with its stack.
 */
const OPERATOR_ERRORS = [
  ConfigInvalid,
  CannotListen,
  FolderInUse,
  MigrationRefused,
  PoolerRefused,
  LoginRefused,
  DatabaseRefused,
  DatabaseUnavailable,
  KeyringFileInvalid,
  NoEmbeddedDatabase,
  WidgetNotBuilt,
] as const;

/** Opens the sandbox of a service. Throws `ConfigInvalid` where a sandbox is not allowed. */
export type OpenSandbox = (parts: Pick<ContextParts, "config" | "database" | "keyring" | "logger">) => Sandbox;

/** Runs the whole program until a signal comes; on failure prints the error and sets the exit code. */
export async function runService(openSandbox: OpenSandbox | null): Promise<void> {
  try {
    refuseArguments(process.argv.slice(2));
    await serve(openSandbox);
  } catch (error) {
    const isForOperator = OPERATOR_ERRORS.some((kind) => error instanceof kind);
    const text =
      error instanceof Error ? (isForOperator ? error.message : (error.stack ?? error.message)) : String(error);
    process.stderr.write(`${text}\n`);
    process.exitCode = 1;
  }
}

/** `--help`, or a command of `aapd`, must not start a server. */
function refuseArguments([first]: readonly string[]): void {
  if (first === undefined) return;
  throw new ConfigInvalid([
    `${first}: this program takes no arguments and reads its settings from variables. Operators' commands: aapd --help`,
  ]);
}

async function serve(openSandbox: OpenSandbox | null): Promise<void> {
  const config = readConfig();
  if (openSandbox === null) requireGateways(config);
  const logger = createLogger({ level: config.logLevel, program: programOf(config) });
  const probes = await listenForProbes(config);
  try {
    await run(config, logger, probes, openSandbox);
  } finally {
    await probes?.close();
  }
}

/** Without a sandbox, the gateways must be configured. */
function requireGateways({ parties, faces }: Config): void {
  const lines: string[] = [];
  if (parties === null) lines.push("CONNECTOR_URL: set it; this program has no sandbox in place of the real parties");
  if (faces.includes("sandbox"))
    lines.push("FACES: list the faces that this process serves; this program has no sandbox");
  if (lines.length > 0) throw new ConfigInvalid(lines);
}

/** Opens everything, serves until a signal comes, and closes everything in reverse order. */
async function run(
  config: Config,
  logger: Logger,
  probes: ProbesServer | null,
  openSandbox: OpenSandbox | null,
): Promise<void> {
  const { database, keyring, files } = await openWhenDatabaseAnswers(config, logger);
  try {
    const widget = config.faces.includes("widget") ? await openWidget(config) : null;
    if (widget !== null) await keepWidget(widget, { files, logger });
    const sandbox = openSandbox?.({ config, database, keyring, logger }) ?? null;
    const metrics = createMetrics({ program: programOf(config) });
    const spans = openSpanSender(config, logger);
    const tracer = createTracer({ spanEnded: spans?.spanEnded ?? null });
    const faces = await listenForFaces(config);
    const reach = createReach({ database, logger });
    const look = async () => faces.accept(await reach());
    const reaching = createPoller({ look, pollMs: REACH_EVERY_MS, logger });
    try {
      const context = createContext({
        config,
        database,
        keyring,
        files,
        logger,
        metrics,
        tracer,
        widget,
        sandbox,
        clock: database.clock,
      });
      await reportOtherConnectors(context);
      // From the first answer on, a signal stops the process in order.
      const signal = untilSignal(logger);
      faces.serve(createFaceApps(context));
      probes?.serve(createProbesApp(context));
      context.start();
      reaching.start();
      logReady(config, faces, probes, { database: database.kind, logger });
      await signal;
      await reportNotReady(config, faces, probes);
      await drain(config, context, faces, logger);
    } finally {
      await faces.close({ deadlineMs: 0 });
      await reaching.stop();
    }
    await spans?.close();
  } finally {
    await database.close();
  }
}

/** How often the database is pinged, which also measures its clock. */
const REACH_EVERY_MS = 1_000;
const DATABASE_RETRY_MS = 1_000;

/** Waits for a database that does not answer: a restarted process would find the same, later. */
async function openWhenDatabaseAnswers(config: Config, logger: Logger): ReturnType<typeof openStorage> {
  for (;;) {
    try {
      return await openCheckedStorage(config, logger);
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
      logger.warn("server.waiting_for_database", { error });
      await wait(DATABASE_RETRY_MS);
    }
  }
}

/** Opens the storage, and checks that it has this version's migrations and belongs to this environment and keyring. */
async function openCheckedStorage(config: Config, logger: Logger): ReturnType<typeof openStorage> {
  const storage = await openStorage(config, logger);
  const { database, keyring } = storage;
  try {
    // In production other processes use the database, so the operator decides when to migrate it. Migrations never run
    // through a pooler.
    if (config.environment === "production" || database.isPooled) await requireMigrations(database);
    else await migrate(database, { clock: systemClock, logger });
    await database.ping();
    await requireOwnDatabase(database, { environment: config.environment, keyring });
    await requireEveryKey(database, keyring);
    await requireWebhookKeys({ db: database.db, clock: systemClock, keyring });
    for (const kind of await readKindsWithoutText(database.db, config.environment))
      logger.warn("server.text_missing", { kind });
    await requireStampTaxInTexts(database, config);
    return storage;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** A tax that the commission includes is booked with each payment, so the patient's agreement has to name it. */
async function requireStampTaxInTexts({ db }: OpenDatabase, { stampTax, environment }: Config): Promise<void> {
  if (stampTax.borneBy !== "commission") return;
  const silent = await readKindsWithoutStampTax(db, environment);
  if (silent.length > 0)
    throw new ConfigInvalid([
      `STAMP_TAX: {{stamp_tax}} is missing in ${silent.join(", ")}. Set new versions with \`aapd texts set\`, or \`lender\`.`,
    ]);
}

function logReady(
  { environment, bindAddress: address }: Config,
  faces: FaceServers,
  probes: ProbesServer | null,
  { database, logger }: { readonly database: string; readonly logger: Logger },
): void {
  const ports = probes === null ? [...faces.ports] : [...faces.ports, ["probes", probes.port] as const];
  for (const [face, port] of ports) logger.info("server.listening", { face, port, address });
  logger.info("server.ready", { environment, database });
}

/** Sends spans where the configuration names a collector. */
function openSpanSender(config: Config, logger: Logger): SpanSender | null {
  return config.traces === null ? null : createSpanSender({ ...config.traces, program: programOf(config), logger });
}

async function untilSignal(logger: Logger): Promise<void> {
  const signal = await Promise.race([
    once(process, "SIGTERM").then(() => "SIGTERM"),
    once(process, "SIGINT").then(() => "SIGINT"),
  ]);
  logger.info("server.stopping", { signal });
  // A second signal ends the process at once.
  for (const again of ["SIGTERM", "SIGINT"]) process.once(again, () => process.exit(1));
}

/** For this time at the end of the drain, new requests are refused. */
const LEAVE_MS_MAX = 1_000;

/**
 * Keeps serving for a while but reports that it is not ready, for proxies that probe. Other proxies notice refused
 * requests and send no more, so that none is in flight when the ports close.
 */
async function reportNotReady({ drainMs }: Config, faces: FaceServers, probes: ProbesServer | null): Promise<void> {
  const leaveMs = Math.min(LEAVE_MS_MAX, drainMs / 2);
  probes?.drain();
  faces.drain();
  await wait(drainMs - leaveMs);
  if (leaveMs > 0) faces.leave();
  await wait(leaveMs);
}

/** The minimum time for background work to finish after the requests were answered. */
const WORK_MS_MIN = 3_000;

/**
 * Finishes the running requests, then waits for the background work, for the timeout plus at most `WORK_MS_MIN`. Work
 * that takes longer is cut off, and another process resumes it from the database.
 */
async function drain(config: Config, context: Context, faces: FaceServers, logger: Logger): Promise<void> {
  const { shutdownTimeoutMs } = config;
  const begun = performance.now();
  const { forced } = await faces.close({ deadlineMs: shutdownTimeoutMs });
  const left = Math.max(shutdownTimeoutMs - (performance.now() - begun), WORK_MS_MIN);
  const isOver =
    (await resultWithin(
      context.stop().then(() => true),
      left,
    )) ?? false;
  logger.info("server.stopped", { forced: forced || !isOver });
  if (!isOver) process.exit(0);
}
