import { collectionOf, readUpcomingCharge } from "../collection/upcoming-charge.ts";
import type { MissingDocument } from "../contract/expenses.ts";
import { CLAIMED_WITHIN_DAYS, REMINDED_FROM_HOUR, UNFILED_REMINDER_DAYS } from "../contract/terms.ts";
import { isOrderId } from "../contract/vocabulary/identifiers.ts";
import { notifyPatient, wasNotified } from "../notifications/notify-patient.ts";
import { publishOrderNews } from "../orders/order-events.ts";
import { aboutOrder, findOrder, lockOrder } from "../orders/order-reads.ts";
import type { OrderRecord } from "../orders/order-record.ts";
import type { Beneficiary } from "../patients/beneficiary.ts";
import { type Database, inTransaction, type Transaction } from "../platform/database/transaction.ts";
import { providerNow, realMoment } from "../platform/provider.ts";
import {
  addCalendarDays,
  type CalendarDay,
  calendarDaysBetween,
  santiagoDay,
  santiagoMoment,
} from "../platform/santiago-time.ts";
import { spreadFrom } from "../platform/spread.ts";
import { type ClaimedTimer, scheduleTimer } from "../platform/timers/timer-store.ts";
import type { TimerContext, TimerOutcome } from "../platform/timers/timer-worker.ts";
import { requireProvider } from "../tenants/providers.ts";
import { readFilingFacts } from "./claim-reads.ts";
import { noteMissingReceipt } from "./claim-store.ts";
import type { ClaimedOrder } from "./consider-claim.ts";
import { type Lacking, lackingOf } from "./filing-facts.ts";
import { linkToGiveAccess, type NotifyClaimDependencies } from "./notify-claim.ts";

/** Reminds the patient of an order whose claim is not filed. The timer's key is the order's id. */
export const REMIND_UNFILED_TIMER = "claims.remind_unfiled";

/** The time of an order's reminder, in the provider's time. */
function reminderAt({ paidAt, orderId }: { readonly paidAt: Date; readonly orderId: string }, day: number): Date {
  return spreadFrom(santiagoMoment(addCalendarDays(santiagoDay(paidAt), day), REMINDED_FROM_HOUR), orderId);
}

/** Schedules the reminders of a paid order. */
export async function scheduleReminders(tx: Transaction, { providerId, orderId }: ClaimedOrder): Promise<void> {
  const order = await findOrder(tx, { providerId, orderId });
  if (order?.paidAt == null) return;
  const provider = await requireProvider(tx, providerId);
  const dueAt = realMoment(provider, reminderAt({ paidAt: order.paidAt, orderId }, UNFILED_REMINDER_DAYS[0]));
  await scheduleTimer(tx, {
    kind: REMIND_UNFILED_TIMER,
    key: orderId,
    providerId,
    dueAt,
    payload: { order_id: orderId },
  });
}

/**
 * Notifies the patient at once about what the claim of an order lacks: once about the access and once about a document.
 * A receipt counts as missing only after some days.
 */
export async function notifyOfLack(
  dependencies: NotifyClaimDependencies,
  tx: Transaction,
  { providerId, orderId }: ClaimedOrder,
): Promise<void> {
  const order = await findOrder(tx, { providerId, orderId });
  if (order === null) return;
  const { facts, patient } = await readFilingFacts(tx, order, dependencies);
  const lacking = lackingOf(facts);
  if (lacking === null) return;
  const { documents } = facts;
  const paper = lacking.paper === "receipt" ? null : lacking.paper;
  const reminder = { patient, documents, access: lacking.access, paper, when: paper ?? "access" };
  if (lacking.access || paper !== null) await notifyLacking(dependencies, tx, order, reminder);
}

