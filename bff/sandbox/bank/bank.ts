import type { Bank, TransferOutcome, TransferRefusal } from "../../src/gateways/bank.ts";
import type { GatewayCall, Unknown } from "../../src/gateways/gateway-call.ts";
import { transferOutcomeSchema } from "../../src/gateways/protocols/bank.ts";
import type { Transaction } from "../../src/platform/database/transaction.ts";
import { readAllPages } from "../calls/read-all-pages.ts";
import { callOnce, type Effect, inquire, readListed, type SandboxDependencies } from "../calls/sandbox-call.ts";
import { insertTransfer, pageTransfers } from "./bank-store.ts";

export interface SandboxBankDependencies extends SandboxDependencies {
  /** Why a transfer to an account is refused; `null` if it is paid. */
  readonly accountRefusal: (accountNumber: string) => TransferRefusal | null;
}

const PARTY = "bank";

/**
 * A bank that pays into every account outside the catalogue. It remembers every call by its idempotency key in separate
 * tables and transactions, and keeps only the last four digits of an account.
 */
export function createSandboxBank(dependencies: SandboxBankDependencies): Bank {
  const { db } = dependencies;
  const paying = (call: GatewayCall) =>
    ({ party: PARTY, operation: "transfer", call, answer: transferOutcomeSchema }) as const;
  return {
    transfer: (call, input) =>
      callOnce(dependencies, { ...paying(call), input }, (tx) => transfer(dependencies, tx, call, input)),
    inquireTransfer: (call) => inquire(dependencies, { ...paying(call), method: "inquireTransfer" }),
    listTransfers: (providerId, from, to) =>
      readListed(dependencies, { party: PARTY, method: "listTransfers", providerId }, () =>
        readAllPages((last) => pageTransfers(db, { providerId, from, to, after: last })),
      ),
  };
}

async function transfer(
  { ids, accountRefusal }: SandboxBankDependencies,
  tx: Transaction,
  call: GatewayCall,
  { account, amount, reference }: Parameters<Bank["transfer"]>[1],
): Promise<Effect<Exclude<TransferOutcome, Unknown>>> {
  const reason = accountRefusal(account.account_number);
  if (reason !== null) return { answered: { outcome: "refused", reason } };
  const { providerId, idempotencyKey, at } = call;
  const id = ids.uuid();
  const accountEnding = account.account_number.slice(-4);
  await insertTransfer(tx, { id, providerId, idempotencyKey, reference, amount, accountEnding, at });
  return { answered: { outcome: "sent", transferId: id, amount } };
}
