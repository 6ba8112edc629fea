import type { TransferRefusal } from "../../src/contract/vocabulary/banks.ts";
import { HOUR_MS } from "../../src/contract/vocabulary/durations.ts";
import type { Bank, TransferOutcome } from "../../src/gateways/bank.ts";
import type { GatewayCall, Unknown } from "../../src/gateways/gateway-call.ts";
import { transferOutcomeSchema } from "../../src/gateways/protocols/bank.ts";
import type { Database, Transaction } from "../../src/platform/database/transaction.ts";
import { readAllPages } from "../calls/read-all-pages.ts";
import { callOnce, type Effect, inquire, readListed, type SandboxDependencies } from "../calls/sandbox-call.ts";
import { findTransfer, insertTransfer, pageTransfers } from "./bank-store.ts";

/** A transfer to the account is refused for a reason, pending, or sent and returned later. */
export type AccountBehaviour = TransferRefusal | "pending" | "returned";

export interface SandboxBankDependencies extends SandboxDependencies {
  /** What happens to a transfer to an account; `null` if it is paid at once. */
  readonly accountBehaviour: (accountNumber: string) => AccountBehaviour | null;
}

const PARTY = "bank";

/** A pending transfer is made after this time. The bank announces an end later than that. */
const PENDING_MS = 26 * HOUR_MS;
const PROMISED_MS = 48 * HOUR_MS;
const RETURNS_AFTER_MS = 12 * HOUR_MS;

type Definite = Exclude<TransferOutcome, Unknown>;

/**
 * A bank that pays into every account outside the catalogue. It remembers every call by its idempotency key in separate
 * tables and transactions, and keeps only the last four digits of an account.
 */
export function createSandboxBank(dependencies: SandboxBankDependencies): Bank {
  const { db } = dependencies;
  const paying = (call: GatewayCall) =>
    ({ party: PARTY, operation: "transfer", call, answer: transferOutcomeSchema }) as const;
  return {
    async transfer(call, input) {
      const answer = await callOnce(dependencies, { ...paying(call), input }, (tx) =>
        transfer(dependencies, tx, call, input),
      );
      return asOfNow(db, answer, call.at);
    },
    async inquireTransfer(call) {
      const answer = await inquire(dependencies, { ...paying(call), method: "inquireTransfer" });
      return answer.outcome === "not_found" ? answer : asOfNow(db, answer, call.at);
    },
    listTransfers: (providerId, from, to) =>
      readListed(dependencies, { party: PARTY, method: "listTransfers", providerId }, () =>
        readAllPages((last) => pageTransfers(db, { providerId, from, to, after: last })),
      ),
  };
}

async function transfer(
  { ids, accountBehaviour }: SandboxBankDependencies,
  tx: Transaction,
  call: GatewayCall,
  { account, amount, reference }: Parameters<Bank["transfer"]>[1],
): Promise<Effect<Definite>> {
  const behaviour = accountBehaviour(account.account_number);
  const { providerId, idempotencyKey, at } = call;
  const id = ids.uuid();
  const made = { id, providerId, idempotencyKey, reference, amount, accountEnding: account.account_number.slice(-4) };
  switch (behaviour) {
    case "pending":
      // Its line in the list is dated when the money leaves.
      await insertTransfer(tx, { ...made, at: later(at, PENDING_MS), returnedAt: null });
      return { answered: { outcome: "pending", transferId: id, endsBy: later(at, PROMISED_MS) } };
    case "returned":
      await insertTransfer(tx, { ...made, at, returnedAt: later(at, RETURNS_AFTER_MS) });
      return { answered: { outcome: "sent", transferId: id, amount } };
    case null:
      await insertTransfer(tx, { ...made, at, returnedAt: null });
      return { answered: { outcome: "sent", transferId: id, amount } };
    default:
      return { answered: { outcome: "refused", reason: behaviour } };
  }
}

function later(at: Date, milliseconds: number): Date {
  return new Date(at.getTime() + milliseconds);
}

/** The state of a transfer at `at`: a pending one is made, and a sent one may come back. */
async function asOfNow<Answer extends TransferOutcome>(
  db: Database,
  answer: Answer | Definite,
  at: Date,
): Promise<Answer | Definite> {
  if (answer.outcome !== "pending" && answer.outcome !== "sent") return answer;
  const { transferId } = answer;
  const made = await findTransfer(db, transferId);
  if (made === null || at < made.at) return answer;
  const sent = { transferId, amount: made.amount };
  return made.returnedAt === null || at < made.returnedAt
    ? { outcome: "sent", ...sent }
    : { outcome: "returned", ...sent, reason: "account_closed", returnedAt: made.returnedAt };
}
