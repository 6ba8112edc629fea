import { type RawBuilder, sql } from "kysely";
import type { Database } from "./database/transaction.ts";
import { isHeldBack } from "./restore-store.ts";
import type { Switch } from "./switches.ts";

export interface SwitchedOff {
  readonly what: Switch;
  /** Null for all providers. */
  readonly providerId: string | null;
}

/** Switches something off for a provider or, with null, for all. Returns whether it was on. */
export async function switchOff(db: Database, { what, providerId }: SwitchedOff): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into switches (what, provider_id) values (${what}, ${providerId}) on conflict do nothing`.execute(db);
  return numAffectedRows === 1n;
}

/** Reverts `switchOff` for the same provider, or for all. Returns whether it was off. */
export async function switchOn(db: Database, { what, providerId }: SwitchedOff): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from switches where what = ${what} and provider_id is not distinct from ${providerId}::uuid`.execute(db);
  return numAffectedRows === 1n;
}

/** Everything that is switched off. */
export async function listSwitchedOff(db: Database): Promise<SwitchedOff[]> {
  const { rows } = await sql<SwitchedOff>`
    select what, provider_id as "providerId" from switches order by what, provider_id nulls first`.execute(db);
  return rows;
}

export async function isSwitchedOff(db: Database, what: Switch, providerId: string): Promise<boolean> {
  const { rows } = await sql<{ off: boolean }>`
    select ${switchedOff({ what: sql`${what}`, providerId: sql`${providerId}::uuid` })} as off`.execute(db);
  return rows[0]?.off === true;
}

/**
 * The SQL condition that work is switched off for a provider, or that all work is held back after a restore. `what` may
 * be null for work without a switch.
 */
export function switchedOff({
  what,
  providerId,
}: {
  readonly what: RawBuilder<unknown>;
  readonly providerId: RawBuilder<unknown>;
}): RawBuilder<boolean> {
  return sql<boolean>`(${isHeldBack} or exists (
    select from switches where switches.what = ${what} and (switches.provider_id is null or switches.provider_id = ${providerId})
  ))`;
}
