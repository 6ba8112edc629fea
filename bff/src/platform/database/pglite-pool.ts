import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { PGlite, protocol } from "@electric-sql/pglite";
import type { Logger } from "../logger.ts";
import { DatabaseUnavailable } from "./errors.ts";
import { lockFolder } from "./folder-lock.ts";
import {
  createStatementNames,
  type PoolLoad,
  type QueryResult,
  RANDOM_PAGE_COST,
  type Session,
  type SessionPool,
} from "./session.ts";
import { refuseInsideTransaction } from "./transaction.ts";
import { encodeParameter, parserOf } from "./values.ts";

export interface PglitePoolOptions {
  /** A folder for the data, or null to keep it in memory. */
  folder: string | null;
  /** An open PGlite to use instead of opening one; its opener closes it. */
  running?: PGlite;
  /** How long a caller waits for its turn before the database counts as unavailable. */
  connectTimeoutMs: number;
  /** The most SQL texts that are sent as named statements. */
  statementNamesMax: number;
  /** How often tables are vacuumed and analysed, because PGlite has no background process for that. */
  maintenanceIntervalMs: number;
}

/**
 * PostgreSQL inside this process. It has one session, held by one transaction or query at a time; all others wait in
 * the order of their arrival.
 */
export async function openPglitePool(options: PglitePoolOptions, logger: Logger): Promise<SessionPool> {
  const { folder, running } = options;
  if (running !== undefined) return openPool(running, options, logger, () => Promise.resolve());
  if (folder === null) {
    const lite = await PGlite.create({ dataDir: "memory://" });
    return openPool(lite, options, logger, () => lite.close());
  }
  const unlock = await lockFolder(folder);
  try {
    const lite = await openFolder(folder);
    return await openPool(lite, options, logger, async () => {
      await lite.close();
      await unlock();
    });
  } catch (error) {
    await unlock();
    throw error;
  }
}

/** A subfolder for PostgreSQL's data, so that the lock file next to it does not interfere. */
export function dataFolderIn(folder: string): string {
  return join(folder, "pglite");
}

async function openFolder(folder: string): Promise<PGlite> {
  const dataDir = dataFolderIn(folder);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  return PGlite.create({ dataDir });
}

async function openPool(
  lite: PGlite,
  options: PglitePoolOptions,
  logger: Logger,
  close: () => Promise<void>,
): Promise<SessionPool> {
  await lite.exec(`set random_page_cost = ${RANDOM_PAGE_COST}`);
  const turns = createTurns(options.connectTimeoutMs);
  const send = createSender(lite, createStatementNames(options.statementNamesMax));
  const maintenance = setInterval(() => {
    maintain(turns, send).catch((error: unknown) => logger.warn("database.maintenance_failed", { error }));
  }, options.maintenanceIntervalMs);
  maintenance.unref();
  const connect = async (take: () => Promise<void>) => {
    refuseInsideTransaction();
    await take();
    return openSession(lite, send, turns.give);
  };
  return {
    connect: () => connect(turns.take),
    // Because there is only one session, a probe goes to the front of the queue.
    connectProbe: () => connect(turns.takeNext),
    load: turns.load,
    async end() {
      clearInterval(maintenance);
      await turns.close();
      await close();
    },
  };
}

async function maintain(turns: Turns, send: Send): Promise<void> {
  await turns.take();
  try {
    await send("vacuum analyze", []);
  } finally {
    turns.give();
  }
}

interface Turns {
  take(): Promise<void>;
  /** Takes the turn ahead of all waiting callers. */
  takeNext(): Promise<void>;
  give(): void;
  load(): PoolLoad;
  close(): Promise<void>;
}

