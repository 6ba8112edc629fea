import type { BankAccount } from "../../contract/bank-account.ts";
import type { Clp } from "../../contract/vocabulary/clp.ts";
import { idFor } from "../../platform/ids.ts";
import type { CalendarDay } from "../../platform/santiago-time.ts";

/** The receiver of payouts: a provider, one of its centres, or the lender of its patients. */
export interface Payee {
  readonly providerId: string;
  /** The centre's id, the provider's own, or the lender's (`lenderOf`). */
  readonly id: string;
  readonly kind: "provider" | "center" | "lender";
}

/** The lender of a provider's patients, which receives its collections. */
export function lenderOf(providerId: string): Payee {
  return { providerId, id: idFor(`lender:${providerId}`), kind: "lender" };
}

/** The kind of debt that a payee is paid: to clinics for their orders, or to the lender for collections. */
export function ownersOf({ providerId, id }: Pick<Payee, "providerId" | "id">): "clinics" | "lender" {
  return id === lenderOf(providerId).id ? "lender" : "clinics";
}

/** A sealed bank account, with a keyed hash that identifies the same account. */
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
  /** `pending`: the bank has accepted the transfer and makes it later. `returned`: it was paid and came back. */
  readonly state: "sending" | "pending" | "paid" | "refused" | "returned";
  readonly account: SealedAccount;
  /** The connector that takes its call; null before it is sent. */
  readonly connector: string | null;
  /** Why the bank refused or returned it. */
  readonly refusal: string | null;
  /** The number of inquiries about the transfer. */
  readonly inquiries: number;
}

/** The text of an account for sealing and hashing. Equal accounts have equal texts. */
export function accountText({ bank, account_type, account_number, holder_name, holder_rut }: BankAccount): string {
  return JSON.stringify({ bank, account_type, account_number, holder_name, holder_rut });
}

/** The purpose for which the keyring seals and hashes accounts. */
export const ACCOUNT_PURPOSE = "payout.bank_account";
