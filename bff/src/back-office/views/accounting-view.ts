import { type ClinicAccount, clinicAccounts, trialBalance } from "../../orders/book-reads.ts";
import type { Database } from "../../platform/database/transaction.ts";
import type { Environment, Provider } from "../../platform/provider.ts";
import { addCalendarDays, type CalendarDay, santiagoMoment } from "../../platform/santiago-time.ts";
import { withNames } from "../../tenants/centers.ts";
import { listProviders } from "../../tenants/providers.ts";
import type { Month } from "../month.ts";

/** The trial balance at the end of a day in Santiago, of one provider or of all of an environment. */
export async function trialBalanceView(
  db: Database,
  requested: { readonly environment: Environment; readonly provider: Provider | null; readonly day: CalendarDay },
) {
  const { environment, provider, day } = requested;
  const providers = provider === null ? await listProviders(db, environment) : [provider];
  const providerIds = providers.map(({ id }) => id);
  const accounts = await trialBalance(db, { providerIds, before: santiagoMoment(addCalendarDays(day, 1)) });
  const sum = (part: "debit" | "credit" | "balance") => accounts.reduce((total, row) => total + row[part], 0);
  return {
    at: day,
    clinics: providers.length,
    accounts: accounts.map(({ account, debit, credit, balance }) => ({ account, debit, credit, balance })),
    total: { debit: sum("debit"), credit: sum("credit"), balance: sum("balance") },
  };
}

/** A month of the accounts of a provider and its centres. */
export async function clinicAccountsView(db: Database, provider: Provider, { from, to }: Month) {
  const accounts = await clinicAccounts(db, { providerId: provider.id, from, to });
  const named = await withNames(db, provider, accounts);
  return named.map(({ centerId, name, opening, movements, closing }) => ({
    payee: centerId ?? provider.id,
    name,
    opening,
    sums: sumsOf(movements),
    closing,
    movements: movements.map(movementView),
  }));
}

/** One movement, in the order of the columns. */
function movementView({ at, kind, orderId, reference, refundReference, ...rest }: ClinicAccount["movements"][number]) {
  const { payoutId, amount, balance } = rest;
  return {
    at: at.toISOString(),
    kind,
    order: orderId,
    reference,
    refund_reference: refundReference,
    payout: payoutId,
    amount,
    balance,
  };
}

/** The sum of the movements of each kind; `opening` and these give `closing`. */
function sumsOf(movements: ClinicAccount["movements"]) {
  const of = (...kinds: ReadonlyArray<ClinicAccount["movements"][number]["kind"]>) =>
    movements.filter(({ kind }) => kinds.includes(kind)).reduce((total, { amount }) => total + amount, 0);
  return {
    sales: of("sale", "sale_returned"),
    refunds: of("refund"),
    fees: of("fee"),
    fee_vat: of("fee_vat"),
    payouts: of("payout", "payout_returned"),
  };
}
