import { sql } from "kysely";
import type { StatementPart } from "./transaction.ts";

/** A value that a larger statement reads as one of its columns. */
export interface ReadColumn<Value> {
  /** JSON; null if the thing does not exist. */
  readonly column: StatementPart;
  readonly read: (column: unknown) => Value | null;
}

/** Several values as one column, each null if it does not exist. */
export function columnsTogether<Values extends object>(
  columns: {
    readonly [Name in keyof Values]: ReadColumn<Values[Name]>;
  },
): ReadColumn<{ readonly [Name in keyof Values]: Values[Name] | null }> {
  const entries = Object.entries<ReadColumn<unknown>>(columns);
  const parts = entries.map(([name, { column }]) => sql`${sql.lit(name)}, ${column}`);
  return {
    column: sql`json_build_object(${sql.join(parts)})`,
    read(found) {
      if (found === null) return null;
      const read = entries.map(([name, column]) => [name, column.read(Reflect.get(Object(found), name) ?? null)]);
      return Object.fromEntries(read);
    },
  };
}

/** A column that is always null. */
export const NO_COLUMN: ReadColumn<never> = { column: sql`null::json`, read: () => null };

/** The caller of a request, for columns of the statement that admits it: that statement has a CTE of this name. */
export const caller = {
  providerId: sql.ref<string>("caller.provider_id"),
} as const;
