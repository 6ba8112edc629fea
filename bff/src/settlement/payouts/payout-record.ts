import type { BankAccount } from "../../contract/bank-account.ts";
import type { Clp } from "../../contract/vocabulary/clp.ts";
import type { CalendarDay } from "../../platform/santiago-time.ts";

/** Who is paid: a provider, or one of its centres. */
export interface Payee {
  readonly providerId: string;
  /** The centre's id, or the provider's own. */
  readonly id: string;
  readonly kind: "provider" | "center";
}

/** A bank account, sealed, with a keyed hash by which the same account is known again. */
export interface SealedAccount {
  readonly sealed: string;
  readonly hash: string;
}

export interface PayoutKey {
  readonly providerId: string;
  readonly id: string;
}

export interface Payout extends PayoutKey {
  readonly payeeId: string;
  readonly day: CalendarDay;
  readonly amount: Clp;
  readonly state: "sending" | "paid" | "refused";
  readonly account: SealedAccount;
  readonly refusal: string | null;
  /** Inquiries about the transfer so far. */
  readonly inquiries: number;
}

/** The text that is sealed of an account; the same for the same account. */
export function accountText({ bank, account_type, account_number, holder_name, holder_rut }: BankAccount): string {
  return JSON.stringify({ bank, account_type, account_number, holder_name, holder_rut });
}

/** What accounts are sealed and hashed for in the keyring. */
export const ACCOUNT_PURPOSE = "payout.bank_account";
