import { createHash } from "node:crypto";
import { Kysely, PostgresDialect, type PostgresPool } from "kysely";
import type { OpenDatabase } from "../../src/platform/database/database.ts";
import { DatabaseUnavailable, TransactionRolledBack } from "../../src/platform/database/errors.ts";
import type { QueryResult, Session } from "../../src/platform/database/session.ts";
import type { Tables } from "../../src/platform/database/tables.ts";
import { markEmbedded, pauseRetriesWith } from "../../src/platform/database/transaction.ts";
import { cellOf, openTransitions } from "./coverage.ts";
import { type InstanceLife, never } from "./instance-life.ts";
import { Deadlocked, StatementRefused, type Trouble } from "./trouble.ts";

/**
 * A statement on its way to the database. A planted bug replaces it by another statement, or by an answer.
 */
export interface Statement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}
export type Tamper = (
  statement: Statement,
  send: (statement: Statement) => Promise<QueryResult>,
) => Promise<QueryResult>;

/**
 * The shared database as one instance sees it. The instance's faults occur here at any statement. When the instance is
 * dead, its open transactions are rolled back, as a server does after a broken connection, and its queries never
 * answer.
 */
export function openInstanceDatabase(shared: OpenDatabase, life: InstanceLife, tamper: Tamper | null): OpenDatabase {
  const pool: PostgresPool = {
    options: {},
    async connect() {
      await life.pass("connects");
      const lent = await life.stage.busy(() => borrow(shared));
      const line = createLine(lent, life, tamper);
      if (life.isDead()) await line.abandon();
      return {
        query: (sql: unknown, parameters: readonly unknown[] = []) => line.send(String(sql), parameters) as never,
        release: () => line.release(),
      };
    },
    end: async () => undefined,
  };
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  markEmbedded(db);
  pauseRetriesWith(db, () => life.stage.jitter());
  return { ...shared, db, close: async () => undefined };
}

interface Lent {
  readonly session: Session;
  release(): void;
}

/** Takes a session of the shared database, until it is returned. */
function borrow(shared: OpenDatabase): Promise<Lent> {
  return new Promise((resolve, reject) => {
    shared
      .withSession(
        (session) =>
          new Promise<void>((release) => {
            resolve({ session, release });
          }),
      )
      .catch(reject);
  });
}

/** A statement that may move an order or a claim from one state to another. */
const CHANGES_A_STATE = /\bupdate "?(orders|claims)"?\b/i;

/** Faults that cannot hit a single-statement transaction. */
const NOT_ALONE = ["deadlock"] as const;

interface Line {
  send(sql: string, parameters: readonly unknown[]): Promise<QueryResult>;
  release(): void;
  /** Rolls back the open transaction, and never returns. */
  abandon(): Promise<never>;
}

