import { maskEmail, maskPhone } from "../../contract/vocabulary/email.ts";
import { maskRut } from "../../contract/vocabulary/rut.ts";
import type { OrderRecord } from "../../orders/order-record.ts";
import type { ExceptionTotal } from "../exception-store.ts";
import { exceptionId, type ListedException } from "../exceptions/exception.ts";
import { EXCEPTION_KINDS } from "../exceptions/exception-kinds.ts";
import { SEVERITIES, SEVERITY_OF } from "../exceptions/severity.ts";
import type { OrderTimeline, TimelineEntry } from "../timeline/order-timeline.ts";

/** The views for operators, in the command line and on the console's pages. */

/** An exception with its name and its possible resolutions. */
export function exceptionView(exception: ListedException) {
  const { kind, providerId, subject, orderId, since, ageSeconds, facts } = exception;
  return {
    exception: exceptionId(exception),
    kind,
    provider_id: providerId,
    subject,
    order_hash: orderId,
    since: since.toISOString(),
    severity: SEVERITY_OF[kind],
    age_seconds: Math.floor(ageSeconds),
    facts,
    resolutions: EXCEPTION_KINDS[kind].resolutions,
  };
}

/** The totals of each kind of exception, the severest first and among equals the oldest. */
export function totalViews(totals: readonly ExceptionTotal[]) {
  const rank = ({ kind }: ExceptionTotal) => SEVERITIES.indexOf(SEVERITY_OF[kind]);
  return totals
    .toSorted((one, other) => rank(one) - rank(other) || other.oldestSeconds - one.oldestSeconds)
    .map(({ kind, count, oldestSeconds, amount }) => ({
      kind,
      severity: SEVERITY_OF[kind],
      count,
      oldest_seconds: oldestSeconds,
      amount,
    }));
}

/** An order's timeline; its patient is masked unless revealed. */
export function timelineView(timeline: OrderTimeline, { isRevealed }: { readonly isRevealed: boolean }) {
  const { order, provider, happened, waits, next, exceptions, switchedOff } = timeline;
  return {
    order_hash: order.orderId,
    provider_id: provider.id,
    provider: provider.name,
    reference: order.reference,
    state: order.state,
    amounts: amountsOf(order),
    patient: patientOf(order, isRevealed),
    happened: happened.map(entryView),
    waits: waits.map(entryView),
    next: next.map((step) => ({ ...step, at: step.at.toISOString() })),
    exceptions: exceptions.map(exceptionView).map(({ exception, kind, since, resolutions }) => ({
      exception,
      kind,
      since,
      resolutions,
    })),
    switched_off: switchedOff,
  };
}

export type ShownPatient = ReturnType<typeof patientOf>;

export function patientOf({ customer, card }: OrderRecord, isRevealed: boolean) {
  const { rut, firstName, lastName, email, phoneNumber } = customer;
  const shown = isRevealed
    ? { rut, name: `${firstName} ${lastName}`, email, phone_number: phoneNumber }
    : {
        rut: maskRut(rut),
        name: `${firstName.slice(0, 1)}••• ${lastName.slice(0, 1)}•••`,
        email: maskEmail(email),
        phone_number: maskPhone(phoneNumber),
      };
  const ending = isRevealed && card !== null ? card.last4 : null;
  return { ...shown, card: card === null ? null : { brand: card.brand, kind: card.kind, last4: ending } };
}

export function amountsOf({ total, first, deferred, refunded, deferredCollected, deferredCancelled }: OrderRecord) {
  return {
    total,
    first_instalment: first,
    deferred,
    refunded,
    deferred_collected: deferredCollected,
    deferred_cancelled: deferredCancelled,
  };
}

function entryView({ what, means, at, subject, amount, facts }: TimelineEntry) {
  return { at: at.toISOString(), what, means, subject, amount, facts };
}
