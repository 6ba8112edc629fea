import { describe, expect, it } from "vitest";
import { readMigrations } from "./migrate.ts";

/** The last migration written before the first release; it and the earlier ones only run on empty databases. */
const LAST_BEFORE_RELEASE = 30;

/**
 * Statements that break the previous version: it may still use the table or column, name the key in an `on conflict`,
 * or leave the value out.
 */
const BREAKS_OLD_CODE =
  /\bdrop (?:table|column)\b|\bdrop constraint \w+(?:_pkey|_key|_once)\b|\bdrop index\b|\brename\b|\bset not null\b|\balter column \w+ (?:set data )?type\b|\badd (?:column )?\w+ [^,;]*\bnot null\b(?![^,;]*\bdefault\b)/i;

const SAYS_STOP = /^-- Stop: \S/m;

const isAllowed = (text: string) => SAYS_STOP.test(text) || !BREAKS_OLD_CODE.test(text.replaceAll(/--.*$/gm, ""));

describe("a migration", () => {
  it("is safe while the version before still runs, or says that it needs a stop", async () => {
    const migrations = (await readMigrations()).filter(({ number }) => number > LAST_BEFORE_RELEASE);
    expect(migrations.filter(({ sql }) => !isAllowed(sql)).map(({ name }) => name)).toEqual([]);
  });

  it.each([
    "alter table data_links drop constraint data_links_pkey;",
    "alter table orders drop column card;",
    "alter table orders rename column card to cards;",
    "alter table orders alter column card set not null;",
    "alter table orders add column card jsonb not null;",
    "alter table orders alter column total type text;",
  ])("that is %j is noticed, and let pass where it says why", (text) => {
    expect(isAllowed(text)).toBe(false);
    expect(isAllowed(`-- Stop: the version before names the key.\n${text}`)).toBe(true);
  });

  it.each([
    "create table links (id uuid primary key, at timestamptz not null);",
    "alter table orders add column note text;",
    "alter table orders add column note text not null default '';",
    "alter table orders drop constraint orders_state, add constraint orders_state check (state <> '');",
    "-- Nothing is to drop column or rename.\ncreate index orders_at on orders (at);",
  ])("that is %j passes", (text) => {
    expect(isAllowed(text)).toBe(true);
  });
});
