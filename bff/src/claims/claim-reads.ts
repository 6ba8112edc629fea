import type { RawBuilder } from "kysely";
import type { MissingStep, Order, OrderClaim } from "../contract/orders.ts";
import { calendarDaySchema } from "../contract/vocabulary/calendar-day.ts";
import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import { readRut } from "../contract/vocabulary/rut.ts";
import type { UnapprovedBecause } from "../notifications/kinds/charge-announced.ts";
import { publishedStatus } from "../orders/order.ts";
import { type OrderInStatement, readForOrder } from "../orders/order-reads.ts";
import type { OrderRecord } from "../orders/order-record.ts";
import type { Beneficiary } from "../patients/beneficiary.ts";
import { namedClaimsWithdrawal } from "../patients/consents.ts";
import { namedPatientAt } from "../patients/patients.ts";
import { columnsTogether, type PresentColumn } from "../platform/database/read-column.ts";
import type { Database, Transaction } from "../platform/database/transaction.ts";
import type { CalendarDay } from "../platform/santiago-time.ts";
import { namedEnvironment } from "../tenants/providers.ts";
import {
  type ClaimRecord,
  claimColumn,
  type FiledOnDay,
  readClaimOfOrder,
  selectFiledByDay,
  selectLastFiled,
} from "./claim-store.ts";
import { namedExpense, type SubmittedExpense } from "./expenses/expense-progress.ts";
import { countExpenses, readExpenseOfOrder, readServiceDate, selectFileNames } from "./expenses/expense-store.ts";
import {
  claimView,
  documentsMissingOf,
  type FilingFacts,
  hasClaimEnded,
  lackingOf,
  unapprovedBecause,
} from "./filing-facts.ts";

/**
 * The claim of an order; null if it has none. The caller must hold the lock on the order's expense: filings and missing
 * documents reported by the insurer are recorded only under that lock.
 */
export function claimOfOrder(
  tx: Transaction,
  order: { readonly providerId: string; readonly orderId: OrderId },
): Promise<ClaimRecord | null> {
  return readClaimOfOrder(tx, order);
}

type PaidOrder = Pick<OrderRecord, "providerId" | "orderId" | "state" | "customer">;

/** Whether claims are filed with the patient's portal password. If not, no claim lacks it. */
export interface AccessTerms {
  readonly takesInsurerAccess: boolean;
}

/** The filing facts of an order, and its patient; null if no patient is registered under the order's RUT. */
export interface FilingRead {
  readonly facts: FilingFacts;
  readonly patient: Beneficiary | null;
  readonly expense: SubmittedExpense | null;
  readonly claim: ClaimRecord | null;
}

export async function readFilingFacts(db: Database, order: PaidOrder, terms: AccessTerms): Promise<FilingRead> {
  return filingOf(order, await readForOrder(db, order, filingColumn), terms);
}

/** The stored parts from which the filing facts of an order follow. */
interface FilingParts extends Pick<FilingRead, "patient" | "expense" | "claim"> {
  readonly isWithdrawn: boolean;
}

/** The parts of the filing facts of an order, as a column of a statement; `filingOf` reads them. */
export function filingColumn(order: OrderInStatement): PresentColumn<FilingParts> {
  const environment = namedEnvironment(order.providerId);
  return columnsTogether({
    patient: namedPatientAt(order, environment),
    isWithdrawn: namedClaimsWithdrawal(order, environment),
    expense: namedExpense(order),
    claim: claimColumn(order),
  });
}

/** The filing facts of an order. One of an erased patient has a pseudonym instead of the RUT, and so no patient. */
export function filingOf(
  { state, customer }: Pick<PaidOrder, "state" | "customer">,
  parts: FilingParts,
  { takesInsurerAccess }: AccessTerms,
): FilingRead {
  const isErased = readRut(customer.rut) === null;
  const { patient, isWithdrawn, ...submitted } = isErased ? { ...parts, patient: null, isWithdrawn: true } : parts;
  const facts = factsOf(publishedStatus(state), { ...submitted, takesInsurerAccess, patient, isWithdrawn });
  return { facts, patient, ...submitted };
}

