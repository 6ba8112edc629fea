import { sql } from "kysely";
import type { Database, StatementPart } from "./transaction.ts";

/** A value that a larger statement selects as one of its columns. */
export interface ReadColumn<Value> {
  /** JSON; null if there is no such row. */
  readonly column: StatementPart;
  readonly read: (column: unknown) => Value | null;
}

/** A column whose value always exists. */
export interface PresentColumn<Value> extends ReadColumn<Value> {
  readonly read: (column: unknown) => Value;
}

/** Reads a column by a separate statement. */
export async function readColumn<Value>(
  db: Database,
  { column, read }: Pick<ReadColumn<unknown>, "column"> & { readonly read: (column: unknown) => Value },
): Promise<Value> {
  const { rows } = await sql<{ found: unknown }>`select ${column} as found`.execute(db);
  return read(rows[0]?.found ?? null);
}

/** A row as `to_json` returns it: its dates are text. */
export type RowInColumn<Row> = {
  [Column in keyof Row]: Date extends Row[Column] ? Exclude<Row[Column], Date> | string : Row[Column];
};

/** Parses a row from such a column; `moments` names its date columns. */
export function rowInColumn<Row extends object>(row: RowInColumn<Row>, moments: readonly (keyof Row)[]): Row {
  const read = moments.map((name) => [name, typeof row[name] === "string" ? new Date(row[name]) : null]);
  return { ...row, ...Object.fromEntries(read) } as Row;
}

type ValuesOf<Columns extends Readonly<Record<string, ReadColumn<unknown>>>> = {
  readonly [Name in keyof Columns]: ReturnType<Columns[Name]["read"]>;
};

/** Several values as one column. */
export function columnsTogether<Columns extends Readonly<Record<string, ReadColumn<unknown>>>>(
  columns: Columns,
): PresentColumn<ValuesOf<Columns>> {
  const entries = Object.entries(columns);
  const parts = entries.map(([name, { column }]) => sql`${sql.lit(name)}, ${column}`);
  return {
    column: sql`json_build_object(${sql.join(parts)})`,
    read(found) {
      const read = entries.map(([name, column]) => [name, column.read(Reflect.get(Object(found), name) ?? null)]);
      return Object.fromEntries(read) as ValuesOf<Columns>;
    },
  };
}

/** A column that is always null. */
export const NO_COLUMN: ReadColumn<never> = { column: sql`null::json`, read: () => null };

/** The caller of a request, for columns of the statement that admits it, which has a CTE of this name. */
export const caller = {
  providerId: sql.ref<string>("caller.provider_id"),
} as const;
