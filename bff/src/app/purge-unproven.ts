import { erasePlanAndCodes, usersOfEmailChanges } from "../checkout/operations.ts";
import { countExpensesSent } from "../claims/expense-reads.ts";
import { pseudonymOf } from "../patients/beneficiary.ts";
import { deleteUnusedUsers, pseudonymisePatient } from "../patients/operations.ts";
import { findDead, forgetConsents, forgetRegistration } from "../patients/unproven.ts";
import { inTransaction } from "../platform/database/transaction.ts";
import type { Base } from "./parts.ts";

const AT_ONCE_MAX = 500;

/**
 * Deletes registrations that died unproven. One with which an expense was sent keeps its row without a name, since the
 * receipt refers to it. Returns how many there were.
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
