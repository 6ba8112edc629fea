import pg from "pg";
import { expect } from "vitest";
import { refuseInsideTransaction } from "../src/platform/database/transaction.ts";
import { keepStatement, runsOnBoth } from "./sent-statements.ts";

/*
 * Setup of the HTTP tests, most of which run only on PostgreSQL in the short check. The embedded database could differ
 * in two ways: it may not support a statement, and a query outside an open transaction waits for its only session. So
 * each statement is recorded for `same-statements.ts`, and such a query is refused on PostgreSQL as well.
 */

const watched = Symbol.for("aapd.watched");
if (!Reflect.has(pg, watched)) {
  Reflect.set(pg, watched, true);
  keepStatements();
  refuseQueriesPastTransactions();
}

/** The file whose tests are running; null between files. */
function testFile(): string | null {
  return expect.getState().testPath?.replace(/^.*\/test\//, "test/") ?? null;
}

function keepStatements(): void {
  const { query } = pg.Client.prototype;
  Reflect.set(pg.Client.prototype, "query", function keeping(this: pg.Client, ...given: unknown[]): unknown {
    const answer: unknown = Reflect.apply(query, this, given);
    const [asked] = given;
    if (
      typeof asked !== "object" ||
      asked === null ||
      !("values" in asked) ||
      !("text" in asked) ||
      !(answer instanceof Promise)
    )
      return answer;
    const file = testFile();
    return answer.then((result: pg.QueryResult) => {
      const columns = result.fields.map(({ name, dataTypeID }): [string, number] => [name, dataTypeID]);
      if (file !== null) keepStatement({ file, text: String(asked.text), columns });
      return result;
    });
  });
}

function refuseQueriesPastTransactions(): void {
  const { connect } = pg.Pool.prototype;
  Reflect.set(pg.Pool.prototype, "connect", async function refusing(this: pg.Pool): Promise<pg.PoolClient> {
    const file = testFile();
    if (file !== null && !runsOnBoth(file)) refuseInsideTransaction();
    return Reflect.apply(connect, this, []);
  });
}
