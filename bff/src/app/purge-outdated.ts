import { purgeApprovals } from "../back-office/approvals/purge-approvals.ts";
import { purgeJobs } from "../back-office/console/jobs/purge-jobs.ts";
import { purgeSessions } from "../back-office/console/sign-in/session.ts";
import { purgeRecoveries } from "../checkout/onboarding/purge-recoveries.ts";
import { purgeRecognitions } from "../checkout/recognition/purge-recognitions.ts";
import { purgeEndedTokens } from "../checkout/tokens/purge-ended-tokens.ts";
import { purgeUndelivered } from "../notifications/purge-undelivered.ts";
import { purgeIdentityChecks } from "../orders/identity/purge-identity-checks.ts";
import { purgeExpired } from "../platform/purge-expired.ts";
import { purgeLinkCodes } from "../self-service/links/purge-link-codes.ts";
import { purgeDataLinks } from "../self-service/my-data/purge-data-links.ts";
import { purgeDeliveries } from "../webhooks/purge-deliveries.ts";
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
