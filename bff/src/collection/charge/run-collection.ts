import { inquiryDelayMs } from "../../gateways/inquiry-delay.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { type Provider, providerNow, realMoment } from "../../platform/provider.ts";
import type { ClaimedTimer } from "../../platform/timers/timer-store.ts";
import type { TimerOutcome } from "../../platform/timers/timer-worker.ts";
import { requireProvider } from "../../tenants/provider-reads.ts";
import { countInquiry } from "../collection-store.ts";
import { keyOf } from "../collection-timers.ts";
import type { CollectionDependencies } from "../dependencies.ts";
import { decideAgain } from "./decide-again.ts";
import { callProcessor, inquireProcessor, type Opened, openByMandate, takeUpAttempt } from "./open-charge.ts";
import { type ChargeAnswer, type OpenCharge, type Standing, settleCharge } from "./settle-charge.ts";

/**
 * Charges what is due by the mandate, and tries again as far as the rules allow; settles by inquiry what nobody knows. It may
 * be run any number of times, by any number of workers: what was done is in the attempt, not in the timer.
 */
export async function runCollection(dependencies: CollectionDependencies, timer: ClaimedTimer): Promise<TimerOutcome> {
  const { db, clock } = dependencies;
  const key = keyOf(timer);
  const provider = await requireProvider(db, key.providerId);
  const now = providerNow(provider, clock.now());
  const opened = await inTransaction(db, (tx) => openByMandate(tx, dependencies, key, { timer, now }));
  if (opened.outcome === "nothing") return "done";
  if (opened.outcome === "wait") return { again: realMoment(provider, opened.until) };
  const charged = await chargeOpened(dependencies, provider, opened, now);
  if ("askAgainAt" in charged) return { again: charged.askAgainAt };
  const { dueAt } = charged;
  return dueAt === null ? "done" : { again: realMoment(provider, dueAt) };
}

/** Asks what became of a charge that the patient asked for, when the request did not hear it. */
export async function settleEarlyPayment(
  dependencies: CollectionDependencies,
  timer: ClaimedTimer,
): Promise<TimerOutcome> {
  const { db, clock } = dependencies;
  const key = keyOf(timer);
  const opened = await inTransaction(db, (tx) => takeUpAttempt(tx, key, timer.key));
  if (opened.outcome !== "charge") return "done";
  const provider = await requireProvider(db, key.providerId);
  const charged = await chargeOpened(dependencies, provider, opened, providerNow(provider, clock.now()));
  // Tries by the mandate are the charge timer's.
  return "askAgainAt" in charged ? { again: charged.askAgainAt } : "done";
}

/** Makes the call of an attempt, or asks about it, and writes the answer; without one, says when (in real time) to ask again. */
async function chargeOpened(
  dependencies: CollectionDependencies,
  provider: Provider,
  { charge, asked, inquiries }: Extract<Opened, { outcome: "charge" }>,
  at: Date,
): Promise<Standing | { readonly askAgainAt: Date }> {
  const { db, clock, cardProcessor } = dependencies;
  const answer = await (asked ? askAgain(dependencies, charge, at) : callProcessor(cardProcessor, charge, at));
  if (answer !== null && "state" in answer) return answer;
  if (answer !== null) return settleCharge(dependencies, charge, answer, providerNow(provider, clock.now()));
  const asks = asked ? await countInquiry(db, charge.key, charge.attemptId) : inquiries;
  return { askAgainAt: new Date(clock.now().getTime() + inquiryDelayMs(asks)) };
}

/**
 * Asks what became of a charge. One that never arrived is made only if that is still right; if not, how the collection then
 * stands. `null`: nobody knows.
 */
async function askAgain(
  dependencies: CollectionDependencies,
  charge: OpenCharge,
  at: Date,
): Promise<ChargeAnswer | Standing | null> {
  const { db, cardProcessor } = dependencies;
  const known = await inquireProcessor(cardProcessor, charge, at);
  if (known?.outcome !== "not_found") return known;
  const decided = await inTransaction(db, (tx) => decideAgain(tx, dependencies, charge, at));
  if (decided.outcome === "settled") return decided.standing;
  return decided.outcome === "charge" ? callProcessor(cardProcessor, charge, at) : null;
}
