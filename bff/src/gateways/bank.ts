import type { BankAccount } from "../contract/bank-account.ts";
import type { BankCode, TransferRefusal } from "../contract/vocabulary/banks.ts";
import type { Clp } from "../contract/vocabulary/clp.ts";
import type { GatewayCall, NotFound, Unknown } from "./gateway-call.ts";

/** The bank has accepted a transfer and reports its end later. */
export interface PendingTransfer {
  readonly outcome: "pending";
  readonly transferId: string;
  /** The latest time of its end. */
  readonly endsBy: Date;
}

export type TransferOutcome =
  | { readonly outcome: "sent"; readonly transferId: string; readonly amount: Clp }
  | PendingTransfer
  /** Nothing was paid. */
  | { readonly outcome: "refused"; readonly reason: TransferRefusal }
  /** It was sent, and the whole amount came back to the paying account. */
  | {
      readonly outcome: "returned";
      readonly transferId: string;
      readonly amount: Clp;
      readonly reason: TransferRefusal;
      readonly returnedAt: Date;
    }
  | Unknown;

/** One line of the bank's list, for reconciliation. */
export interface BankTransfer {
  readonly id: string;
  /** The key of the transfer, also for its return. */
  readonly idempotencyKey: string;
  /** Absent: `transfer`. A `return` is the whole amount of a sent transfer that came back. */
  readonly kind?: "transfer" | "return" | undefined;
  /** Why it came back. */
  readonly reason?: TransferRefusal | undefined;
  /** The reference that was given with the transfer. */
  readonly reference: string;
  readonly amount: Clp;
  /** The last four digits of the account. */
  readonly accountEnding: string;
  /** When the money left, or came back. */
  readonly at: Date;
}

/** The bank that pays the clinics, in the service's own terms. Every call is idempotent by its key. */
export interface Bank {
  transfer(
    call: GatewayCall,
    input: {
      readonly account: BankAccount;
      /** The code of `account.bank`; absent if its text names no known bank. */
      readonly bankCode?: BankCode | undefined;
      readonly amount: Clp;
      /** The text on the payee's bank statement; 1 to 35 characters. */
      readonly reference: string;
    },
  ): Promise<TransferOutcome>;
  inquireTransfer(call: GatewayCall): Promise<TransferOutcome | NotFound>;
  /** All transfers for one provider in [from, to), where `to` is excluded, oldest first, and the returns in it. */
  listTransfers(providerId: string, from: Date, to: Date): Promise<readonly BankTransfer[]>;
}
