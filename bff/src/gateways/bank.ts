import type { BankAccount } from "../contract/bank-account.ts";
import type { Clp } from "../contract/vocabulary/clp.ts";
import type { GatewayCall, NotFound, Unknown } from "./gateway-call.ts";

/** Why the bank refuses to pay into an account. The refusal stands until the account changes. */
export type TransferRefusal = "account_unknown" | "account_closed" | "holder_differs";

export type TransferOutcome =
  | { readonly outcome: "sent"; readonly transferId: string; readonly amount: Clp }
  /** Nothing was paid. */
  | { readonly outcome: "refused"; readonly reason: TransferRefusal }
  | Unknown;

/** One line of the bank's list of transfers, for reconciliation. */
export interface BankTransfer {
  readonly id: string;
  readonly idempotencyKey: string;
  /** The reference that was given with the transfer. */
  readonly reference: string;
  readonly amount: Clp;
  /** The last four digits of the account. */
  readonly accountEnding: string;
  readonly at: Date;
}

/** The bank that pays the clinics, in the service's own terms. Every call is idempotent by its key. */
export interface Bank {
  transfer(
    call: GatewayCall,
    input: {
      readonly account: BankAccount;
      readonly amount: Clp;
      /** The text on the payee's bank statement; 1 to 35 characters. */
      readonly reference: string;
    },
  ): Promise<TransferOutcome>;
  inquireTransfer(call: GatewayCall): Promise<TransferOutcome | NotFound>;
  /** All transfers for one provider in [from, to), where `to` is excluded, oldest first. */
  listTransfers(providerId: string, from: Date, to: Date): Promise<readonly BankTransfer[]>;
}
