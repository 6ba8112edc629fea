/** @module-tag both-databases */
import { readFileSync } from "node:fs";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../database.ts";

const document = readFileSync(new URL("../../../docs/reference/distribution.md", import.meta.url), "utf8");

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

it("the unique keys without provider_id are exactly those listed with a reason", async () => {
  const { rows } = await sql<{ name: string }>`
    select distinct tables.relname as name
    from pg_index keys
    join pg_class tables on tables.oid = keys.indrelid
    where keys.indisunique and tables.relnamespace = current_schema()::regnamespace and not starts_with(tables.relname, 'sandbox_')
      and not exists (
        select from pg_attribute a where a.attrelid = tables.oid and a.attnum = any(keys.indkey) and a.attname = 'provider_id')
    order by name`.execute(database.db);
  expect(writtenDown(document)).toEqual(rows.map(({ name }) => name));
});

/** The tables in the document's first column, in alphabetical order. */
function writtenDown(text: string): string[] {
  const [, section = ""] = /^## Unique keys without `provider_id`$([\s\S]*?)^## /m.exec(text) ?? [];
  const cells = [...section.matchAll(/^\| (`[^|]+) \|/gm)].map(([, cell = ""]) => cell);
  return cells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name)).toSorted();
}
