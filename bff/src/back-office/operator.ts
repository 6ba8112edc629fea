import { userInfo } from "node:os";
import { paymentPage } from "../checkout/self-service-links.ts";
import { serviceDayOfOrder } from "../claims/claim-reads.ts";
import type { FileStorage } from "../gateways/file-storage.ts";
import type { Gateways } from "../gateways/gateways.ts";
import type { NotifyPatientDependencies } from "../notifications/notify-patient.ts";
import { type Clock, systemClock } from "../platform/clock.ts";
import type { OpenDatabase } from "../platform/database/database.ts";
import { migrate, requireMigrations } from "../platform/database/migrate.ts";
import { createGuardedFetch } from "../platform/http/guarded-fetch.ts";
import { systemIds } from "../platform/ids.ts";
import type { Keyring } from "../platform/keyring.ts";
import { createLogger, type Logger, type LogLevel } from "../platform/logger.ts";
import { requireOwnDatabase } from "../platform/own-database.ts";
import type { Environment } from "../platform/provider.ts";
import type { ProviderOperations } from "../tenants/providers.ts";
import type { SetWebhookDependencies } from "../webhooks/endpoints.ts";
import { TOKEN_WARNING_MS } from "./operators/operator.ts";
import { type Identification, type Identified, identifyOperator } from "./operators.ts";

/** Thrown when a command cannot be carried out as given. The message is meant for the operator. */
export class CommandRefused extends Error {
  override readonly name = "CommandRefused";
}

/** The settings of the service that commands use. */
interface OperatedConfig {
  readonly environment: Environment;
  readonly logLevel: LogLevel;
  /** The operator's token from the environment; null if there is none. */
  readonly operatorToken: string | null;
  /** The folder from which relative paths in a command start. */
  readonly workingDir: string;
  readonly webhooks: { readonly allowLoopback: boolean };
  readonly addresses: Readonly<Record<"operations" | "widget", { readonly publicUrl: string }>>;
}

/** The service that commands operate. The caller closes everything that is opened here. */
export interface OperatedService {
  readonly config: OperatedConfig;
  openStorage(logger: Logger): Promise<Pick<Operator, "database" | "keyring" | "files">>;
  openKeyring(): Promise<Keyring>;
  /** Null if the service has no connection to outside parties. */
  chooseGateways(operator: Operator): Gateways | null;
}

/** The terminal in which a command was typed. */
export interface Terminal {
  /** Throws `CommandRefused` if the environment variables are not valid. */
  readService(environment: NodeJS.ProcessEnv | undefined): OperatedService;
  /** Brings the configured database to this version's newest migration. */
  migrate(): Promise<void>;
  /** The default is this process's own environment. */
  readonly environment?: NodeJS.ProcessEnv;
  /** The default is the machine's. */
  readonly clock?: Clock;
  write(text: string): void;
  writeError(text: string): void;
}

/** The dependencies of commands: the service's own operations, carried out in an operator's name. */
export interface Operator extends Omit<ProviderOperations, "actor">, SetWebhookDependencies {
  readonly service: OperatedService;
  readonly database: OpenDatabase;
  readonly files: FileStorage;
  readonly logger: Logger;
  readonly actor: string;
  readonly paymentPage: NotifyPatientDependencies["paymentPage"];
  readonly consultationDay: NotifyPatientDependencies["consultationDay"];
}

/**
 * Opens the database for one command and closes it afterwards. The embedded database is migrated automatically;
 * PostgreSQL is not, because other processes use it.
 */
export async function asOperator<T>(
  terminal: Terminal,
  run: (operator: Operator) => Promise<T>,
  managesOperators: Identification["managesOperators"] = null,
): Promise<T> {
  const service = terminal.readService(terminal.environment);
  const { config } = service;
  // Standard output is reserved for the command's answer.
  const logger = createLogger({ level: config.logLevel, destination: { write: terminal.writeError } });
  const { database, keyring, files } = await service.openStorage(logger);
  const guardedFetch = createGuardedFetch({ allowLoopback: config.webhooks.allowLoopback });
  const { clock = systemClock } = terminal;
  try {
    if (database.kind === "pglite") await migrate(database, { clock, logger });
    else await requireMigrations(database);
    const { environment } = config;
    await requireOwnDatabase(database, { environment, keyring });
    const token = config.operatorToken;
    const asker = { db: database.db, clock: systemClock, keyring, environment };
    const identified = await identifyOperator(asker, { token, machineUser: machineUser(), managesOperators });
    warnOfExpiry(terminal, identified);
    const { actor } = identified;
    const widgetHostUrl = config.addresses.widget.publicUrl;
    const pages = { clock, ids: systemIds, keyring, widgetHostUrl };
    return await run({
      service,
      database,
      logger,
      db: database.db,
      clock,
      ids: systemIds,
      keyring,
      files,
      environment,
      guardedFetch,
      actor,
      paymentPage: (tx, order) => paymentPage(pages, tx, order),
      consultationDay: serviceDayOfOrder,
    });
  } finally {
    await guardedFetch.close();
    await database.close();
  }
}

/** Standard output is reserved for the command's answer. */
function warnOfExpiry(terminal: Terminal, { tokenEndsAt }: Identified): void {
  if (tokenEndsAt === null || tokenEndsAt.getTime() - systemClock.now().getTime() > TOKEN_WARNING_MS) return;
  terminal.writeError(`Your token expires at ${tokenEndsAt.toISOString()}. Renew it with \`aapd operator renew\`.\n`);
}

/** In a container the user may be a number without a name. */
function machineUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid-${process.getuid?.() ?? "unknown"}`;
  }
}
