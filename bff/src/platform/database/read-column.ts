import { sql } from "kysely";
import type { StatementPart } from "./transaction.ts";

/** A value that a larger statement reads as one of its columns. */
export interface ReadColumn<Value> {
  /** JSON; null if the thing does not exist. */
  readonly column: StatementPart;
  readonly read: (column: unknown) => Value | null;
}

/** A column that is always null. */
export const NO_COLUMN: ReadColumn<never> = { column: sql`null::json`, read: () => null };

/** The caller of a request, for columns of the statement that admits it: that statement has a CTE of this name. */
export const caller = {
  providerId: sql.ref<string>("caller.provider_id"),
} as const;
