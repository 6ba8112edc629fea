import { bookPayout } from "../../orders/ledger/book-payout.ts";
import { inquiryDelayMs } from "../../orders/payments/payment-attempt.ts";
import { settle } from "../../orders/payments/payment-calls.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { providerNow } from "../../platform/provider.ts";
import type { ClaimedTimer } from "../../platform/timers/timer-store.ts";
import type { TimerOutcome } from "../../platform/timers/timer-worker.ts";
import { requireProvider } from "../../tenants/provider-reads.ts";
import type { PayoutDependencies } from "./dependencies.ts";
import { payoutReference } from "./payout.ts";
import type { Payout } from "./payout-record.ts";
import { countInquiry, markMoved, readItems, readPayout, settlePayout } from "./payout-store.ts";
import { openAccount } from "./payout-terms.ts";

/**
 * Has the bank make a payout, once: it is asked first whether it has, since this may not be the first time. What nobody
 * knows is asked again as for a payment.
 */
export async function sendPayout(dependencies: PayoutDependencies, timer: ClaimedTimer): Promise<TimerOutcome> {
  const { db, clock, keyring, bank } = dependencies;
  const key = { providerId: timer.providerId, id: timer.key };
  const payout = await readPayout(db, key);
  if (payout?.state !== "sending") return "done";
  const provider = await requireProvider(db, timer.providerId);
  const call = {
    providerId: provider.id,
    idempotencyKey: `${payout.id}:payout`,
    at: providerNow(provider, clock.now()),
  };
  const { amount, day, account } = payout;
  const answer = await settle(
    () => bank.inquireTransfer(call),
    () =>
      bank.transfer(call, { account: openAccount(keyring, account.sealed), amount, reference: payoutReference(day) }),
  );
  if (answer === null) {
    const inquiries = await countInquiry(db, key);
    return { again: new Date(clock.now().getTime() + inquiryDelayMs(inquiries - 1)) };
  }
  const at = providerNow(provider, clock.now());
  if (answer.outcome === "sent") await writePaid(dependencies, payout, answer.transferId, at);
  else await writeRefused(dependencies, payout, answer.reason, at);
  return "done";
}

async function writePaid({ db, ids }: PayoutDependencies, payout: Payout, transferId: string, at: Date): Promise<void> {
  await inTransaction(db, async (tx) => {
    if (!(await settlePayout(tx, payout, { transferId }, at))) return;
    const { providerId, id: payoutId } = payout;
    await bookPayout(tx, ids, { providerId, payoutId, at, items: await readItems(tx, payout) });
  });
}

/** Nothing was paid: everything in it is owed as before, and waits for another account. */
async function writeRefused({ db }: PayoutDependencies, payout: Payout, refusal: string, at: Date): Promise<void> {
  await inTransaction(db, async (tx) => {
    if (!(await settlePayout(tx, payout, { refusal }, at))) return;
    const orderIds = (await readItems(tx, payout)).map(({ orderId }) => orderId);
    await markMoved(tx, { providerId: payout.providerId, orderIds, at });
  });
}