/** Gives the session to one holder at a time, in order of arrival. */
function createTurns(timeoutMs: number): Turns {
  const waiting: Array<{ resolve: () => void; reject: (error: Error) => void }> = [];
  let taken = false;
  let closed = false;

  const wait = (isNext: boolean) =>
    new Promise<void>((resolve, reject) => {
      const entry = { resolve: () => settle(resolve), reject: (error: Error) => settle(() => reject(error)) };
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(entry), 1);
        reject(new DatabaseUnavailable(`The embedded database was held for more than ${timeoutMs} ms.`));
      }, timeoutMs);
      const settle = (then: () => void) => {
        clearTimeout(timer);
        then();
      };
      if (isNext) waiting.unshift(entry);
      else waiting.push(entry);
    });

  const take = async (isNext = false) => {
    if (taken) await wait(isNext);
    else taken = true;
  };
  const takeOpen = async (isNext: boolean) => {
    if (closed) throw new DatabaseUnavailable("The database is closed.");
    await take(isNext);
    // PGlite blocks the event loop; without a pause between callers nothing else would run.
    await nextTurn();
  };
  return {
    take: () => takeOpen(false),
    takeNext: () => takeOpen(true),
    give() {
      const next = waiting.shift();
      if (next === undefined) taken = false;
      else next.resolve();
    },
    load: () => ({ connections: 1, idle: taken ? 0 : 1, waiting: waiting.length }),
    async close() {
      if (closed) return;
      closed = true;
      await take();
    },
  };
}

type Send = (sql: string, parameters: readonly unknown[]) => Promise<QueryResult>;

function openSession(lite: PGlite, send: Send, give: () => void): Session {
  let held = true;
  return {
    query: send,
    script: async (sql) => void (await lite.exec(sql)),
    release() {
      if (held) give();
      held = false;
    },
  };
}

/**
 * Sends a query as one batch (parse, bind, describe, execute, sync) instead of PGlite's five calls. That is three times
 * faster, and allows named statements.
 */
function createSender(lite: PGlite, nameOf: (sql: string) => string | undefined): Send {
  const parsed = new Set<string>();
  return async (sql, parameters) => {
    const name = nameOf(sql);
    const isParsed = name !== undefined && parsed.has(name);
    const messages = await lite.execProtocolStream(writeQuery({ name, isParsed, sql, parameters }), {
      throwOnError: false,
      syncToFs: false,
    });
    // A parsed statement stays, even if its execution fails or the transaction is rolled back.
    if (name !== undefined && messages.some((message) => message.name === "parseComplete")) parsed.add(name);
    return readAnswer(messages);
  };
}

interface WireQuery {
  name: string | undefined;
  isParsed: boolean;
  sql: string;
  parameters: readonly unknown[];
}

function writeQuery({ name, isParsed, sql, parameters }: WireQuery): Uint8Array {
  const { serialize } = protocol;
  const named = name === undefined ? {} : { name };
  const bind = serialize.bind({
    ...(name !== undefined && { statement: name }),
    values: parameters.map(encodeParameter),
  });
  const parts = isParsed ? [] : [serialize.parse({ ...named, text: sql })];
  return Buffer.concat([...parts, bind, serialize.describe({ type: "P" }), serialize.execute({}), serialize.sync()]);
}

type Message = Awaited<ReturnType<PGlite["execProtocolStream"]>>[number];

/** The fields of the messages that carry an answer; PGlite's types declare only the fields common to all messages. */
type AnswerMessage =
  | { name: "rowDescription"; fields: ReadonlyArray<{ name: string; dataTypeID: number }> }
  | { name: "dataRow"; fields: ReadonlyArray<string | null> }
  | { name: "commandComplete"; text: string }
  | { name: "otherwise" };

function readAnswer(messages: readonly Message[]): QueryResult {
  const failure = messages.find((message) => message instanceof Error);
  if (failure !== undefined) throw failure;
  let columns: Array<{ name: string; parse: (text: string) => unknown }> = [];
  let tag = "";
  const rows: Record<string, unknown>[] = [];
  for (const message of messages as readonly unknown[] as readonly AnswerMessage[]) {
    if (message.name === "rowDescription")
      columns = message.fields.map(({ name, dataTypeID }) => ({ name, parse: parserOf(dataTypeID) }));
    if (message.name === "dataRow") rows.push(readRow(columns, message.fields));
    if (message.name === "commandComplete") tag = message.text;
  }
  const words = tag.split(" ");
  return { command: words[0] ?? "", rowCount: Number(words.at(-1)) || 0, rows };
}

function readRow(
  columns: ReadonlyArray<{ name: string; parse: (text: string) => unknown }>,
  fields: ReadonlyArray<string | null>,
): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  columns.forEach(({ name, parse }, index) => {
    const text = fields[index];
    row[name] = text === null || text === undefined ? null : parse(text);
  });
  return row;
}
