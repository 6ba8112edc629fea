/**
 * Every table that the process knows, by its name in the database.
 *
 * It is empty here on purpose: the platform does not know the features. Each `*-store.ts` adds its own tables to it,
 * next to the functions that use them, and from then on the shared `Database` type knows them everywhere:
 *
 *     import type { Json } from "../platform/database/tables.ts";
 *
 *     interface OrderRow {
 *       id: string;
 *       total: number;
 *       customer: Json<{ rut: string }>;
 *       created_at: Date;
 *     }
 *
 *     declare module "../platform/database/tables.ts" {
 *       interface Tables {
 *         orders: OrderRow;
 *       }
 *     }
 *
 * The path in `declare module` is the relative path of this file from the store, with its extension, exactly as in an
 * import; and the store must import or export something, or TypeScript takes the block for a new module.
 */
// biome-ignore lint/suspicious/noEmptyInterface: it is filled by declaration merging, which a type alias does not allow.
export interface Tables {}

/**
 * A jsonb column: read as the parsed value, written as text (`JSON.stringify(value)`), because a JavaScript array would
 * otherwise be taken for a PostgreSQL array.
 */
export type { JSONColumnType as Json } from "kysely";