/** Reminds the patient if something is still missing, and notifies the clinic by an event if the receipt is. */
export async function remindUnfiled(
  dependencies: NotifyClaimDependencies & { readonly db: Database },
  timer: ClaimedTimer,
  { finish }: Pick<TimerContext, "finish">,
): Promise<TimerOutcome> {
  const { db, clock, ids } = dependencies;
  const { providerId, key: orderId } = timer;
  if (!isOrderId(orderId)) throw new TimerWithoutOrder("A reminder does not name its order.");
  return inTransaction(db, async (tx) => {
    const order = await lockOrder(tx, { providerId, orderId });
    const provider = await requireProvider(tx, providerId);
    const now = providerNow(provider, clock.now());
    const { facts, patient } = await readFilingFacts(tx, order, dependencies);
    const { documents } = facts;
    const lacking = lackingOf(facts);
    const { today, next } = remindersOf(order, now);
    const isOver = next === null || facts.claim?.wasFiled === true;
    const outcome: TimerOutcome = isOver ? "done" : { again: realMoment(provider, next) };
    await finish(tx, outcome);
    if (lacking === null || today === null) return outcome;
    await notifyLacking(dependencies, tx, order, { ...lacking, patient, documents, when: `day_${today}` });
    if (lacking.paper === "receipt" && (await noteMissingReceipt(tx, order, now))) {
      const related = { expense: null, collection: await collectionOf(tx, order) };
      await publishOrderNews(tx, ids, order, { kind: "order.receipt_missing", related, at: now });
    }
    return outcome;
  });
}

/** The latest due reminder, by its day, and the time of the next one. */
function remindersOf(
  { paidAt, orderId }: OrderRecord,
  now: Date,
): { readonly today: number | null; readonly next: Date | null } {
  if (paidAt === null) return { today: null, next: null };
  const days = calendarDaysBetween(santiagoDay(paidAt), santiagoDay(now));
  const today = UNFILED_REMINDER_DAYS.findLast((day) => day <= days) ?? null;
  const next = UNFILED_REMINDER_DAYS.find((day) => day > days);
  return { today, next: next === undefined ? null : reminderAt({ paidAt, orderId }, next) };
}

interface Reminder extends Lacking {
  readonly patient: Beneficiary | null;
  /** The documents that the clinic must still send. */
  readonly documents: readonly MissingDocument[];
  /** Distinguishes the reminders of one order. */
  readonly when: string;
}

async function notifyLacking(
  dependencies: NotifyClaimDependencies,
  tx: Transaction,
  order: OrderRecord,
  { patient, access, paper, documents, when }: Reminder,
): Promise<void> {
  const { providerId, orderId, paidAt, customer } = order;
  const provider = await requireProvider(tx, providerId);
  const cause = `claim_unfiled:${orderId}:${when}`;
  if (paidAt === null || (await wasNotified(tx, { provider, cause }))) return;
  const beneficiaryId = patient?.id ?? null;
  const about = await aboutOrder(tx, provider, order);
  await notifyPatient(dependencies, tx, {
    provider,
    about,
    cause,
    to: patient?.email ?? customer.email,
    rut: customer.rut,
    telephone: patient?.phoneNumber ?? customer.phoneNumber,
    orderId,
    ...(beneficiaryId === null ? {} : { beneficiaryId }),
    notification: {
      kind: "claim_unfiled",
      firstName: patient?.firstName ?? customer.firstName,
      clinic: about.clinic,
      lacksAccess: access,
      lacksPaper: paper,
      documents,
      accessUrl:
        access && beneficiaryId !== null
          ? ((await linkToGiveAccess(dependencies, tx, { providerId, beneficiaryId, rut: customer.rut }))?.url ?? null)
          : null,
      claimUntil: addCalendarDays(santiagoDay(paidAt), CLAIMED_WITHIN_DAYS),
      chargeDay: await chargeDayOf(tx, order, providerNow(provider, dependencies.clock.now())),
    },
  });
}

/**
 * The last possible day of a charge that is still to come; null if there is none, or a trigger has already set its day.
 */
async function chargeDayOf(tx: Transaction, order: OrderRecord, at: Date): Promise<CalendarDay | null> {
  // A claim that lacks something has not ended.
  const upcoming = await readUpcomingCharge(tx, order, { at, claimEnded: async () => false });
  return upcoming?.status === "by_day" ? upcoming.day : null;
}

/** Thrown when a timer does not name its order: a defect. */
class TimerWithoutOrder extends Error {
  override readonly name = "TimerWithoutOrder";
  readonly code = "timer_without_order";
}
