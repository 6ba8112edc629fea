/* Charges of the deferred part: by the mandate when due, and earlier if the patient asks for it. */

import { timerOutcomeOf } from "../../gateways/run-call.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { providerNow, realMoment } from "../../platform/provider.ts";
import type { ClaimedTimer } from "../../platform/timers/timer-store.ts";
import type { TimerOutcome } from "../../platform/timers/timer-worker.ts";
import { requireProvider } from "../../tenants/provider-reads.ts";
import { keyOf } from "../collection-timers.ts";
import type { CollectionDependencies } from "../dependencies.ts";
import { makeCharge } from "./make-charge.ts";
import { openByMandate, takeUpAttempt } from "./open-charge.ts";

/**
 * Charges what is due by the mandate, tries again as the rules allow, and settles unknown outcomes by inquiry. It may
 * run any number of times and on several workers, because all progress is stored in the attempt and not in the timer.
 */
export async function runCollection(dependencies: CollectionDependencies, timer: ClaimedTimer): Promise<TimerOutcome> {
  const { db, clock } = dependencies;
  const key = keyOf(timer);
  const provider = await requireProvider(db, key.providerId);
  const now = providerNow(provider, clock.now());
  const opened = await inTransaction(db, (tx) => openByMandate(tx, dependencies, key, { timer, now }));
  if (opened.outcome === "nothing") return "done";
  if (opened.outcome === "wait") return { again: realMoment(provider, opened.until) };
  const ran = await makeCharge(dependencies, provider, opened, now);
  const { status } = ran.attempt;
  if (status === null) return timerOutcomeOf(ran, clock.now());
  return status.dueAt === null ? "done" : { again: realMoment(provider, status.dueAt) };
}

/** Asks for the outcome of a charge requested by the patient if the request ended without it. */
export async function settleEarlyPayment(
  dependencies: CollectionDependencies,
  timer: ClaimedTimer,
): Promise<TimerOutcome> {
  const { db, clock } = dependencies;
  const key = keyOf(timer);
  const opened = await inTransaction(db, (tx) => takeUpAttempt(tx, key, timer.key));
  if (opened.outcome !== "charge") return "done";
  const provider = await requireProvider(db, key.providerId);
  const ran = await makeCharge(dependencies, provider, opened, providerNow(provider, clock.now()));
  // Tries by the mandate are made by the charge timer.
  return timerOutcomeOf(ran, clock.now());
}
