import { connect, createServer, type Socket } from "node:net";
import { openDatabase } from "../../../src/platform/database/database.ts";
import { DatabaseUnavailable } from "../../../src/platform/database/errors.ts";
import type { Database } from "../../../src/platform/database/transaction.ts";
import { silentLogger } from "../../../src/platform/logger.ts";
import { openTestDatabase, type TestDatabase, testDatabaseKind } from "../../database.ts";
import { watchedDatabase } from "./orders-world.ts";

/** Cut before the message arrives, or before its answer does. In the second case the statement was executed. */
export type CutMoment = "before" | "after";

/** A database whose connection can be cut at any message. */
export interface CuttableDatabase {
  /** Through the connection that can be cut. */
  readonly database: TestDatabase;
  /** Through a connection that is never cut. */
  readonly sound: Database;
  /** Cuts the connection at the n-th message from now. Afterwards there is no database until `mend`. */
  cut(message: number, moment: CutMoment): void;
  /** Restores the connection. Returns whether it had been cut. */
  mend(): boolean;
  close(): Promise<void>;
}

/**
 * On PostgreSQL, a proxy that really cuts connections. The embedded database has no connections, so its queries fail.
 */
export function openCuttableDatabase(): Promise<CuttableDatabase> {
  return testDatabaseKind === "postgres" ? overProxy() : overHook();
}

/** Counts messages and decides when to cut. */
function createCutter() {
  let left: number | null = null;
  let moment: CutMoment = "before";
  let isGone = false;
  return {
    get isGone() {
      return isGone;
    },
    cut(message: number, at: CutMoment) {
      left = message;
      moment = at;
    },
    mend() {
      const wasGone = isGone;
      left = null;
      isGone = false;
      return wasGone;
    },
    /** What happens to the next message. */
    next(): "pass" | CutMoment {
      if (left === null) return "pass";
      left -= 1;
      if (left > 0) return "pass";
      left = null;
      isGone = true;
      return moment;
    },
  };
}

async function overProxy(): Promise<CuttableDatabase> {
  const real = await openTestDatabase();
  const cutter = createCutter();
  const target = new URL(real.url);
  const sockets = new Set<Socket>();
  const dropAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((client) => {
    if (cutter.isGone) {
      client.destroy();
      return;
    }
    const upstream = connect(Number(target.port), target.hostname);
    let isAnswerLost = false;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket
        .on("error", () => undefined)
        .on("close", () => {
          sockets.delete(socket);
          client.destroy();
          upstream.end();
        });
    }
    client.on("data", (chunk) => {
      const what = cutter.next();
      if (what === "before") return dropAll();
      isAnswerLost ||= what === "after";
      upstream.write(chunk);
    });
    upstream.on("data", (chunk) => (isAnswerLost ? dropAll() : client.write(chunk)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const url = new URL(real.url);
  url.host = `127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  const proxied = await openDatabase({ url: url.href }, silentLogger);
  return {
    database: { ...proxied, url: url.href },
    sound: real.db,
    cut: cutter.cut,
    mend: cutter.mend,
    async close() {
      await proxied.close();
      dropAll();
      await new Promise((resolve) => server.close(resolve));
      await real.close();
    },
  };
}

async function overHook(): Promise<CuttableDatabase> {
  const real = await openTestDatabase();
  const cutter = createCutter();
  const gone = () => new DatabaseUnavailable("The connection was cut.");
  const watched = watchedDatabase(real.db, () => {
    if (cutter.isGone || cutter.next() !== "pass") throw gone();
  });
  const executeQuery: Database["executeQuery"] = async (query) => {
    const what = cutter.isGone ? "before" : cutter.next();
    if (what === "before") throw gone();
    const result = await real.db.executeQuery(query);
    if (what === "after") throw gone();
    return result;
  };
  const db = Object.assign(watched, { executeQuery });
  return {
    database: { ...real, db },
    sound: real.db,
    cut: cutter.cut,
    mend: cutter.mend,
    close: () => real.close(),
  };
}
