/* Charges of the deferred part: by mandate when due, and earlier on the patient's request. */

import { timerOutcomeOf } from "../../gateways/run-call.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { providerNow, realMoment } from "../../platform/provider.ts";
import type { ClaimedTimer } from "../../platform/timers/timer-store.ts";
import type { TimerOutcome } from "../../platform/timers/timer-worker.ts";
import { requireProvider } from "../../tenants/providers.ts";
import { keyOf } from "../collection-timers.ts";
import type { CollectionDependencies } from "../dependencies.ts";
import { makeCharge } from "./make-charge.ts";
import { openByMandate, takeUpAttempt } from "./open-charge.ts";

/**
 * Charges the due amount by mandate, retries as the rules allow, and settles unknown outcomes by inquiry. It may run
 * any number of times and on several workers, because the attempt, not the timer, stores all progress.
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

/** Inquires about a charge requested by the patient if the request ended without its outcome. */
export async function settleEarlyPayment(
  dependencies: CollectionDependencies,
  timer: ClaimedTimer,
): Promise<TimerOutcome> {
  const { db, clock } = dependencies;
  const key = keyOf(timer);
  const opened = await inTransaction(db, (tx) => takeUpAttempt(tx, dependencies, key, timer.key));
  if (opened.outcome !== "charge") return "done";
  const provider = await requireProvider(db, key.providerId);
  const ran = await makeCharge(dependencies, provider, opened, providerNow(provider, clock.now()));
  // The charge timer makes the tries by mandate.
  return timerOutcomeOf(ran, clock.now());
}
