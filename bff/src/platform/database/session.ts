import { createHash } from "node:crypto";

/** A query's result as Kysely's PostgreSQL dialect expects it. */
export interface QueryResult {
  command: string;
  rowCount: number;
  // biome-ignore lint/suspicious/noExplicitAny: the rows of a query have the shape that the query asked for.
  rows: any[];
}

/** One connection, used by one caller until it is released. */
export interface Session {
  query(sql: string, parameters: readonly unknown[]): Promise<QueryResult>;
  /** Several statements without parameters, for migrations. */
  script(sql: string): Promise<void>;
  /** Gives it back to the pool, which closes it if it is broken. */
  release(isBroken?: boolean): void;
}

/** The number of connections, how many of them are free, and how many callers wait for one. */
export interface PoolLoad {
  readonly connections: number;
  readonly idle: number;
  readonly waiting: number;
}

/** The interface of both databases towards Kysely. */
export interface SessionPool {
  connect(): Promise<Session>;
  /** A connection for the process's probes, which callers of the pool never wait for or hold. */
  connectProbe(): Promise<Session>;
  load(): PoolLoad;
  /** Waits for running queries, then closes. */
  end(): Promise<void>;
}

/**
 * The planner's cost of reading a page at random, relative to reading the next one in sequence: data is in memory or on
 * an SSD. PostgreSQL's default of 4 is for spinning disks. With it, a plan made while a table is empty scans the whole
 * table, and that plan stays in use until the table is analysed, however large the table grows.
 */
export const RANDOM_PAGE_COST = 1.1;

const transactionControl = /^(?:begin|start transaction|commit|rollback|savepoint|release)\b/i;

/** Whether the SQL only begins, ends or marks a transaction. Such statements gain nothing from a name. */
export function isTransactionControl(sql: string): boolean {
  return transactionControl.test(sql);
}

/**
 * Gives each SQL text a name under which the database keeps it parsed and planned. A connection never forgets a name,
 * so their number is limited: texts beyond the limit, mostly lists of varying length, run without a name.
 */
export function createStatementNames(capacity: number): (sql: string) => string | undefined {
  const names = new Map<string, string>();
  return (sql) => {
    const known = names.get(sql);
    if (known !== undefined) return known;
    if (names.size >= capacity || isTransactionControl(sql)) return undefined;
    const name = `q_${createHash("sha256").update(sql).digest("base64url").slice(0, 16)}`;
    names.set(sql, name);
    return name;
  };
}
