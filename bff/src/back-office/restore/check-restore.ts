import type { ReconciledParty } from "../../contract/reconciliation.ts";
import { DAY_MS } from "../../contract/vocabulary/durations.ts";
import { classifyLostCharge, mayBeFound } from "../../orders/charge-lost-in-restore.ts";
import { recordAudit } from "../../platform/audit-store.ts";
import type { Clock } from "../../platform/clock.ts";
import { inTransaction, type Transaction } from "../../platform/database/transaction.ts";
import type { Ids } from "../../platform/ids.ts";
import { type Provider, providerNow } from "../../platform/provider.ts";
import { endRestore, type OpenRestore } from "../../platform/restore-store.ts";
import { santiagoDay } from "../../platform/santiago-time.ts";
import { type ErasedAgain, eraseAgain } from "../../self-service/erase-again.ts";
import { isPayoutAskedFor } from "../../settlement/operations.ts";
import { type ReconcileDependencies, type Reconciled, reconcileSince } from "../../settlement/reconcile.ts";
import { listProviders } from "../../tenants/providers.ts";
import { exceptionId } from "../exceptions/exception.ts";
import { type ExceptionsDependencies, findException } from "../list-exceptions.ts";
import { ADVICE, type Advice, LOST_CHARGE_ADVICE, LOST_LOAN_ADVICE, LOST_PAYOUT_ADVICE } from "./advice.ts";

export type CheckRestoreDependencies = ReconcileDependencies &
  ExceptionsDependencies &
  Parameters<typeof eraseAgain>[0] & {
    readonly clock: Clock;
    readonly ids: Ids;
  };

/** A difference between the restored books and an outside party, with advice. */
export interface Finding {
  readonly providerId: string;
  readonly difference: Reconciled["differences"][number];
  readonly advice: Advice;
  /** The exception to resolve; null once it was dismissed, or if it resolves itself. */
  readonly exception: string | null;
}

export interface CheckedRestore {
  readonly findings: readonly Finding[];
  /** Unavailable lists, by provider. */
  readonly unavailable: readonly { readonly providerId: string; readonly party: ReconciledParty }[];
  /** The erasures that the database had forgotten. */
  readonly erasures: ErasedAgain;
  /**
   * Whether work has resumed: all erasures were repeated, every list was compared, and each difference heals or was
   * dismissed.
   */
  readonly isEnded: boolean;
}

/**
 * How long before the restored moment the comparison begins: a call may have been made before it and answered after it.
 */
const BEFORE_MS = DAY_MS;

/**
 * Repeats the erasures since the restored moment, compares every provider's books with the outside parties' lists, and
 * resumes work unless an operator is needed.
 */
export async function checkRestore(
  dependencies: CheckRestoreDependencies,
  restore: OpenRestore,
  actor: string,
): Promise<CheckedRestore> {
  const { db, clock, environment } = dependencies;
  const erasures = await eraseAgain(dependencies, restore.restoredTo);
  const findings: Finding[] = [];
  const unavailable: { providerId: string; party: ReconciledParty }[] = [];
  for (const provider of await listProviders(db, environment)) {
    const from = new Date(providerNow(provider, restore.restoredTo).getTime() - BEFORE_MS);
    const now = providerNow(provider, clock.now());
    const compared = await reconcileSince(dependencies, { providerId: provider.id, from, now });
    unavailable.push(...compared.unavailable.map((party) => ({ providerId: provider.id, party })));
    for (const difference of compared.differences)
      findings.push(await findingOf(dependencies, provider, difference, now));
  }
  const isCompared = unavailable.length === 0 && findings.every(({ exception }) => exception === null);
  const isEnded = isCompared && erasures.refused.length === 0;
  if (isEnded) await inTransaction(db, (tx) => end(tx, dependencies, restore, actor));
  return { erasures, findings, unavailable, isEnded };
}

async function end(
  tx: Transaction,
  { clock, ids }: CheckRestoreDependencies,
  { id }: OpenRestore,
  actor: string,
): Promise<void> {
  const at = clock.now();
  await endRestore(tx, id, { at, by: actor });
  const subject = { kind: "restore", id } as const;
  await recordAudit(tx, {
    id: ids.uuid(),
    providerId: null,
    actor,
    credentialId: null,
    act: "restore.ended",
    subject,
    at,
  });
}

async function findingOf(
  dependencies: CheckRestoreDependencies,
  provider: Provider,
  difference: Finding["difference"],
  now: Date,
): Promise<Finding> {
  const providerId = provider.id;
  const advice = await adviceOn(dependencies, provider, difference, now);
  const subject = `${difference.kind}:${difference.reference}`;
  const listed = advice.heals ? null : await findException(dependencies, { providerId, kind: "difference", subject });
  return { providerId, difference, advice, exception: listed === null ? null : exceptionId(listed) };
}

async function adviceOn(
  { db }: CheckRestoreDependencies,
  provider: Provider,
  { kind, orderId, reference, at }: Finding["difference"],
  now: Date,
): Promise<Advice> {
  const providerId = provider.id;
  if (kind === "charge_not_booked" && orderId !== null) {
    const classified = await inTransaction(db, (tx) =>
      classifyLostCharge(tx, { providerId, orderId }, { id: reference, at: now }),
    );
    return LOST_CHARGE_ADVICE[classified];
  }
  if (kind === "loan_not_booked" && orderId !== null) {
    const isFound = await inTransaction(db, (tx) => mayBeFound(tx, { providerId, orderId }, reference));
    return LOST_LOAN_ADVICE[isFound ? "found_when_paid" : "never_found"];
  }
  if (kind === "payout_not_booked") {
    const isAsked = await isPayoutAskedFor(db, provider, { id: reference, day: santiagoDay(at) });
    return isAsked ? LOST_PAYOUT_ADVICE : ADVICE.payout_not_booked;
  }
  return ADVICE[kind];
}
