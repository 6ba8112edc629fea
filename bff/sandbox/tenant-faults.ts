import { type Database, inTransaction } from "../src/platform/database/transaction.ts";
import { ApiError } from "../src/platform/http/api-error.ts";
import { type Fault, isFaultPoint } from "./calls/faults.ts";
import { listFaults, replaceFaults } from "./calls/gateway-call-store.ts";

interface FaultDependencies {
  readonly db: Database;
  /** Whether this process was started with permission for tenants to kill it. */
  readonly canBeKilled: boolean;
}

/**
 * Replaces a tenant's faults. Throws 422 for a method that the gateway does not have, and for a kill that is not
 * allowed.
 */
export async function setFaults(
  { db, canBeKilled }: FaultDependencies,
  providerId: string,
  faults: readonly Fault[],
): Promise<readonly Fault[]> {
  const errors = faults.flatMap(({ party, method, kind }, index) => [
    ...(isFaultPoint(party, method)
      ? []
      : [{ path: `faults.${index}.method`, message: "must be a method of the party" }]),
    ...(kind === "kill_after" && !canBeKilled
      ? [{ path: `faults.${index}.kind`, message: "this process must not be killed" }]
      : []),
  ]);
  if (errors.length > 0) throw new ApiError("validation_error", { errors });
  await inTransaction(db, (tx) => replaceFaults(tx, providerId, faults));
  return faults;
}

/** A tenant's unused faults. */
export function readFaults({ db }: FaultDependencies, providerId: string): Promise<readonly Fault[]> {
  return listFaults(db, providerId);
}
