import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { OpenDatabase } from "../src/platform/database/database.ts";
import type { Session } from "../src/platform/database/session.ts";
import { COLUMN_TYPES, FORMER_NAMES, IMPORTS, ROW_NAMES, VIEWS } from "./column-types.ts";

export const TABLES_FILE = new URL("../src/platform/database/tables.ts", import.meta.url);

const HEAD = `/**
 * The tables as the migrations leave them. Written by \`pnpm --filter bff tables\`: change a migration, or
 * \`test/column-types.ts\`, and never this file.
 */
import type { Generated, JSONColumnType } from "kysely";`;

const JSON_NOTE = `/**
 * A jsonb column: read as the parsed value, written as text (\`JSON.stringify(value)\`), because a JavaScript array
 * would otherwise be taken for a PostgreSQL array.
 */
type Json<T extends object | null, Insert = string, Update = string> = JSONColumnType<T, Insert, Update>;
`;

/** The text of `src/platform/database/tables.ts`, read from a fully migrated database. */
export async function tablesText(migrated: OpenDatabase): Promise<string> {
  return formatted(render(await migrated.withSession(readColumns)));
}

const TOOLS = new URL("../../node_modules/.bin/", import.meta.url);

function formatted(text: string): string {
  return execFileSync(
    fileURLToPath(new URL("biome", TOOLS)),
    ["check", "--write", `--stdin-file-path=${fileURLToPath(TABLES_FILE)}`],
    {
      input: text,
      encoding: "utf8",
      cwd: fileURLToPath(new URL("../..", import.meta.url)),
    },
  );
}

interface Column {
  readonly table: string;
  readonly name: string;
  /** PostgreSQL's own name of the type; that of an array begins with `_`. */
  readonly type: string;
  readonly isNullable: boolean;
  readonly hasDefault: boolean;
  /** The values that a constraint allows; null without such a constraint. */
  readonly values: readonly string[] | null;
}

const COLUMNS = `select table_name as "table", column_name as name, udt_name as type, is_nullable = 'YES' as "isNullable",
  column_default is not null or is_identity = 'YES' as "hasDefault"
  from information_schema.columns where table_schema = 'public' and table_name <> 'schema_migrations'
  order by table_name, ordinal_position`;
const CONSTRAINTS = `select conrelid::regclass::text as "table", pg_get_constraintdef(oid) as definition
  from pg_constraint where contype = 'c' and connamespace = 'public'::regnamespace`;

async function readColumns(session: Session): Promise<Column[]> {
  const { rows: columns } = await session.query(COLUMNS, []);
  const { rows: constraints } = await session.query(CONSTRAINTS, []);
  const listed = new Map<string, readonly string[]>();
  for (const { table, definition } of constraints) {
    const list = listIn(definition);
    if (list !== null) listed.set(`${table}.${list.column}`, list.values);
  }
  const own = columns.filter(({ table }) => !FORMER_NAMES.includes(table));
  return own.map((column) => ({ ...column, values: listed.get(`${column.table}.${column.name}`) ?? null }));
}

/** `CHECK ((state = ANY (ARRAY['open'::text, 'done'::text])))`, alone or before an `AND`. */
const LIST = /^CHECK \(\(+(\w+) = ANY \(ARRAY\[([^\]]*)\]\)\)(?: AND .*)?\)+(?: NOT VALID)?$/s;

function listIn(definition: string): { column: string; values: readonly string[] } | null {
  const [, column, list] = LIST.exec(definition) ?? [];
  if (column === undefined || list === undefined) return null;
  return { column, values: Array.from(list.matchAll(/'((?:[^']|'')*)'::text/g), ([, value = ""]) => value) };
}

const TYPES: Readonly<Record<string, string>> = {
  bool: "boolean",
  bytea: "Buffer",
  date: "string",
  float8: "number",
  int2: "number",
  int4: "number",
  int8: "number",
  numeric: "number | string",
  text: "string",
  timestamptz: "Date",
  uuid: "string",
};

function typeOf(column: Column): string {
  const own = COLUMN_TYPES[`${column.table}.${column.name}`];
  const isNull = column.isNullable ? " | null" : "";
  if (column.type === "jsonb") {
    const type = own ?? "object";
    return column.isNullable ? `Json<${type} | null, string | null, string | null>` : `Json<${type}>`;
  }
  const isArray = column.type.startsWith("_");
  const plain = TYPES[isArray ? column.type.slice(1) : column.type];
  if (plain === undefined) throw new Error(`${column.table}.${column.name}: nothing says how ${column.type} is read.`);
  const type = own ?? column.values?.map((value) => JSON.stringify(value)).join(" | ") ?? plain;
  const whole = `${isArray ? `${type}[]` : type}${isNull}`;
  return column.hasDefault ? `Generated<${whole}>` : whole;
}

const rowName = (table: string) =>
  ROW_NAMES[table] ?? `${table.replaceAll(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase())}Row`;

function render(columns: readonly Column[]): string {
  const tables = new Map<string, Column[]>();
  for (const column of columns)
    if (!(column.table in VIEWS)) tables.set(column.table, [...(tables.get(column.table) ?? []), column]);
  const rows = Array.from(
    tables,
    ([table, its]) =>
      `export interface ${rowName(table)} {\n${its.map((column) => `  ${column.name}: ${typeOf(column)};\n`).join("")}}\n`,
  );
  const names = [...tables.keys(), ...Object.keys(VIEWS)].sort();
  const entries = names.map((name) => `  ${name}: ${rowName(VIEWS[name] ?? name)};\n`);
  const body = rows.join("\n");
  const imports = Object.entries(IMPORTS).filter(([name]) => new RegExp(`\\b${name}\\b`).test(body));
  return [
    HEAD,
    imports.map(([name, module]) => `import type { ${name} } from "${module}";\n`).join(""),
    JSON_NOTE,
    body,
    `/** Every table, by its name in the database. */\nexport interface Tables {\n${entries.join("")}}\n`,
  ].join("\n");
}
