import { sql } from "kysely";
import type { StatementPart } from "./transaction.ts";

/** Something that a larger statement reads as one of its columns. */
export interface ReadColumn<Value> {
  /** JSON; null where there is no such thing. */
  readonly column: StatementPart;
  readonly read: (column: unknown) => Value | null;
}

/** A column where nothing is to be read. */
export const NO_COLUMN: ReadColumn<never> = { column: sql`null::json`, read: () => null };

/**
 * Who calls, in a column that the statement reads which admits a request: it has found the caller before, in a CTE with this
 * name.
 */
export const caller = {
  providerId: sql.ref<string>("caller.provider_id"),
  isActive: sql.ref<boolean>("caller.is_active"),
} as const;
