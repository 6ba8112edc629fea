import { createHash } from "node:crypto";

/** One answer of the database, as Kysely's PostgreSQL dialect wants it. */
export interface QueryResult {
  command: string;
  rowCount: number;
  // biome-ignore lint/suspicious/noExplicitAny: the rows of a query have the shape that the query asked for.
  rows: any[];
}

/** One connection, held by one caller until it is released. */
export interface Session {
  query(sql: string, parameters: readonly unknown[]): Promise<QueryResult>;
  /** Several statements without parameters, for migrations. */
  script(sql: string): Promise<void>;
  release(): void;
}

/** What both databases look like to Kysely. */
export interface SessionPool {
  connect(): Promise<Session>;
  /** Waits for what is under way, then closes. */
  end(): Promise<void>;
}

/**
 * What the planner counts for a page that is looked up, in pages that are read one after the other: what is used is in
 * memory or on a disk without arms. PostgreSQL's own 4 is an arm's; with it, a plan that is made while a table is empty
 * reads all of it, and is kept until somebody looks at the table, however large it is by then.
 */
export const RANDOM_PAGE_COST = 1.1;

const transactionControl = /^(?:begin|start transaction|commit|rollback|savepoint|release)\b/i;

/** Whether the text only opens, ends or marks a transaction; such statements gain nothing from a name. */
export function isTransactionControl(sql: string): boolean {
  return transactionControl.test(sql);
}

/**
 * Gives each SQL text a name under which the database keeps it parsed and planned. A connection never forgets a name, so
 * that their number is capped: texts past the cap (lists of varying length, mostly) run without a name.
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
