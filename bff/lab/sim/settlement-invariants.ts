import { SANDBOX_BANK_ACCOUNT } from "../../sandbox/bank-account.ts";
import { DAY_MS } from "../../src/contract/vocabulary/durations.ts";
import { wasPaid } from "../../src/orders/order.ts";
import { lenderOf } from "../../src/settlement/payouts/payout-record.ts";
import type { Facts } from "./facts.ts";

/*
 * Rules about the card processor's settlements, the lender's payouts and the stored balances, judged by the processor's
 * and the bank's own lists.
 */

/** The last digits of every lender's account. */
export const LENDER_ENDING = "7788";
export const LENDER_ACCOUNT = {
  ...SANDBOX_BANK_ACCOUNT,
  account_number: `00551122${LENDER_ENDING}`,
  holder_name: "Financiera de Prueba SpA",
};

/**
 * After this many days a movement is settled and its settlement booked, however often the processor's list was
 * unavailable.
 */
const SETTLED_BY_DAYS = 10;

/** At rest, each charge and return of the processor is settled exactly once, and the books agree. */
export function whatMovedIsSettledOnce(facts: Facts): string[] {
  const { orders, sandbox_movements, card_settlement_lines, ledger_transfers, now } = facts;
  // The daily reconciliation of a provider begins with its first paid order, and then reads earlier days.
  const reconciled = new Set(orders.filter(({ state }) => wasPaid(state)).map(({ provider_id }) => provider_id));
  const movements = sandbox_movements
    .filter(({ provider_id }) => reconciled.has(provider_id))
    .filter(({ at }) => Date.parse(at) < now.getTime() - SETTLED_BY_DAYS * DAY_MS)
    .flatMap(({ id, at, amount }) => {
      const lines = card_settlement_lines.filter((line) => line.id === id);
      return lines.length === 1 && lines[0]?.amount === amount
        ? []
        : [
            `movement ${id} of ${amount} at ${at} is settled ${lines.length} times (${lines.map((line) => line.amount).join(", ")})`,
          ];
    });
  const gross = card_settlement_lines.map(({ kind, amount }) => (kind === "charge" ? amount : -amount));
  const fees = card_settlement_lines.map(({ fee, fee_vat }) => fee + fee_vat);
  const settled = -balance(ledger_transfers, "card_settled");
  const kept = balance(ledger_transfers, "card_fee") + balance(ledger_transfers, "card_fee_vat");
  const books = [
    ...(settled === sum(gross) ? [] : [`${sum(gross)} were settled, and the ledger has ${settled}`]),
    ...(kept === sum(fees) ? [] : [`${sum(fees)} of fees were kept, and the ledger has ${kept}`]),
  ];
  return [...movements, ...books];
}

/**
 * By the bank's list, the lender of each provider's patients got the amount collected for it, and no other payee did. A
 * lender without an account gets nothing.
 */
export function theLenderGetsWhatWasCollected(facts: Facts): string[] {
  const { payouts, lender_accounts, ledger_transfers, sandbox_bank_transfers } = facts;
  const providers = new Set(ledger_transfers.map(({ provider_id }) => provider_id));
  const amounts = [...providers].flatMap((provider) => {
    const theirs = ledger_transfers.filter(({ provider_id }) => provider_id === provider);
    const isReported = lender_accounts.some(({ provider_id }) => provider_id === provider);
    const collected = sum(theirs.filter(({ cause }) => /^(?:collection|otherwise):/.test(cause)).map(amountOf));
    const due = isReported ? collected : 0;
    const got = sum(
      sandbox_bank_transfers
        .filter(({ provider_id, account_ending }) => provider_id === provider && account_ending === LENDER_ENDING)
        .map(amountOf),
    );
    const booked = balance(theirs, "remitted");
    return got === due && booked === due
      ? []
      : [`${due} were collected for the lender of ${provider}; it got ${got}, and the ledger has ${booked}`];
  });
  const misdirected = payouts.flatMap(({ id, provider_id, payee_id }) => {
    const isLender = payee_id === lenderOf(provider_id).id;
    return sandbox_bank_transfers
      .filter(({ idempotency_key }) => idempotency_key.includes(id))
      .filter(({ account_ending }) => (account_ending === LENDER_ENDING) !== isLender)
      .map(() => `payout ${id} went to ${isLender ? "another account than the lender's" : "the lender's account"}`);
  });
  return [...amounts, ...misdirected];
}

/** The stored balances of closed days equal the sums of their rows, at any moment. */
export function keptBalancesAreTheirRows({ ledger_closings, ledger_balances, ledger_transfers }: Facts): string[] {
  return ledger_closings.flatMap(({ provider_id: provider, closed_before: before }) => {
    const closed = ledger_transfers.filter(
      ({ provider_id, at }) => provider_id === provider && Date.parse(at) < Date.parse(before),
    );
    const kept = new Map(
      ledger_balances.filter(({ provider_id }) => provider_id === provider).map((one) => [one.account, one.balance]),
    );
    const accounts = new Set([...kept.keys(), ...closed.flatMap(({ debit, credit }) => [debit, credit])]);
    return [...accounts].flatMap((account) => {
      const [ours, rows] = [kept.get(account) ?? 0, balance(closed, account)];
      return ours === rows
        ? []
        : [`${ours} is kept of ${account} of ${provider} before ${before}, and its rows are ${rows}`];
    });
  });
}

function amountOf({ amount }: { readonly amount: number }): number {
  return amount;
}

function balance(transfers: Facts["ledger_transfers"], account: string): number {
  return sum(
    transfers.map(({ debit, credit, amount }) => (debit === account ? amount : credit === account ? -amount : 0)),
  );
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}
