import { triggeredAt } from "../../collection/operations.ts";
import { type LoanAt, loansAt } from "../../orders/book-reads.ts";
import { latestDueDate } from "../../orders/quote.ts";
import { recordAudit } from "../../platform/audit-store.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
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
 * `overdue`: its due day is over. `held`: day 45 is over, and the service has not made it due, because a charge is
 * disputed or the patient's data is blocked. `cancelled`: refunds have taken all of it.
 */
type LoanStatus = "current" | "held" | "overdue" | "written_off" | "paid" | "cancelled";

/** A loan at the end of a day. `triggeredAt`: when it became due; null if it has not. */
export function loanStatus(
  { paidAt, outstanding, writtenOff, repaid }: Pick<LoanAt, "paidAt" | "outstanding" | "writtenOff" | "repaid">,
  { day, triggeredAt: triggered }: { readonly day: CalendarDay; readonly triggeredAt: Date | null },
): { readonly dueOn: CalendarDay; readonly status: LoanStatus; readonly daysOverdue: number } {
  const dueOn = triggered === null ? latestDueDate(paidAt) : santiagoDay(triggered);
  if (outstanding === 0) {
    return { dueOn, status: writtenOff > 0 ? "written_off" : repaid > 0 ? "paid" : "cancelled", daysOverdue: 0 };
  }
  if (day <= dueOn) return { dueOn, status: "current", daysOverdue: 0 };
  if (triggered === null) return { dueOn, status: "held", daysOverdue: 0 };
  return { dueOn, status: "overdue", daysOverdue: calendarDaysBetween(dueOn, day) };
}

/**
 * The loans with their debtors at the end of a day in Santiago: outstanding, or ended from `endedSince` on. The export
 * is audited.
 */
export function exportLoans(
  { db, ids, clock, actor }: Pick<Operator, "db" | "ids" | "clock" | "actor">,
  requested: { readonly providers: readonly Provider[]; readonly day: CalendarDay; readonly endedSince: CalendarDay },
) {
  const { providers, day, endedSince } = requested;
  const providerIds = providers.map(({ id }) => id);
  const before = santiagoMoment(addCalendarDays(day, 1));
  return inTransaction(
    db,
    async (tx) => {
      const loans = await loansAt(tx, { providerIds, before, endedSince: santiagoMoment(endedSince) });
      const triggered = await triggeredAt(tx, { providerIds, orderIds: loans.map(({ orderId }) => orderId), before });
      await recordAudit(tx, {
        id: ids.uuid(),
        providerId: providers.length === 1 ? (providerIds[0] ?? null) : null,
        actor,
        credentialId: null,
        act: "loans.exported",
        subject: { kind: "day", id: day },
        details: { loans: loans.length, ended_since: endedSince },
        at: clock.now(),
      });
      return loans.map((loan) =>
        loanView(loan, loanStatus(loan, { day, triggeredAt: triggered.get(loan.orderId) ?? null })),
      );
    },
    { isolation: "repeatable read" },
  );
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
