import type { RawBuilder } from "kysely";
import { type Clp, subtractClp, ZERO } from "../contract/vocabulary/clp.ts";
import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import type { Database } from "../platform/database/transaction.ts";
import {
  owedForOrders,
  selectBalances,
  selectCollected,
  selectCollectedOrders,
  selectOwed,
  takenFromOrders,
} from "./ledger/balance-store.ts";
import { selectAccountSums } from "./ledger/statement-store.ts";
import { LEDGER_ACCOUNTS, type LedgerAccount } from "./ledger/transfers.ts";

export interface Balance {
  readonly account: LedgerAccount;
  /** Debits less credits, in pesos. */
  readonly balance: Clp;
}

/** The balances of all accounts of a provider; they sum to zero. */
export async function balancesOf(db: Database, providerId: string): Promise<Balance[]> {
  const booked = new Map((await selectBalances(db, providerId)).map(({ account, balance }) => [account, balance]));
  const accounts = Object.keys(LEDGER_ACCOUNTS).filter(isAccount);
  return accounts.map((account) => ({ account, balance: booked.get(account) ?? ZERO }));
}

/** An account in a trial balance: debits, credits, and debits less credits. */
export interface TrialBalanceRow extends Balance {
  readonly debit: Clp;
  readonly credit: Clp;
}

/**
 * The trial balance of these providers together, from all transfers booked before a moment. The debits of all accounts
 * equal their credits.
 */
export async function trialBalance(
  db: Database,
  requested: { readonly providerIds: readonly string[]; readonly before: Date },
): Promise<TrialBalanceRow[]> {
  const booked = new Map((await selectAccountSums(db, requested)).map((sums) => [sums.account, sums]));
  return Object.keys(LEDGER_ACCOUNTS)
    .filter(isAccount)
    .map((account) => {
      const { debit, credit } = booked.get(account) ?? { debit: ZERO, credit: ZERO };
      return { account, debit, credit, balance: subtractClp(debit, credit) };
    });
}

function isAccount(name: string): name is LedgerAccount {
  return Object.hasOwn(LEDGER_ACCOUNTS, name);
}

/**
 * The amount owed to the clinic for each order, as SQL for another feature's statement: `provider_id, order_id, owed`.
 */
export function owedByOrder(): RawBuilder<unknown> {
  return owedForOrders;
}

/**
 * Each transfer that reduces the amount owed to the clinic, as SQL for another feature's statement: `provider_id,
 * order_id, at`.
 */
export function takenFromOwed(): RawBuilder<unknown> {
  return takenFromOrders;
}

/** For each of these orders, the amount that was collected for the lender before a moment, by any method. */
export function collectedFor(
  db: Database,
  requested: { readonly providerId: string; readonly orderIds: readonly OrderId[]; readonly before: Date },
): Promise<ReadonlyMap<OrderId, Clp>> {
  return selectCollected(db, requested);
}

/** The provider's orders with any collection for the lender. */
export function ordersCollectedFrom(db: Database, providerId: string): Promise<OrderId[]> {
  return selectCollectedOrders(db, providerId);
}

/** The amount owed to clinics for paid orders (price less refunds), in transfers booked before a moment. */
export function owedFor(
  db: Database,
  requested: { readonly providerId: string; readonly orderIds: readonly OrderId[]; readonly before: Date },
): Promise<ReadonlyMap<OrderId, Clp>> {
  return selectOwed(db, requested);
}
