import { ACCOUNT_REFUSALS, type TransferRefusal } from "../../contract/vocabulary/banks.ts";
import { formatClp } from "../../contract/vocabulary/clp.ts";
import { MINUTE_MS } from "../../contract/vocabulary/durations.ts";
import type { Bank } from "../../gateways/bank.ts";
import { plainEmail } from "../../notifications/mail-layout.ts";
import { bookReturnedPayout } from "../../orders/book-entries.ts";
import type { Period } from "../../orders/books.ts";
import { recordAudit } from "../../platform/audit-store.ts";
import { type Database, inTransaction, type Transaction } from "../../platform/database/transaction.ts";
import { type ClaimedTimer, scheduleTimer } from "../../platform/timers/timer-store.ts";
import type { TimerOutcome } from "../../platform/timers/timer-worker.ts";
import { requireProvider } from "../../tenants/providers.ts";
import { sourceOf } from "../compare-lines.ts";
import { markMoved, readItems, readPayout, writeReturned } from "../payout-store.ts";
import { openAccount } from "../payout-terms.ts";
import type { PayoutDependencies } from "./dependencies.ts";
import { schedulePayouts } from "./owe-payee.ts";
import { ownersOf, type Payout } from "./payout-record.ts";

/** Mails a clinic that the bank sent a payout back. The timer's key is the payout's id. */
export const PAYOUT_RETURNED_TIMER = "payouts.returned";

type ReturnDependencies = Pick<PayoutDependencies, "ids" | "clock">;

/**
 * Books the transfers that came back in a period, according to the bank's list, and are not booked yet. Transfers whose
 * outcome is unknown are left to the inquiries about them. Throws `GatewayUnavailable` if the list is unavailable.
 */
export async function bookReturnedPayouts(
  dependencies: ReturnDependencies & { readonly db: Database; readonly bank: Pick<Bank, "listTransfers"> },
  { providerId, from, to }: Period,
  now: Date,
): Promise<void> {
  const { db, bank } = dependencies;
  const lines = await bank.listTransfers(providerId, from, to);
  for (const line of lines.filter(({ kind }) => kind === "return")) {
    const payout = await readPayout(db, { providerId, id: sourceOf(line.idempotencyKey, 0) });
    if (payout?.state !== "paid" || payout.amount !== line.amount) continue;
    const returned = { reason: line.reason ?? "other", returnedAt: line.at, bookedAt: now } as const;
    await inTransaction(db, (tx) => returnPayout(tx, dependencies, payout, returned));
  }
}

/**
 * Gives a returned payout back to its payee's balance. The next daily run pays it again, into another account if the
 * bank's reason is about this one. Null if it was already returned.
 */
export async function returnPayout(
  tx: Transaction,
  { ids, clock }: ReturnDependencies,
  payout: Payout,
  {
    reason,
    returnedAt,
    bookedAt,
  }: {
    readonly reason: TransferRefusal;
    readonly returnedAt: Date;
    /** In the provider's time. */
    readonly bookedAt: Date;
  },
): Promise<Payout | null> {
  if (!(await writeReturned(tx, payout, { reason, returnedAt }))) return null;
  const { providerId, id, payeeId, amount } = payout;
  const of = ownersOf({ providerId, id: payeeId });
  const items = await readItems(tx, payout);
  await bookReturnedPayout(tx, ids, { providerId, payoutId: id, of, at: bookedAt, items });
  await markMoved(tx, { providerId, of, orderIds: items.map(({ orderId }) => orderId), at: bookedAt });
  await schedulePayouts(tx, { clock }, providerId);
  await recordAudit(tx, {
    id: ids.uuid(),
    providerId,
    actor: "bank",
    credentialId: null,
    act: "payout.returned",
    subject: { kind: "payout", id },
    details: { amount, reason },
    at: clock.now(),
  });
  // The lender's account does not concern the clinic.
  if (of === "clinics")
    await scheduleTimer(tx, { kind: PAYOUT_RETURNED_TIMER, key: id, providerId, dueAt: clock.now(), payload: {} });
  return { ...payout, state: "returned", refusal: reason };
}

/** Mails the clinic that a payout came back, and what it has to do. */
export async function notifyPayoutReturned(
  { db, clock, keyring, messenger }: Pick<PayoutDependencies, "db" | "clock" | "keyring" | "messenger">,
  { providerId, key: id }: ClaimedTimer,
): Promise<TimerOutcome> {
  const payout = await readPayout(db, { providerId, id });
  if (payout?.state !== "returned") return "done";
  const { supportEmail } = await requireProvider(db, providerId);
  const { amount, day } = payout;
  const reason = payout.refusal as TransferRefusal;
  const ending = openAccount(keyring, payout.account.sealed).account_number.slice(-4);
  const email = plainEmail({
    to: supportEmail,
    subject: `The bank returned your payout of ${formatClp(amount)}`,
    paragraphs: [
      `The bank returned the payout of ${day} to us: ${formatClp(amount)}, sent to the account ending in ${ending}.`,
      `Its reason: ${REASON_WORDS[reason]}. The amount is part of your balance again.`,
      isAboutAccount(reason)
        ? "We pay it again after you have given us another account and we have confirmed it with you by telephone."
        : "We pay it again with the next daily payout.",
    ],
  });
  const sent = await messenger.sendEmail({ messageId: `payout-returned:${id}`, providerId, email });
  return sent.outcome === "unknown" ? { again: new Date(clock.now().getTime() + MINUTE_MS) } : "done";
}

export function isAboutAccount(reason: string): boolean {
  return (ACCOUNT_REFUSALS as readonly string[]).includes(reason);
}

const REASON_WORDS: Readonly<Record<TransferRefusal, string>> = {
  bank_unknown: "it does not know the bank of the account",
  account_unknown: "the account does not exist",
  account_closed: "the account is closed",
  account_not_enabled: "the account takes no transfers",
  holder_differs: "the account belongs to another person",
  bank_unavailable: "the receiving bank did not answer",
  funds_missing: "the paying account lacked the money",
  limit_exceeded: "the amount is above a limit of the account",
  stopped_by_bank: "a bank stopped it for a check",
  other: "none was given",
};
