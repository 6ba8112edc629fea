import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { packageFolder } from "../program.ts";
import { readMigrations } from "./migrate.ts";

/** The last migration written before the first release; it and the earlier ones only run on empty databases. */
const LAST_BEFORE_RELEASE = 30;

/**
 * Statements that break the previous version. It may still use the table or column, name the key in an `on conflict`,
 * or omit the value.
 */
const BREAKS_OLD_CODE =
  /\bdrop (?:table|column)\b|\bdrop constraint \w+(?:_pkey|_key|_once)\b|\bdrop index\b|\brename\b|\bset not null\b|\balter column \w+ (?:set data )?type\b|\badd (?:column )?(?!constraint\b)\w+ [^,;]*\bnot null\b(?![^,;]*\bdefault\b)/i;

const SAYS_STOP = /^-- Stop: \S/m;

/** Removes the renaming of a table if a view takes its name in the same file. */
const withoutTablesThatBecomeViews = (text: string) =>
  text.replaceAll(/alter table (\w+) rename to \w+;|drop table (\w+);/gi, (moved, renamed, dropped) =>
    new RegExp(`^create view ${renamed ?? dropped} as`, "im").test(text) ? "" : moved,
  );

const isAllowed = (text: string) =>
  SAYS_STOP.test(text) || !BREAKS_OLD_CODE.test(withoutTablesThatBecomeViews(text.replaceAll(/--.*$/gm, "")));

describe("a migration", () => {
  it("is safe while the previous version runs, or is marked with -- Stop:", async () => {
    const migrations = (await readMigrations()).filter(({ number }) => number > LAST_BEFORE_RELEASE);
    expect(migrations.filter(({ sql }) => !isAllowed(sql)).map(({ name }) => name)).toEqual([]);
  });

  it.each([
    "alter table data_links drop constraint data_links_pkey;",
    "alter table orders drop column card;",
    "alter table orders rename column card to cards;",
    "alter table orders alter column card set not null;",
    "alter table orders add column card jsonb not null;",
    "alter table orders rename to purchases;\ncreate view bought as select * from purchases;",
    "drop table orders;\ncreate view bought as select * from purchases;",
    "alter table orders alter column total type text;",
  ])("a statement that breaks the previous version is found unless it gives a reason: %j", (text) => {
    expect(isAllowed(text)).toBe(false);
    expect(isAllowed(`-- Stop: the version before names the key.\n${text}`)).toBe(true);
  });

  it.each([
    "create table links (id uuid primary key, at timestamptz not null);",
    "alter table orders add column note text;",
    "alter table orders add column note text not null default '';",
    "alter table orders drop constraint orders_state, add constraint orders_state check (state <> '');",
    "alter table orders add constraint orders_note check (state <> '' or note is not null) not valid;",
    "alter table orders rename to purchases;\ncreate view orders as select * from purchases;",
    "drop table orders;\ncreate view orders as select * from purchases;",
    "-- Nothing is to drop column or rename.\ncreate index orders_at on orders (at);",
  ])("a statement that the previous version tolerates passes: %j", (text) => {
    expect(isAllowed(text)).toBe(true);
  });
});

/** The last migration that was written before the linter was introduced. */
const LAST_BEFORE_LINTER = 79;

/**
 * Rules that need not hold. The runner sets timeouts and retries each file as a whole. The test above allows renaming
 * or dropping a table only if a view takes its name. Counters that stay small are `int`.
 */
const NOT_FOR_US =
  "require-lock-timeout,require-statement-timeout,prefer-bigint-over-int,ban-drop-table,ban-drop-column,renaming-table";

/** The rules that a file breaks. */
function lint({ sql, isConcurrent }: { readonly sql: string; readonly isConcurrent: boolean }): string[] {
  const { stdout, status } = spawnSync(
    join(packageFolder, "node_modules/.bin/squawk"),
    [
      "--reporter=json",
      `--exclude=${NOT_FOR_US}`,
      "--pg-version=15",
      ...(isConcurrent ? [] : ["--assume-in-transaction"]),
      "--stdin-filepath=migration.sql",
    ],
    { input: sql, encoding: "utf8" },
  );
  const found: readonly { readonly rule_name: string }[] = JSON.parse(stdout);
  if (status !== (found.length > 0 ? 1 : 0)) throw new Error(`squawk ended with ${status}.`);
  return found.map(({ rule_name: rule }) => rule);
}

it("no function that writes is in SQL, because each of its calls would be planned again", async () => {
  const languages = new Map<string, string>();
  for (const { sql } of await readMigrations())
    for (const [, name = "", language = "", kind = "volatile"] of sql.matchAll(
      /\bfunction (\w+)\s?\([^$]*\blanguage (\w+)(?:\s+(immutable|stable|volatile))?/gi,
    ))
      languages.set(name, `${language} ${kind}`);
  expect(languages.get("let_in")).toBe("plpgsql volatile");
  expect([...languages].filter(([, language]) => language === "sql volatile")).toEqual([]);
});

describe("the linter of migrations", () => {
  it("reports nothing in migrations written since it was introduced", async () => {
    const migrations = (await readMigrations()).filter(({ number }) => number > LAST_BEFORE_LINTER);
    const broken = migrations.map(({ name, sql, concurrently }) => [
      name,
      ...lint({ sql, isConcurrent: concurrently !== null }),
    ]);
    expect(broken.filter(([, ...rules]) => rules.length > 0)).toEqual([]);
  });

  it.each([
    ["create index orders_at on orders (created_at);", ["require-concurrent-index-creation"]],
    ["alter table orders add constraint orders_note check (note <> '');", ["constraint-missing-not-valid"]],
    ["create table links (id uuid primary key, at timestamp not null);", ["prefer-timestamp-tz"]],
    ["create table links (id uuid primary key, name varchar(20) not null);", ["prefer-text-field"]],
    ["create table links (id uuid primary key, at timestamptz not null);\ncreate index links_at on links (at);", []],
    ["alter table orders add constraint orders_note check (note <> '') not valid;", []],
  ])("reports in %j: %j", (sql, rules) => {
    expect(lint({ sql, isConcurrent: false })).toEqual(rules);
  });

  it("reports nothing about an index that is created outside of a transaction", () => {
    const sql = "create index concurrently if not exists orders_at on orders (created_at);";
    expect(lint({ sql, isConcurrent: true })).toEqual([]);
  });
});
