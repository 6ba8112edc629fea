import { purgeRecoveries } from "../checkout/onboarding/purge-recoveries.ts";
import { purgeRecognitions } from "../checkout/recognition/purge-recognitions.ts";
import { purgeEndedTokens } from "../checkout/tokens/purge-ended-tokens.ts";
import { purgeUndelivered } from "../notifications/purge-undelivered.ts";
import { purgeSessions } from "../operations/console/sign-in/session.ts";
import { purgeIdentityChecks } from "../orders/identity/purge-identity-checks.ts";
import { purgeExpired } from "../platform/purge-expired.ts";
import { purgeLinkCodes } from "../self-service/links/purge-link-codes.ts";
import type { Base } from "./parts.ts";
import { purgeUnproven } from "./purge-unproven.ts";

/**
 * Removes data that is no longer needed: rows of the platform, and personal data in ended tokens, recoveries, codes and
 * notifications. A failure in one of them does not prevent the others.
 */
export async function purgeOutdated(base: Base): Promise<void> {
  for (const remove of [
    purgeExpired,
    purgeEndedTokens,
    purgeIdentityChecks,
    purgeRecoveries,
    purgeRecognitions,
    purgeUnproven,
    purgeLinkCodes,
    purgeUndelivered,
    purgeSessions,
  ]) {
    try {
      await remove(base);
    } catch (error) {
      base.logger.error("housekeeping.failed", { kind: remove.name, error });
    }
  }
}
