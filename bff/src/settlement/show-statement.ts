import { STATEMENT_MOVEMENTS_MAX, type StatementResponse } from "../contract/statement.ts";
import { type ClinicAccount, clinicAccounts } from "../orders/book-reads.ts";
import type { Database } from "../platform/database/transaction.ts";
import { ApiError } from "../platform/http/api-error.ts";
import type { Provider } from "../platform/provider.ts";
import { addCalendarDays, lastDayOfMonth, santiagoDay, santiagoMoment } from "../platform/santiago-time.ts";
import { withNames } from "../tenants/centers.ts";

/**
 * A month of the accounts of a provider and its centres; the default is the current month. `now`: provider's time.
 * Throws `validation_error` if it has too many movements for one answer.
 */
export async function showStatement(
  db: Database,
  provider: Provider,
  {
    month,
    now,
    movementsMax = STATEMENT_MOVEMENTS_MAX,
  }: { readonly month: string | undefined; readonly now: Date; readonly movementsMax?: number },
): Promise<StatementResponse> {
  const shown = month ?? santiagoDay(now).slice(0, 7);
  const [year = 0, number = 0] = shown.split("-").map(Number);
  const from = santiagoMoment(`${shown}-01`);
  const to = santiagoMoment(addCalendarDays(lastDayOfMonth(year, number), 1));
  const accounts = await clinicAccounts(db, { providerId: provider.id, from, to, movementsMax: movementsMax + 1 });
  const count = accounts.reduce((sum, { movements }) => sum + movements.length, 0);
  if (count > movementsMax) {
    const message = `has more than ${movementsMax} movements: ask us for its file`;
    throw new ApiError("validation_error", { errors: [{ path: "month", message }] });
  }
  const named = await withNames(db, provider, accounts);
  return { month: shown, accounts: named.map((account) => accountPart(provider, account)) };
}

function accountPart(
  { id }: Pick<Provider, "id">,
  { centerId, name, opening, movements, closing }: ClinicAccount & { readonly name: string },
): StatementResponse["accounts"][number] {
  return {
    payee: centerId === null ? { kind: "provider", id } : { kind: "center", id: centerId },
    name,
    opening,
    movements: movements.map(({ at, kind, orderId, reference, refundReference, payoutId, amount, balance }) => ({
      at: at.toISOString(),
      kind,
      order_hash: orderId,
      reference,
      refund_reference: refundReference,
      payout_id: payoutId,
      amount,
      balance,
    })),
    closing,
  };
}
