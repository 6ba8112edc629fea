import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from "kysely";
import { describe, expect, it } from "vitest";
import { usedSql } from "./sql-features.ts";
import { readSqlSources, type SqlSources, textsOfSql } from "./sql-sources.ts";

/*
 * Compares the features of PostgreSQL that the service uses with the table of `docs/reference/distribution.md`, which
 * says which databases limit them.
 */
const repository = join(dirname(fileURLToPath(import.meta.url)), "../..");
const document = readFileSync(join(repository, "bff/docs/reference/distribution.md"), "utf8");

/** The used features for which no database documents a limit. */
const WITHOUT_LIMITS = [
  "`on delete cascade`",
  "partial indexes",
  "indexes on expressions",
  "`create index concurrently`",
  "`nulls not distinct`",
  "`not valid`",
  "views",
  "arrays as columns",
  "`jsonb`",
  "JSON functions and operators",
  "regular expressions",
  "collations",
  "functions in SQL",
  "`on conflict on constraint`",
  "`returning`",
  "`distinct on`",
  "`filter (where …)`",
  "`unnest` of several arrays, `with ordinality`",
  "comparisons of rows",
  "`at time zone`, intervals",
  "`sha256`, `hashtext`, `encode`, `overlay`",
  "settings of a transaction",
  "settings of a session",
  "named statements",
];

/** The first column of the table below a heading. */
function named(heading: string): string[] {
  const [, section = ""] = new RegExp(`^## ${heading}$([\\s\\S]*?)(?=^## |$(?![\\s\\S]))`, "m").exec(document) ?? [];
  const rows = [...section.matchAll(/^\| ([^|]+?) \|/gm)].map(([, cell = ""]) => cell);
  return rows.filter((cell) => cell !== "Feature" && !/^-+$/.test(cell));
}

const used = usedSql(readSqlSources(repository), builderMethods());

it("every used feature is classified, as plain SQL or as a feature", () => expect(used.unknown).toEqual([]));

it("every used feature has its limits in the document, or is listed here without any", () => {
  const limited = named("What of PostgreSQL is used");
  expect(limited.length).toBeGreaterThan(10);
  expect([...limited, ...WITHOUT_LIMITS].toSorted()).toEqual([...used.features.keys()].toSorted());
});

describe("a use is found", () => {
  it.each([
    ["a migration", { migrations: "create table t (id int generated always as identity);" }, "generated columns"],
    ["a migration", { migrations: "alter table t add constraint x unique (a) deferrable;" }, "deferrable constraints"],
    ["a migration", { migrations: "create table t (exclude using gist (a with &&));" }, "exclusion constraints"],
    ["a migration", { migrations: "create index i on t (a) where b is null;" }, "partial indexes"],
    ["a body of PL/pgSQL", { migrations: body("perform pg_notify('x', 'y');") }, "`listen`, `notify`"],
    [
      "a body of PL/pgSQL",
      { migrations: body("perform pg_advisory_xact_lock(1);") },
      "advisory locks of a transaction",
    ],
    ["a statement", { store: "sql`select a from t for update of t skip locked`" }, "`skip locked`"],
    ["a part of one", { store: "sql`$" + "{rows} on conflict (a) do nothing`" }, "`on conflict`"],
    ["a part of one", { store: "sql`, gone as (delete from t returning id)`" }, "`with` parts that write"],
    ["a text that is sent", { store: 'session.query("listen news")' }, "`listen`, `notify`"],
    ["the query builder", { store: 'db.selectFrom("t").distinctOn("a").noWait()' }, "`distinct on`"],
    ["a comment alone", { store: "sql`select 1 -- for update skip locked`" }, null],
    ["a text alone", { store: "sql`select 'for update skip locked'`" }, null],
  ])("in %s: %j", (_where, given, feature) => {
    const { features } = usedSql(sourcesOf(given), builderMethods());
    if (feature === null) expect([...features.keys()]).toEqual([]);
    else expect([...features.keys()]).toContain(feature);
  });

  it.each([
    ["a rule of the grammar", { store: "sql`vacuum t`" }],
    ["a function", { store: "sql`select pg_sleep(1)`" }],
    ["a method of the query builder", { store: 'db.selectFrom("t").noWait()' }],
    ["a statement of PL/pgSQL", { migrations: body("execute 'select 1';") }],
  ])("%s is reported as unclassified", (_what, given) => {
    expect(usedSql(sourcesOf(given), builderMethods()).unknown).not.toEqual([]);
  });
});

function body(statement: string): string {
  return `create function f() returns void language plpgsql as $$\nbegin\n  ${statement}\nend\n$$;`;
}

function sourcesOf({ migrations, store }: { migrations?: string; store?: string }): SqlSources {
  const code = store === undefined ? [] : [{ file: "x-store.ts", text: store }];
  return {
    migrations: migrations === undefined ? [] : [{ file: "0001_x.sql", text: migrations }],
    code,
    texts: code.flatMap(textsOfSql),
  };
}

/** The methods of Kysely's builders. */
function builderMethods(): Set<string> {
  const db = new Kysely<{ t: { a: string } }>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (of) => new PostgresIntrospector(of),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
  const builders = [
    db,
    db.selectFrom("t"),
    db.insertInto("t"),
    db.updateTable("t"),
    db.deleteFrom("t"),
    db.mergeInto("t"),
  ];
  const methods = new Set<string>();
  for (const builder of builders)
    for (let of: object = builder; of !== Object.prototype; of = Object.getPrototypeOf(of))
      for (const name of Object.getOwnPropertyNames(of)) methods.add(name);
  methods.delete("constructor");
  return methods;
}
