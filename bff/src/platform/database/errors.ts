/**
 * Thrown when the database cannot be reached, is shutting down, or the connection broke. Whether a running statement
 * took effect is unknown. HTTP answers with 503.
 */
export class DatabaseUnavailable extends Error {
  override readonly name = "DatabaseUnavailable";
  readonly code = "database_unavailable";
}

/**
 * Thrown when `commit` rolled the transaction back because a statement in it had failed and its error was swallowed.
 * Nothing was written.
 */
export class TransactionRolledBack extends Error {
  override readonly name = "TransactionRolledBack";
  readonly code = "transaction_rolled_back";
}

/** Thrown when the embedded database is requested in a release, which contains only PostgreSQL's client. */
export class NoEmbeddedDatabase extends Error {
  override readonly name = "NoEmbeddedDatabase";
  readonly code = "no_embedded_database";
}

/** Thrown when code inside a transaction sends a query to the database instead of to the transaction. */
export class QueryOutsideTransaction extends Error {
  override readonly name = "QueryOutsideTransaction";
  readonly code = "query_outside_transaction";
}

/** Whether the statement violated the unique index or constraint of this name, or any if no name is given. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  return violates(error, "23505", constraint);
}

/** Whether the statement violated the check constraint of this name, or any if no name is given. */
export function isCheckViolation(error: unknown, constraint?: string): boolean {
  return violates(error, "23514", constraint);
}

/** Whether the statement refers to a row that does not exist, or deletes one that is still referred to. */
export function isForeignKeyViolation(error: unknown, constraint?: string): boolean {
  return violates(error, "23503", constraint);
}

/** Why the database took no write: its disk has no room left, or it is read-only. Null for any other error. */
export function writeRefusalOf(error: unknown): "disk_full" | "read_only" | null {
  const code = codeOf(error instanceof DatabaseUnavailable ? error.cause : error);
  return code === "53100" ? "disk_full" : code === READ_ONLY ? "read_only" : null;
}

/** Whether a statement waited too long for a lock of another transaction. */
export function isLockTimeout(error: unknown): boolean {
  return codeOf(error) === "55P03";
}

/** Whether retrying the whole transaction may succeed: serialization failure, deadlock, outdated plan. */
export function isTransient(error: unknown): boolean {
  const code = codeOf(error);
  return code === "40001" || code === "40P01" || isOutdatedPlan(error);
}

/** Whether a named statement's plan no longer fits its table, after a migration while this connection was open. */
export function isOutdatedPlan(error: unknown): boolean {
  return codeOf(error) === "0A000" && error instanceof Error && error.message.includes("cached plan");
}

const unreachable = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ENOTFOUND",
  "ETIMEDOUT",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOENT",
]);

/** A read-only transaction: a standby that an old connection still reaches after a failover, or a protected server. */
const READ_ONLY = "25006";

/** Shutdown, crash, starting up, too many connections, or a read-only database. */
const unavailableStates = new Set(["57P01", "57P02", "57P03", "53300", READ_ONLY]);

const lostTexts = [
  "Connection terminated",
  "timeout exceeded when trying to connect",
  "Client has encountered a connection error",
  "Cannot use a pool after calling end",
  "Client was closed",
  "Query read timeout",
];

const silentTexts = [
  "Query read timeout",
  "timeout exceeded when trying to connect",
  "due to connection timeout",
  "ETIMEDOUT",
];

/** Whether there was no response before a time-out: no result, no database error, no refused connection. */
export function isNoAnswer(error: unknown): boolean {
  const cause = error instanceof DatabaseUnavailable ? error.cause : error;
  return cause instanceof Error && silentTexts.some((text) => cause.message.includes(text));
}

/** Whether the connection was lost or could not be opened. */
export function isConnectionLoss(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isConnectionLoss);
  const code = codeOf(error);
  if (code !== undefined && (unreachable.has(code) || unavailableStates.has(code) || code.startsWith("08")))
    return true;
  return error instanceof Error && lostTexts.some((text) => error.message.startsWith(text));
}

function violates(error: unknown, code: string, constraint: string | undefined): boolean {
  if (codeOf(error) !== code) return false;
  return (
    constraint === undefined || (error instanceof Error && "constraint" in error && error.constraint === constraint)
  );
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** Thrown when the database and the migration files disagree. The message is for the operator. */
export class MigrationRefused extends Error {
  override readonly name = "MigrationRefused";
  readonly code = "migration_refused";
}

/**
 * Thrown when the process reaches the database through an undeclared pooler, or its connections lack the required
 * limits. The message is for the operator.
 */
export class PoolerRefused extends Error {
  override readonly name = "PoolerRefused";
  readonly code = "pooler_refused";
}

const UNDECLARED_POOLER =
  "DATABASE_POOLER: a pooler that does not give each process connections of its own stands before the database. Set DATABASE_POOLER=transaction, or name PostgreSQL itself in DATABASE_URL.";

/** Whether an error means that a pooler refuses settings at the start of a connection. */
export function isPoolersRefusal(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith("unsupported startup parameter");
}

export function poolerNotConfigured(options?: ErrorOptions): PoolerRefused {
  return new PoolerRefused(UNDECLARED_POOLER, options);
}

/** Thrown when PostgreSQL refuses the user, the password or the database's name. The message is for the operator. */
export class LoginRefused extends Error {
  override readonly name = "LoginRefused";
  readonly code = "login_refused";
}

/** Invalid authorization, invalid password, no such database. */
const loginStates = new Set(["28000", "28P01", "3D000"]);

/** PostgreSQL's refusal to let this user connect, or null. Its text names the user or database, never the password. */
export function loginRefusalOf(error: unknown): LoginRefused | null {
  if (!(error instanceof Error) || !loginStates.has(codeOf(error) ?? "")) return null;
  return new LoginRefused(`DATABASE_URL: PostgreSQL refuses the connection: ${error.message}.`, { cause: error });
}