function factsOf(
  order: FilingFacts["order"],
  {
    patient,
    expense,
    claim,
    isWithdrawn,
    takesInsurerAccess,
  }: Omit<FilingRead, "facts"> & AccessTerms & { readonly isWithdrawn: boolean },
): FilingFacts {
  return {
    order,
    expense: expense?.status ?? null,
    claim: claim && { state: claim.state, wasFiled: claim.filedAt !== null, isBlocked: claim.blockedSince !== null },
    rejectionCode: claim?.rejectionCode ?? null,
    documents: expense === null ? [] : documentsMissingOf(expense, claim),
    hasAccess: patient === null ? null : !takesInsurerAccess || patient.sealedInsurerAccess !== null,
    isWithdrawn,
  };
}

/** Whether the claim of an order can no longer make its charge due. */
export async function isClaimOver(db: Database, order: PaidOrder): Promise<boolean> {
  const { facts } = await readFilingFacts(db, order, { takesInsurerAccess: true });
  return hasClaimEnded(facts);
}

/** Why the claim has no approval, for the notice of the charge on the last day. */
export async function readUnapprovedBecause(
  db: Database,
  order: PaidOrder,
  terms: AccessTerms,
): Promise<UnapprovedBecause> {
  return unapprovedBecause((await readFilingFacts(db, order, terms)).facts);
}

/** The registered patient of an order, and whether its claim waits for their access to the insurer. */
export async function readAccessFacts(
  db: Database,
  order: PaidOrder,
  terms: AccessTerms,
): Promise<{ readonly patient: Beneficiary | null; readonly isMissing: boolean }> {
  const { facts, patient } = await readFilingFacts(db, order, terms);
  return { patient, isMissing: lackingOf(facts)?.access === true };
}

/** The claim of a paid order as its clinic sees it, and what the patient must still do before it can be filed. */
export function filingView({ facts }: Pick<FilingRead, "facts">): {
  readonly claim: OrderClaim | null;
  readonly missing_step: MissingStep | null;
} {
  return { claim: claimView(facts), missing_step: lackingOf(facts)?.access === true ? "insurer_access" : null };
}

/** The claims filed on each of these days (`id, days_ago, since, until`). */
export function filedByDay(db: Database, days: RawBuilder<unknown>): Promise<FiledOnDay[]> {
  return selectFiledByDay(db, days);
}

/** How many seconds ago the last claim was filed; null if none was. `clocks` selects `id, now` of the providers. */
export function lastFiled(db: Database, clocks: RawBuilder<unknown>): Promise<number | null> {
  return selectLastFiled(db, clocks);
}

/** The number of expenses that a patient has sent. It limits the free trial. */
export function countExpensesSent(db: Database, beneficiaryId: string): Promise<number> {
  return countExpenses(db, beneficiaryId);
}

/** The expense part of an order's view; null if none was submitted. */
export async function expenseOfOrder(db: Database, providerId: string, orderId: OrderId): Promise<Order["expense"]> {
  const expense = await readExpenseOfOrder(db, { providerId, orderId });
  return expense === null ? null : { id: expense.id, status: expense.status };
}

/** The day of the service as the receipt of an order names it; `null` if it is not known. */
export async function serviceDayOfOrder(
  db: Database,
  order: { readonly providerId: string; readonly orderId: OrderId },
): Promise<CalendarDay | null> {
  return calendarDaySchema.safeParse(await readServiceDate(db, order)).data ?? null;
}

/** The names under which receipts and documents are stored, page by page. */
export function readFileNames(
  db: Database,
  page: { readonly after: string; readonly limit: number },
): Promise<string[]> {
  return selectFileNames(db, page);
}
