import * as z from "zod/mini";
import { MINUTE_MS } from "../../src/contract/vocabulary/durations.ts";
import type { Bank, BankTransfer, TransferOutcome } from "../../src/gateways/bank.ts";
import { type GatewayCall, GatewayUnavailable, type NotFound } from "../../src/gateways/gateway-call.ts";
import { type Decision, type KeptOperation, localOperation, UNKNOWN } from "../kit/kept-calls.ts";
import { transferIdOf } from "../kit/transfer-id.ts";
import { counterpartyOf } from "./counterparty.ts";
import type { Fintoc } from "./fintoc.ts";
import { amountsOf, outcomeOf } from "./part.ts";
import { isAtFintoc, readReturns, sendParts } from "./send-parts.ts";
import { findTransfer, insertTransfer, type ListedTransfer, listTransfers } from "./transfer-store.ts";

/** The stored answer of a call. The parts of the transfer hold its outcome. */
const acceptedSchema = z.discriminatedUnion("outcome", [
  z.object({ outcome: z.literal("accepted"), transferId: z.string() }),
  z.object({ outcome: z.literal("refused"), reason: z.literal("bank_unknown") }),
]);
type Accepted = z.output<typeof acceptedSchema>;

/** The service lists each provider in turn, and Fintoc takes 10 requests a second. */
const RETURNS_READ_EVERY_MS = 10 * MINUTE_MS;

/** Fintoc Transfers as the service's bank. */
export function createFintocBank(fintoc: Fintoc): Bank {
  const { calls, clock, db, logger } = fintoc;
  let returnsReadAt = 0;
  const readReturnsSometimes = async () => {
    const now = clock.now().getTime();
    if (now - returnsReadAt < RETURNS_READ_EVERY_MS) return;
    await readReturns(fintoc);
    returnsReadAt = now;
  };
  const operation: KeptOperation<Accepted, undefined> = {
    ...localOperation("transfer", acceptedSchema),
    async isNew(call) {
      const isKnown = await isAtFintoc(fintoc, transferIdOf(call));
      // The database was restored. A repeat of the call finds the transfer by its name.
      if (isKnown) logger.error("fintoc.transfer_not_recorded", { call: call.idempotencyKey });
      return !isKnown;
    },
  };
  return {
    async transfer(call, input) {
      const { providerId, idempotencyKey, at } = call;
      const { account, amount, bankCode, reference } = input;
      const accepted = await calls.perform(
        operation,
        call,
        input,
        async (tx): Promise<Decision<Accepted, undefined>> => {
          const counterparty = counterpartyOf(account, bankCode);
          if (counterparty === null) return { answer: { outcome: "refused", reason: "bank_unknown" } };
          const id = transferIdOf(call);
          const accountEnding = account.account_number.slice(-4);
          const begunAt = clock.now();
          const transfer = { id, providerId, idempotencyKey, reference, amount, accountEnding, at, begunAt };
          await insertTransfer(tx, transfer, { counterparty, amounts: amountsOf(amount) });
          return { answer: { outcome: "accepted", transferId: id } };
        },
      );
      return "transferId" in accepted ? continueTransfer(fintoc, call, accepted.transferId) : accepted;
    },
    async inquireTransfer(call): Promise<TransferOutcome | NotFound> {
      const accepted = await calls.inquire(operation, call);
      return "transferId" in accepted ? continueTransfer(fintoc, call, accepted.transferId) : accepted;
    },
    async listTransfers(providerId, from, to) {
      try {
        await readReturnsSometimes();
      } catch (cause) {
        throw new GatewayUnavailable("Fintoc did not answer.", { cause });
      }
      const listed = await listTransfers(db, { providerId, from, to });
      const isWithin = ({ at }: BankTransfer) => at >= from && at < to;
      return listed
        .flatMap(linesOf)
        .filter(isWithin)
        .toSorted((one, other) => one.at.getTime() - other.at.getTime());
    },
  };
}

/** Continues the transfer. Without an answer of Fintoc: unknown. */
async function continueTransfer(fintoc: Fintoc, call: GatewayCall, transferId: string): Promise<TransferOutcome> {
  const { db, logger } = fintoc;
  const transfer = await findTransfer(db, transferId);
  if (transfer === undefined) return UNKNOWN;
  try {
    return outcomeOf(transfer, await sendParts(fintoc, transfer));
  } catch (error) {
    logger.warn("connector.party_unanswered", { operation: "transfer", call: call.idempotencyKey, error });
    return UNKNOWN;
  }
}

function linesOf({
  id,
  idempotencyKey,
  reference,
  amount,
  accountEnding,
  paidAt,
  returnedAt,
  reason,
}: ListedTransfer): BankTransfer[] {
  const line = { id, idempotencyKey, reference, amount, accountEnding, at: paidAt };
  if (returnedAt === null || reason === null) return [line];
  return [line, { ...line, id: `${id}R`, kind: "return", reason, at: returnedAt }];
}
