import { purgeSessions } from "../back-office/session.ts";
import { purgeApprovals, purgeJobs } from "../back-office/work.ts";
import { purgeEndedTokens, purgeRecognitions, purgeRecoveries } from "../checkout/work.ts";
import { purgeUndelivered } from "../notifications/work.ts";
import { purgeIdentityChecks } from "../orders/work.ts";
import { purgeExpired } from "../platform/purge.ts";
import { purgeDataLinks, purgeLinkCodes } from "../self-service/work.ts";
import { purgeDeliveries } from "../webhooks/work.ts";
import type { Base } from "./parts.ts";
import { purgeUnproven } from "./purge-unproven.ts";

/** What removes which rows, and after how long, is said table by table in `retention.ts`. */
export const PURGES: readonly ((base: Base) => Promise<unknown>)[] = [
  purgeExpired,
  purgeEndedTokens,
  purgeIdentityChecks,
  purgeRecoveries,
  purgeRecognitions,
  purgeUnproven,
  purgeLinkCodes,
  purgeDataLinks,
  purgeUndelivered,
  purgeDeliveries,
  purgeJobs,
  purgeApprovals,
  purgeSessions,
];

/** Removes what is no longer needed. A failure in one of the purges does not prevent the others. */
export async function purgeOutdated(base: Base): Promise<void> {
  for (const remove of PURGES) {
    try {
      await remove(base);
    } catch (error) {
      base.logger.error("housekeeping.failed", { kind: remove.name, error });
    }
  }
}
