import type pg from "pg";
import { expect, it } from "vitest";
import { ReplayDiffers, replay, type SentTransaction } from "./replay.ts";

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
