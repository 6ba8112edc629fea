import { laterChargesAt } from "../../collection/operations.ts";
import { type LoanAt, loansAt } from "../../orders/book-reads.ts";
import { latestDueDate } from "../../orders/quote.ts";
import { tenantOf } from "../../patients/beneficiary.ts";
import { blockedAmong } from "../../patients/blocked.ts";
import { recordAudit } from "../../platform/audit-store.ts";
import { inTransaction, type Transaction } from "../../platform/database/transaction.ts";
import type { Provider } from "../../platform/provider.ts";
import {
  addCalendarDays,
  type CalendarDay,
  calendarDaysBetween,
  santiagoDay,
  santiagoMoment,
} from "../../platform/santiago-time.ts";
import type { Operator } from "../operator.ts";

/**
 * `overdue`: its due day is over. `held`: also, but the service does not charge it, because a charge is disputed or the
 * patient's data is blocked. `cancelled`: refunds have taken all of it.
 */
type LoanStatus = "current" | "held" | "overdue" | "written_off" | "paid" | "cancelled";

interface AtDay {
  readonly day: CalendarDay;
  /** When the later charge became due; null if it has not. */
  readonly dueAt: Date | null;
  readonly isHeld: boolean;
}

/** A loan at the end of a day. */
export function loanStatus(
  { paidAt, outstanding, writtenOff, repaid }: Pick<LoanAt, "paidAt" | "outstanding" | "writtenOff" | "repaid">,
  { day, dueAt, isHeld }: AtDay,
): { readonly dueOn: CalendarDay; readonly status: LoanStatus; readonly daysOverdue: number } {
  const dueOn = dueAt === null ? latestDueDate(paidAt) : santiagoDay(dueAt);
  if (outstanding === 0) {
    return { dueOn, status: writtenOff > 0 ? "written_off" : repaid > 0 ? "paid" : "cancelled", daysOverdue: 0 };
  }
  if (day <= dueOn) return { dueOn, status: "current", daysOverdue: 0 };
  if (isHeld || dueAt === null) return { dueOn, status: "held", daysOverdue: 0 };
  return { dueOn, status: "overdue", daysOverdue: calendarDaysBetween(dueOn, day) };
}

interface LoansRequest {
  readonly providers: readonly Provider[];
  readonly day: CalendarDay;
  readonly endedSince: CalendarDay;
}

/**
 * The loans with their debtors at the end of a day in Santiago: outstanding, or ended from `endedSince` on. The export
 * is audited.
 */
export function exportLoans(
  { db, ids, clock, actor }: Pick<Operator, "db" | "ids" | "clock" | "actor">,
  requested: LoansRequest,
) {
  const { providers, day, endedSince } = requested;
  const [only] = providers;
  return inTransaction(
    db,
    async (tx) => {
      const loans = await loanViews(tx, requested);
      await recordAudit(tx, {
        id: ids.uuid(),
        providerId: providers.length === 1 && only !== undefined ? only.id : null,
        actor,
        credentialId: null,
        act: "loans.exported",
        subject: { kind: "day", id: day },
        details: { loans: loans.length, ended_since: endedSince },
        at: clock.now(),
      });
      return loans;
    },
    { isolation: "repeatable read" },
  );
}

async function loanViews(tx: Transaction, { providers, day, endedSince }: LoansRequest) {
  const before = santiagoMoment(addCalendarDays(day, 1));
  const providerIds = providers.map(({ id }) => id);
  const loans = await loansAt(tx, { providerIds, before, endedSince: santiagoMoment(endedSince) });
  const charges = await laterChargesAt(tx, { providerIds, orderIds: loans.map(({ orderId }) => orderId), before });
  const blocked = await blockedDebtors(tx, { providers, loans, before });
  return loans.map((loan) => {
    const { dueAt, isDisputed } = charges.get(loan.orderId) ?? { dueAt: null, isDisputed: false };
    const isHeld = isDisputed || blocked.has(`${loan.providerId} ${loan.debtor}`);
    return loanView(loan, loanStatus(loan, { day, dueAt, isHeld }));
  });
}

/** The debtors whose data is blocked, each after the provider of the loan. */
async function blockedDebtors(
  tx: Transaction,
  {
    providers,
    loans,
    before,
  }: Pick<LoansRequest, "providers"> & { readonly loans: readonly LoanAt[]; readonly before: Date },
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const byProvider = Map.groupBy(loans, ({ providerId }) => providerId);
  for (const provider of providers) {
    const ruts = byProvider.get(provider.id)?.map(({ debtor }) => debtor) ?? [];
    if (ruts.length === 0) continue;
    for (const rut of await blockedAmong(tx, { tenant: tenantOf(provider), ruts, before }))
      found.add(`${provider.id} ${rut}`);
  }
  return found;
}

/** One loan, in the order of the columns. */
function loanView(loan: LoanAt, { dueOn, status, daysOverdue }: ReturnType<typeof loanStatus>) {
  return {
    debtor_rut: loan.debtor,
    loan: loan.loanId,
    order: loan.orderId,
    granted_on: santiagoDay(loan.paidAt),
    due_on: dueOn,
    lent: loan.lent,
    outstanding: loan.outstanding,
    status,
    days_overdue: daysOverdue,
    changed_on: loan.changedAt === null ? null : santiagoDay(loan.changedAt),
  };
}
