import pg from "pg";
import { expect, it, onTestFinished } from "vitest";
import { ReplayDiffers, recordStatements, replay, type SentTransaction } from "./replay.ts";

/** A database that answers each statement with this number of rows. */
function answering(rows: Readonly<Record<string, number>>) {
  const sent: string[] = [];
  const query = async ({ text }: { readonly text: string }) => {
    sent.push(text);
    if (!(text in rows)) throw new Error("syntax error");
    return { rowCount: rows[text] };
  };
  const pool = { connect: async () => ({ query, release: () => undefined }) };
  return { pool: pool as unknown as pg.Pool, sent };
}

function alone(text: string, rows: number, after: number): SentTransaction {
  return { statements: [{ text, values: [], rows }], after };
}

it("a replay fails if a statement affects another number of rows than the recorded one", async () => {
  const { pool } = answering({ one: 1, two: 0 });
  await expect(replay(pool, [alone("one", 1, 0), alone("two", 1, 1)])).rejects.toThrow(ReplayDiffers);
});

it("a replay fails if a statement fails", async () => {
  const { pool } = answering({});
  await expect(replay(pool, [alone("one", 1, 0)])).rejects.toThrow("syntax error");
});

it("a replay sends a transaction only after those that had ended when it began", async () => {
  const { pool, sent } = answering({ one: 1, two: 1, three: 1 });
  await replay(pool, [alone("one", 1, 0), alone("two", 1, 1), alone("three", 1, 2)]);
  expect(sent).toEqual(["one", "two", "three"]);
});

/** Records the statements of a connection whose answers come at once. */
function recordConnection() {
  const { query } = pg.Client.prototype;
  onTestFinished(() => void Reflect.set(pg.Client.prototype, "query", query));
  Reflect.set(pg.Client.prototype, "query", async () => ({ rowCount: 1 }));
  const recorded = recordStatements();
  const client = new pg.Client();
  return { recorded, send: (text: string) => client.query({ text }) };
}

it("a recording returns the transactions since the last call, in the order of their ends", async () => {
  const { recorded, send } = recordConnection();
  await send("select 1");
  expect(recorded()).toMatchObject([{ statements: [{ text: "select 1" }], after: 0 }]);
  for (const text of ["begin", "select 2", "commit", "select 3"]) await send(text);
  expect(recorded()).toMatchObject([
    { statements: [{ text: "begin" }, { text: "select 2" }, { text: "commit" }], after: 0 },
    { statements: [{ text: "select 3" }], after: 1 },
  ]);
});

it("a recording fails if a transaction is open at a call, whose beginning would be counted in another list", async () => {
  const { recorded, send } = recordConnection();
  for (const text of ["select 1", "begin"]) await send(text);
  expect(() => recorded()).toThrow("still open");
  const answered = send("commit");
  expect(() => recorded()).toThrow("still open");
  await answered;
  expect(recorded()).toHaveLength(2);
});
