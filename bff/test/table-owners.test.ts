import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { migratedTables } from "./migrated-tables.ts";
import { crossingOf, crossings, foreignTables, tableOwners } from "./table-owners.ts";
import { listTrackedFiles } from "./words.ts";

const repository = join(dirname(fileURLToPath(import.meta.url)), "../..");
const code = listTrackedFiles(repository)
  .filter((file) => /^bff\/(?:src|sandbox)\/.*\.ts$/.test(file) && !file.endsWith(".test.ts"))
  .map((file) => ({ file, text: readFileSync(join(repository, file), "utf8") }));
const owned = Object.values(tableOwners).flat();

test("every table has one owner, which is a folder", () => {
  const { tables, views } = migratedTables();
  expect(owned).toHaveLength(new Set(owned).size);
  expect(new Set(owned)).toEqual(new Set([...tables, ...views]));
  for (const room of Object.keys(tableOwners)) expect(existsSync(join(repository, room))).toBe(true);
});

test("no room names another room's tables, except with a recorded reason", () => {
  const found = code.flatMap(({ file, text }) =>
    foreignTables(file, text)
      .filter((table) => !crossingOf(file).includes(table))
      .map((table) => `${file} names ${table}`),
  );
  expect(found).toEqual([]);
});

test("every recorded reason is still needed", () => {
  for (const { file, tables } of crossings) {
    const text = code.find((each) => each.file === file)?.text ?? "";
    expect(foreignTables(file, text)).toEqual(tables);
  }
});

describe("a use of another room's table is found", () => {
  const store = "bff/src/claims/claim-store.ts";
  test.each([
    [store, "sql`select 1 from orders o where o.id = 1`", ["orders"]],
    [store, "sql`select 1 from claims c\n  join orders on true`", ["orders"]],
    [store, "sql`select 1 from claims c, orders o`", ["orders"]],
    [store, "sql`with x as (update orders set total = 1) insert into timers (id) values (1)`", ["orders", "timers"]],
    [
      store,
      'db.selectFrom("orders as o").innerJoin("providers as p", "p.id", "o.provider_id")',
      ["orders", "providers"],
    ],
    [store, 'for (const table of ["claims", "recoveries"] as const) await tx.deleteFrom(table)', ["recoveries"]],
    ["bff/src/claims/file-claim.ts", 'await tx.updateTable(\n  "orders").set({})', ["orders"]],
    ["bff/src/sandbox-like/x-store.ts", "sql`delete from sandbox_cards`", ["sandbox_cards"]],
  ])("%s: %s", (file, text, tables) => expect(foreignTables(file, text)).toEqual(tables));

  test.each([
    [store, "sql`select 1 from claims c join expenses e on true`"],
    [store, "// from orders\nsql`select state from claims`"],
    ["bff/src/claims/file-claim.ts", 'throw new Error("taken from orders")'],
    ["bff/sandbox/calls/gateway-call-store.ts", "sql`select 1 from sandbox_calls`"],
  ])("a room's own table is allowed: %s %s", (file, text) => expect(foreignTables(file, text)).toEqual([]));
});
