import { providerNow } from "../../platform/provider.ts";
import { exceptionId } from "../exceptions/exception.ts";
import type { NextStep, OrderTimeline, TimelineEntry } from "../timeline/order-timeline.ts";
import { amountsOf, patientOf, type ShownPatient, timelineView } from "../views/exception-view.ts";
import type { Shown } from "./print.ts";

/** Shorter pauses are not shown. */
const IDLE_MS = 60 * 60 * 1000;

interface Printing {
  /** Whether the patient's data is shown in full instead of masked. */
  readonly isRevealed: boolean;
  /** Real time. */
  readonly now: Date;
}

export function shownTimeline(timeline: OrderTimeline, { isRevealed, now }: Printing): Shown {
  const patient = patientOf(timeline.order, isRevealed);
  return {
    json: timelineView(timeline, { isRevealed }),
    lines: timelineLines(timeline, patient, providerNow(timeline.provider, now)),
  };
}

function timelineLines(timeline: OrderTimeline, patient: ShownPatient, now: Date): string[] {
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

/** Entries, oldest first, with a line for each pause. */
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
