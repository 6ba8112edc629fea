import { addClp, type Clp, ZERO } from "../contract/vocabulary/clp.ts";
import { type Database, inTransaction } from "../platform/database/transaction.ts";
import type { Period } from "./books.ts";
import { type OwedMovement, selectOwedBefore, selectOwedMovements } from "./ledger/statement-store.ts";

/** The account of a clinic: of a provider itself (`centerId` null), or of one of its centres. Positive: owed to it. */
export interface ClinicAccount {
  readonly centerId: string | null;
  readonly opening: Clp;
  readonly movements: readonly (OwedMovement & { readonly balance: Clp })[];
  readonly closing: Clp;
}

/**
 * The accounts of a provider and its centres in [from, to), as the ledger has them: opening balance, each movement with
 * the balance after it, closing balance. Accounts without balance and movements are left out.
 */
export async function clinicAccounts(db: Database, period: Period): Promise<ClinicAccount[]> {
  const { providerId, from } = period;
  // One snapshot, so that no movement is booked between the two statements.
  const [opened, movements] = await inTransaction(
    db,
    async (tx) => [await selectOwedBefore(tx, { providerId, before: from }), await selectOwedMovements(tx, period)],
    { isolation: "repeatable read" },
  );
  const centerIds = new Set([...opened, ...movements].map(({ centerId }) => centerId));
  return [...centerIds].map((centerId) => {
    const opening = opened.find((one) => one.centerId === centerId)?.owed ?? ZERO;
    const own = movements.filter((one) => one.centerId === centerId);
    return { centerId, ...runningBalance(opening, own) };
  });
}

function runningBalance(opening: Clp, movements: readonly OwedMovement[]): Omit<ClinicAccount, "centerId"> {
  let closing = opening;
  const shown = movements.map((movement) => {
    closing = addClp(closing, movement.amount);
    return { ...movement, balance: closing };
  });
  return { opening, movements: shown, closing };
}
