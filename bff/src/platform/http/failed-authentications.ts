import { recordAudit } from "../audit-store.ts";
import type { Clock } from "../clock.ts";
import type { Database } from "../database/transaction.ts";
import type { Ids } from "../ids.ts";
import { networkOf } from "./network.ts";

/**
 * Counts wrong credentials in this process, and writes them to the audit trail together, so that a flood of them writes
 * only one row at a time. No address is stored.
 */
export interface FailedAuthentications {
  count(address: string): void;
  /** Writes one row for all since the last call, if there were any. */
  write(): Promise<void>;
}

/** The maximum number of networks that are counted separately. */
const NETWORKS_MAX = 1_000;

export function createFailedAuthentications({
  db,
  clock,
  ids,
}: {
  readonly db: Database;
  readonly clock: Clock;
  readonly ids: Ids;
}): FailedAuthentications {
  let count = 0;
  let networks = new Set<string>();
  return {
    count(address) {
      count += 1;
      if (networks.size < NETWORKS_MAX) networks.add(networkOf(address));
    },
    async write() {
      if (count === 0) return;
      const details = { count, networks: networks.size };
      await recordAudit(db, {
        id: ids.uuid(),
        providerId: null,
        actor: "unknown",
        credentialId: null,
        act: "authentication.failed",
        subject: { kind: "credential", id: "unknown" },
        details,
        at: clock.now(),
      });
      count -= details.count;
      networks = new Set();
    },
  };
}
