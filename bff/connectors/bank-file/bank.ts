import * as z from "zod/mini";
import { DAY_MS } from "../../src/contract/vocabulary/durations.ts";
import type { Bank, BankTransfer, TransferOutcome } from "../../src/gateways/bank.ts";
import type { NotFound } from "../../src/gateways/gateway-call.ts";
import type { Clock } from "../../src/platform/clock.ts";
import type { Database } from "../../src/platform/database/transaction.ts";
import { type Decision, type KeptCalls, localOperation, UNKNOWN } from "../kit/kept-calls.ts";
import { inProviderTime } from "../kit/provider-time.ts";
import { transferIdOf } from "../kit/transfer-id.ts";
import { findTransfer, insertTransfer, listMoved, type Transfer } from "./transfer-store.ts";

export interface BankFile {
  readonly db: Database;
  /** Real time. */
  readonly clock: Clock;
  readonly calls: KeptCalls;
}

const acceptedSchema = z.discriminatedUnion("outcome", [
  z.object({ outcome: z.literal("accepted"), transferId: z.string() }),
  z.object({ outcome: z.literal("refused"), reason: z.literal("bank_unknown") }),
]);
type Accepted = z.output<typeof acceptedSchema>;

/** How long an operator has to make a transfer and report it, before the service treats it as late. */
const ENDS_WITHIN_MS = 7 * DAY_MS;

/** A bank whose transfers operators make in its portal, from files. */
export function createFileBank({ db, clock, calls }: BankFile): Bank {
  const operation = localOperation("transfer", acceptedSchema);
  const outcomeOf = async (accepted: Accepted): Promise<TransferOutcome> => {
    if (accepted.outcome === "refused") return accepted;
    const transfer = await findTransfer(db, accepted.transferId);
    return transfer === undefined ? UNKNOWN : readOutcome(transfer);
  };
  return {
    async transfer(call, input) {
      const accepted = await calls.perform(
        operation,
        call,
        input,
        async (tx): Promise<Decision<Accepted, undefined>> => {
          const { bankCode, ...rest } = input;
          if (bankCode === undefined) return { answer: { outcome: "refused", reason: "bank_unknown" } };
          const id = transferIdOf(call);
          await insertTransfer(tx, { ...call, ...rest, id, bankCode, begunAt: clock.now() });
          return { answer: { outcome: "accepted", transferId: id } };
        },
      );
      return accepted.outcome === "unknown" ? accepted : outcomeOf(accepted);
    },
    async inquireTransfer(call): Promise<TransferOutcome | NotFound> {
      const accepted = await calls.inquire(operation, call);
      return accepted.outcome === "unknown" || accepted.outcome === "not_found" ? accepted : outcomeOf(accepted);
    },
    async listTransfers(providerId, from, to) {
      const moved = await listMoved(db, { providerId, from, to });
      return moved
        .flatMap(linesOf)
        .filter(({ at }) => at >= from && at < to)
        .toSorted((one, other) => one.at.getTime() - other.at.getTime());
    },
  };
}

function readOutcome(transfer: Transfer): TransferOutcome {
  const { id: transferId, amount, at, state, reason, returnedAt } = transfer;
  switch (state) {
    case "open":
      return { outcome: "pending", transferId, endsBy: new Date(at.getTime() + ENDS_WITHIN_MS) };
    case "paid":
      return { outcome: "sent", transferId, amount };
    case "refused":
      return { outcome: "refused", reason: reason ?? "other" };
    case "returned": {
      const back = inProviderTime(transfer, returnedAt ?? transfer.begunAt);
      return { outcome: "returned", transferId, amount, reason: reason ?? "other", returnedAt: back };
    }
  }
}

/** A transfer, and its return, in the provider's time. */
function linesOf({ id, idempotencyKey, reference, amount, accountEnding, ...transfer }: Transfer): BankTransfer[] {
  const { paidAt, returnedAt, reason } = transfer;
  if (paidAt === null) return [];
  const line = { id, idempotencyKey, reference, amount, accountEnding, at: inProviderTime(transfer, paidAt) };
  if (returnedAt === null || reason === null) return [line];
  return [line, { ...line, id: `${id}R`, kind: "return", reason, at: inProviderTime(transfer, returnedAt) }];
}
