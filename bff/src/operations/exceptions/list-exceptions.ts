import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/transaction.ts";
import type { Environment } from "../../platform/provider.ts";
import type { Exception, ExceptionName } from "./exception.ts";
import { selectExceptions } from "./exception-store.ts";

/** Matters that are listed at once. */
export const EXCEPTIONS_LISTED_MAX = 500;

export interface ExceptionsDependencies {
  readonly db: Database;
  /** Real time. */
  readonly clock: Clock;
  readonly environment: Environment;
}

/** Everything that needs a person, oldest first: of one provider, or of all (`null`). At most 500. */
export function listExceptions(
  { db, clock, environment }: ExceptionsDependencies,
  providerId: string | null,
): Promise<Exception[]> {
  return selectExceptions(db, { environment, providerId, now: clock.now(), limit: EXCEPTIONS_LISTED_MAX });
}

/** What needs a person under a name, wherever it would be in the list; `null`: nothing. */
export async function findException(
  db: Database,
  { clock, environment }: Pick<ExceptionsDependencies, "clock" | "environment">,
  named: ExceptionName,
): Promise<Exception | null> {
  const { providerId } = named;
  const [exception] = await selectExceptions(db, { environment, providerId, now: clock.now(), limit: 1, named });
  return exception ?? null;
}
