import { TWO_OPERATORS_FROM_CLP } from "../../contract/terms.ts";
import { addClp, type Clp } from "../../contract/vocabulary/clp.ts";
import { DAY_MS } from "../../contract/vocabulary/durations.ts";
import type { Database, Transaction } from "../../platform/database/transaction.ts";
import { insertSoloAmount, lockSoloAmounts, sumSoloAmounts } from "./solo-amount-store.ts";

/** How long the decisions of one operator count towards the limit. */
export const SOLO_WINDOW_MS = DAY_MS;

interface Giving {
  /** `operator:<name>` */
  readonly actor: string;
  readonly amount: Clp;
  /** Real time. */
  readonly at: Date;
}

/**
 * Records that an operator decides on an amount alone. Returns false, and records nothing, if that needs two people.
 */
export async function spendSoloLimit(
  tx: Transaction,
  { id, ...giving }: Giving & { readonly id: string },
): Promise<boolean> {
  await lockSoloAmounts(tx, giving.actor);
  const total = await totalWith(tx, giving);
  if (total >= TWO_OPERATORS_FROM_CLP) return false;
  await insertSoloAmount(tx, { id, ...giving, total });
  return true;
}

/** Whether an operator may decide on an amount alone. */
export async function mayGiveAlone(db: Database, giving: Giving): Promise<boolean> {
  return (await totalWith(db, giving)) < TWO_OPERATORS_FROM_CLP;
}

async function totalWith(db: Database, { actor, amount, at }: Giving): Promise<Clp> {
  const before = await sumSoloAmounts(db, actor, new Date(at.getTime() - SOLO_WINDOW_MS));
  return addClp(before, amount);
}
