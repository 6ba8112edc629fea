import { purgeApprovals, purgeJobs, purgeSessions } from "../back-office/work.ts";
import { erasePlanAndCodes, usersOfEmailChanges } from "../checkout/operations.ts";
import { purgeEndedTokens, purgeRecognitions, purgeRecoveries } from "../checkout/work.ts";
import { countExpensesSent } from "../claims/claim-reads.ts";
import { purgeGatewayStates } from "../gateways/gateway-states.ts";
import { purgeUndelivered } from "../notifications/work.ts";
import { purgeIdentityChecks } from "../orders/work.ts";
import { pseudonymOf } from "../patients/beneficiary.ts";
import { deleteUnusedUsers, pseudonymisePatient } from "../patients/operations.ts";
import { findDead, forgetConsents, forgetRegistration } from "../patients/unproven.ts";
import { inTransaction } from "../platform/database/transaction.ts";
import { purgeExpired } from "../platform/purge.ts";
import { purgeDataLinks, purgeLinkCodes } from "../self-service/work.ts";
import { purgeDeliveries } from "../webhooks/work.ts";
import type { Base } from "./parts.ts";

const AT_ONCE_MAX = 500;

/**
 * Deletes expired unproven registrations. One with an expense keeps its row without a name, since the receipt refers to
 * it. Returns how many there were.
 */
export async function purgeUnproven({ db, clock, ids }: Base): Promise<number> {
  const dead = await findDead(db, { before: clock.now(), limit: AT_ONCE_MAX });
  for (const registration of dead) {
    const { id, tenant } = registration;
    await inTransaction(db, async (tx) => {
      await erasePlanAndCodes(tx, id);
      await forgetConsents(tx, registration);
      if ((await countExpensesSent(tx, id)) === 0) {
        await forgetRegistration(tx, registration);
        return deleteUnusedUsers(tx, [registration.userId], usersOfEmailChanges());
      }
      const patient = { beneficiaryId: id, rut: registration.rut, addressedTo: null, tenant, at: clock.now() };
      const userId = await pseudonymisePatient(tx, patient, { userId: ids.uuid(), pseudonym: pseudonymOf(id) });
      await deleteUnusedUsers(tx, [userId], usersOfEmailChanges());
    });
  }
  return dead.length;
}

/** `retention.ts` lists, table by table, what each purge removes and when. */
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
  purgeGatewayStates,
];

/** Removes data that is no longer needed. A failed purge does not prevent the others. */
export async function purgeOutdated(base: Base): Promise<void> {
  for (const remove of PURGES) {
    try {
      await remove(base);
    } catch (error) {
      base.logger.error("housekeeping.failed", { kind: remove.name, error });
    }
  }
}
