import type { BankAccount } from "../../contract/bank-account.ts";
import type { Bank } from "../../gateways/bank/port.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/transaction.ts";
import type { Ids } from "../../platform/ids.ts";
import type { Keyring } from "../../platform/keyring.ts";

/** Everything that payouts are given; each operation asks for just what it uses. */
export interface PayoutDependencies {
  readonly db: Database;
  /** Real time; payouts are made in their provider's time. */
  readonly clock: Clock;
  readonly ids: Ids;
  readonly keyring: Pick<Keyring, "hmac" | "hmacsOfAllKeys" | "seal" | "open">;
  readonly bank: Bank;
  /** Where a centre of a meta-provider is paid; `null`: it has not told. */
  readonly findCenterAccount: (
    db: Database,
    center: { readonly providerId: string; readonly id: string },
  ) => Promise<BankAccount | null>;
  /** Where payees without an account of their own are paid: the sandbox's account in staging, nowhere in production. */
  readonly defaultAccount: BankAccount | null;
}