function createLine({ session, release }: Lent, life: InstanceLife, tamper: Tamper | null): Line {
  let isOpen = false;
  /** Whether the open transaction may have moved an order or a claim from one state to another. */
  let mayHaveMoved = false;
  let isLost = false;
  const raw = ({ sql, parameters }: Statement) => life.stage.busy(() => session.query(sql, parameters));
  const rollBack = async () => {
    if (isOpen) await raw({ sql: "rollback", parameters: [] });
    isOpen = false;
  };
  const lose = async (): Promise<never> => {
    await rollBack();
    isLost = true;
    throw new DatabaseUnavailable("The connection was lost.");
  };
  const abandon = async (): Promise<never> => {
    await rollBack();
    release();
    return never();
  };
  /** The transitions that the statement is about to make: those of the open transaction, or the statement's own. */
  const transitionsAt = async (statement: Statement): Promise<readonly string[]> => {
    if (isOpen) return openTransitions(session);
    await session.query("begin", []);
    await session.query(statement.sql, statement.parameters);
    const lines = await openTransitions(session);
    await session.query("rollback", []);
    return lines;
  };
  const meetTransitions = async (statement: Statement, trouble: Trouble["kind"] | null) => {
    const isCommit = statement.sql === "commit";
    const isLook = isOpen ? mayHaveMoved && (trouble !== null || isCommit) : aboutOf(statement.sql).changesAState;
    if (!isLook) return;
    const moment = life.troubles().last("statement", isCommit ? "commit" : null);
    if (trouble === null && moment === null) return;
    // After a failed statement, a transaction accepts no query and makes no transition.
    const lines = await life.stage.busy(() => transitionsAt(statement)).catch(() => []);
    for (const line of lines)
      if (trouble === null) life.stage.meetAt(line, moment);
      else life.stage.meet(cellOf(line, trouble));
  };
  const run = async (statement: Statement): Promise<QueryResult> => {
    const result = await (tamper === null ? raw(statement) : tamper(statement, raw));
    if (statement.sql === "begin" || statement.sql.startsWith("start transaction")) isOpen = true;
    if (statement.sql === "commit" || statement.sql === "rollback") isOpen = false;
    mayHaveMoved = isOpen && (mayHaveMoved || aboutOf(statement.sql).changesAState);
    if (statement.sql === "commit" && result.command !== "COMMIT")
      throw new TransactionRolledBack("The transaction was rolled back at its commit.");
    return result;
  };
  return {
    abandon,
    release,
    async send(sql, parameters) {
      if (life.isDead()) return abandon();
      if (isLost) throw new DatabaseUnavailable("The connection was lost.");
      const cannot = isOpen ? [] : NOT_ALONE;
      const trouble = sql === "rollback" ? null : life.troubles().next("statement", sql, cannot);
      life.stage.note(`${life.name} ${aboutOf(sql).name}${trouble === null ? "" : ` ${trouble}`}`);
      await meetTransitions({ sql, parameters }, trouble);
      if (trouble === "dies_before") life.die();
      if (life.isDead()) return abandon();
      if (trouble === "lost_before") return lose();
      if (trouble === "refused") return refuse(raw, isOpen, new StatementRefused("The disk is full."));
      if (trouble === "deadlock") return refuse(raw, isOpen, new Deadlocked("A deadlock was detected."));
      const result = await run({ sql, parameters });
      return afterwards(result, trouble, { life, abandon, lose });
    },
  };
}

async function afterwards(
  result: QueryResult,
  trouble: Trouble["kind"] | null,
  { life, abandon, lose }: { life: InstanceLife; abandon: () => Promise<never>; lose: () => Promise<never> },
): Promise<QueryResult> {
  if (trouble === "dies_after") life.die();
  if (life.isDead()) return abandon();
  if (trouble === "lost_after") return lose();
  return result;
}

/** Inside a transaction, the server refuses further statements until a rollback. */
async function refuse(
  raw: (statement: Statement) => Promise<QueryResult>,
  isOpen: boolean,
  reason: Error,
): Promise<never> {
  if (isOpen) await raw({ sql: "select 1 / 0", parameters: [] }).catch(() => undefined);
  throw reason;
}

/** Properties of a statement that follow from its text. */
interface StatementAbout {
  /** The beginning of its text, with a hash of the rest. */
  readonly name: string;
  /** Whether it may move an order or a claim from one state to another. */
  readonly changesAState: boolean;
}

const abouts = new Map<string, StatementAbout>();

function aboutOf(sql: string): StatementAbout {
  const known = abouts.get(sql);
  if (known !== undefined) return known;
  const text = sql.replaceAll(/\s+/g, " ").trim();
  const fingerprint = createHash("sha256").update(text).digest("hex").slice(0, 6);
  const name = text.length <= 48 ? text : `${text.slice(0, 40)}…${fingerprint}`;
  const about = { name, changesAState: CHANGES_A_STATE.test(sql) };
  abouts.set(sql, about);
  return about;
}
