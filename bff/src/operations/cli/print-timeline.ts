import { maskEmail, maskPhone } from "../../contract/vocabulary/email.ts";
import { maskRut } from "../../contract/vocabulary/rut.ts";
import type { OrderRecord } from "../../orders/orders/order-record.ts";
import { providerNow } from "../../platform/provider.ts";
import { exceptionId } from "../exceptions/exception.ts";
import { EXCEPTION_KINDS } from "../exceptions/exception-kinds.ts";
import type { NextStep, OrderTimeline, TimelineEntry } from "../timeline/order-timeline.ts";
import type { Shown } from "./print.ts";

/** Pauses shorter than this are not named. */
const IDLE_MS = 60 * 60 * 1000;

interface Printing {
  /** Whether the patient's data is shown, and not only its beginnings. */
  readonly isRevealed: boolean;
  /** Real time. */
  readonly now: Date;
}

export function shownTimeline(timeline: OrderTimeline, { isRevealed, now }: Printing): Shown {
  const patient = patientOf(timeline.order, isRevealed);
  return {
    json: timelineJson(timeline, patient),
    lines: timelineLines(timeline, patient, providerNow(timeline.provider, now)),
  };
}

type Patient = ReturnType<typeof patientOf>;

function patientOf({ customer, card }: OrderRecord, isRevealed: boolean) {
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

function timelineJson(timeline: OrderTimeline, patient: Patient): object {
  const { order, provider, happened, waits, next, exceptions, switchedOff } = timeline;
  return {
    order_hash: order.orderId,
    provider_id: provider.id,
    provider: provider.name,
    reference: order.reference,
    state: order.state,
    amounts: amountsOf(order),
    patient,
    happened: happened.map(entryJson),
    waits: waits.map(entryJson),
    next: next.map((step) => ({ ...step, at: step.at.toISOString() })),
    exceptions: exceptions.map((exception) => ({
      exception: exceptionId(exception),
      kind: exception.kind,
      since: exception.since.toISOString(),
      resolutions: EXCEPTION_KINDS[exception.kind].resolutions,
    })),
    switched_off: switchedOff,
  };
}

function amountsOf({ total, first, deferred, refunded, deferredCollected, deferredCancelled }: OrderRecord) {
  return {
    total,
    first_instalment: first,
    deferred,
    refunded,
    deferred_collected: deferredCollected,
    deferred_cancelled: deferredCancelled,
  };
}

function entryJson({ what, means, at, subject, amount, facts }: TimelineEntry): object {
  return { at: at.toISOString(), what, means, subject, amount, facts };
}

function timelineLines(timeline: OrderTimeline, patient: Patient, now: Date): string[] {
  const { order, provider, happened, waits, next, exceptions, switchedOff } = timeline;
  const { card } = patient;
  const cardWords = card === null ? "no card" : [card.brand, card.kind, card.last4].filter(Boolean).join(" ");
  return [
    `order ${order.orderId}, ${order.state}`,
    `reference ${order.reference} of ${provider.name} (${provider.id})`,
    `patient ${patient.rut}, ${patient.name}, ${patient.email}, ${patient.phone_number}, ${cardWords}`,
    Object.entries(amountsOf(order))
      .map(([name, amount]) => `${name} ${amount}`)
      .join(", "),
    "",
    ...happenedLines(happened, now),
    "",
    ...section("waits for", waits.map(waitLine)),
    ...section("comes next", next.map(nextLine)),
    ...section("exceptions", exceptions.map(exceptionId)),
    ...section("switched off", switchedOff),
  ];
}

/** Entries, oldest first; a line stands for each pause in which nothing happened. */
function happenedLines(entries: readonly TimelineEntry[], now: Date): string[] {
  const moments = [...entries.slice(1).map(({ at }) => at), now];
  return entries.flatMap((entry, index) => {
    const pauseMs = (moments[index]?.getTime() ?? 0) - entry.at.getTime();
    const line = `${secondOf(entry.at)}  ${entryWords(entry)}`;
    return pauseMs < IDLE_MS ? [line] : [line, `  … ${pauseWords(pauseMs)}`];
  });
}

function entryWords({ what, means, subject, amount, facts }: TimelineEntry): string {
  const known = Object.entries(facts).map(([name, value]) => `${name} ${value}`);
  const moved = amount === null ? [] : [`${amount} CLP`];
  const about = subject === null ? [] : [subject];
  return [`${what}: ${means}`, ...moved, ...known, ...about].join("  ");
}

function waitLine(entry: TimelineEntry): string {
  return `${entryWords(entry)}  since ${secondOf(entry.at)}`;
}

function nextLine({ at, what, means, standing, attempts }: NextStep): string {
  const words = { to_come: "", running: ", runs now", late: ", late" }[standing];
  return `${secondOf(at)}  ${what}: ${means}${words}${attempts > 1 ? `, tried ${attempts} times` : ""}`;
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [`${title}: nothing`] : [`${title}:`, ...lines.map((line) => `  ${line}`)];
}

function secondOf(at: Date): string {
  return `${at.toISOString().slice(0, 19)}Z`;
}

/** `2 d 5 h` */
function pauseWords(milliseconds: number): string {
  const hours = Math.floor(milliseconds / IDLE_MS);
  const [days, rest] = [Math.floor(hours / 24), hours % 24];
  return [days > 0 ? `${days} d` : "", rest > 0 ? `${rest} h` : ""].filter(Boolean).join(" ");
}
