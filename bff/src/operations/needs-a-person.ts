import type { Clock } from "../platform/clock.ts";
import type { Database } from "../platform/database/transaction.ts";
import type { Environment } from "../providers/provider.ts";
import type { Matter, MatterName } from "./matter.ts";
import { selectMatters } from "./matter-store.ts";

/** Matters that are listed at once. */
export const MATTERS_LISTED_MAX = 500;

export interface MattersDependencies {
  readonly db: Database;
  /** Real time. */
  readonly clock: Clock;
  readonly environment: Environment;
}

/** Everything that needs a person, oldest first: of one provider, or of all (`null`). At most 500. */
export function needsAPerson(
  { db, clock, environment }: MattersDependencies,
  providerId: string | null,
): Promise<Matter[]> {
  return selectMatters(db, { environment, providerId, now: clock.now(), limit: MATTERS_LISTED_MAX });
}

/** What needs a person under a name, wherever it would be in the list; `null`: nothing. */
export async function findMatter(
  db: Database,
  { clock, environment }: Pick<MattersDependencies, "clock" | "environment">,
  named: MatterName,
): Promise<Matter | null> {
  const { providerId } = named;
  const [matter] = await selectMatters(db, { environment, providerId, now: clock.now(), limit: 1, named });
  return matter ?? null;
}
