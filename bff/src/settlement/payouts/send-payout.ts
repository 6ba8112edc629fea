import { bankCodeOf } from "../../contract/vocabulary/banks.ts";
import type { TransferOutcome } from "../../gateways/bank.ts";
import type { Answered } from "../../gateways/gateway-call.ts";
import { listedTransfer } from "../../gateways/listed-calls.ts";
import { type AttemptCalls, acceptedEnd, runCall, timerOutcomeOf } from "../../gateways/run-call.ts";
import { bookPayout } from "../../orders/book-entries.ts";
import type { Transaction } from "../../platform/database/transaction.ts";
import { type Provider, providerNow } from "../../platform/provider.ts";
import { santiagoMoment } from "../../platform/santiago-time.ts";
import type { ClaimedTimer } from "../../platform/timers/timer-store.ts";
import type { TimerOutcome } from "../../platform/timers/timer-worker.ts";
import { requireProvider } from "../../tenants/providers.ts";
import { payoutReference } from "../payout.ts";
import { countInquiry, markMoved, readItems, settlePayout, takeUpPayout, writeTaken } from "../payout-store.ts";
import { openAccount } from "../payout-terms.ts";
import type { PayoutDependencies } from "./dependencies.ts";
import { ownersOf, type Payout } from "./payout-record.ts";
import { returnPayout } from "./return-payout.ts";

type TransferAnswer = Answered<TransferOutcome>;

/** Requests a payout from the bank once. Inquires first, because an earlier attempt may have arrived. */
export async function sendPayout(dependencies: PayoutDependencies, timer: ClaimedTimer): Promise<TimerOutcome> {
  const { db, clock, connectors } = dependencies;
  const payout = await takeUpPayout(db, { providerId: timer.providerId, id: timer.key }, connectors.bank);
  if (payout === null) return "done";
  const provider = await requireProvider(db, timer.providerId);
  const ran = await runCall(db, callsOf(dependencies, provider), { attempt: payout, mayHaveArrived: true });
  return timerOutcomeOf(ran, clock.now());
}

function callsOf(dependencies: PayoutDependencies, provider: Provider): AttemptCalls<Payout, TransferAnswer> {
  const { db, ids, clock, keyring, bank } = dependencies;
  const now = () => providerNow(provider, clock.now());
  return {
    nextCall: ({ state, id, account, amount, day, connector }) => {
      if (state !== "sending" && state !== "pending") return null;
      const bankAccount = openAccount(keyring, account.sealed);
      const under = { providerId: provider.id, idempotencyKey: `${id}:payout`, at: now(), connector };
      return {
        under,
        inquire: () => bank.inquireTransfer(under),
        call: () =>
          bank.transfer(under, {
            account: bankAccount,
            bankCode: bankCodeOf(bankAccount.bank) ?? undefined,
            amount,
            reference: payoutReference(day),
          }),
        listed: listedTransfer(bank, under, santiagoMoment(day)),
      };
    },
    accepts: {
      isTaken: ({ outcome }) => outcome === "pending",
      wasTaken: ({ state }) => state === "pending",
    },
    settle: (tx, payout, answer) => settle(tx, { ids, clock }, payout, answer, now()),
    // The first inquiry always precedes the call, so it does not count as an inquiry about a lost answer.
    release: async (payout) => (await countInquiry(db, payout)) - 1,
  };
}

async function settle(
  tx: Transaction,
  dependencies: Pick<PayoutDependencies, "ids" | "clock">,
  payout: Payout,
  answer: TransferAnswer,
  at: Date,
): Promise<Payout | null> {
  switch (answer.outcome) {
    case "pending": {
      const taken = { transferId: answer.transferId, takenAt: at, endsBy: acceptedEnd(answer, at) };
      return (await writeTaken(tx, payout, taken)) ? { ...payout, state: "pending" } : null;
    }
    case "sent":
      return writePaid(tx, dependencies, payout, answer.transferId, at);
    case "refused":
      return writeRefused(tx, payout, answer.reason, at);
    case "returned": {
      // There are no partial returns in the protocol: the reconciliation lists one, and paying again would pay twice.
      if (answer.amount !== payout.amount) return writePaid(tx, dependencies, payout, answer.transferId, at);
      const paid = await writePaid(tx, dependencies, payout, answer.transferId, at);
      if (paid === null) return null;
      return returnPayout(tx, dependencies, paid, { ...answer, bookedAt: at });
    }
  }
}

async function writePaid(
  tx: Transaction,
  { ids }: Pick<PayoutDependencies, "ids">,
  payout: Payout,
  transferId: string,
  at: Date,
): Promise<Payout | null> {
  if (!(await settlePayout(tx, payout, { transferId }, at))) return null;
  const { providerId, id: payoutId } = payout;
  const of = ownersOf({ providerId, id: payout.payeeId });
  await bookPayout(tx, ids, { providerId, payoutId, of, at, items: await readItems(tx, payout) });
  return { ...payout, state: "paid" };
}

/** Records a refused payout. Its items are owed again and wait for another account. */
async function writeRefused(tx: Transaction, payout: Payout, refusal: string, at: Date): Promise<Payout | null> {
  if (!(await settlePayout(tx, payout, { refusal }, at))) return null;
  const orderIds = (await readItems(tx, payout)).map(({ orderId }) => orderId);
  const { providerId, payeeId: id } = payout;
  await markMoved(tx, { providerId, of: ownersOf({ providerId, id }), orderIds, at });
  return { ...payout, state: "refused", refusal };
}
