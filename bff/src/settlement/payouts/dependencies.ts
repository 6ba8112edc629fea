import type { BankAccount } from "../../contract/bank-account.ts";
import type { Bank } from "../../gateways/bank.ts";
import type { CallConnectors } from "../../gateways/gateway-call.ts";
import type { Messenger } from "../../gateways/messenger.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/transaction.ts";
import type { Ids } from "../../platform/ids.ts";
import type { Keyring } from "../../platform/keyring.ts";
import type { Logger } from "../../platform/logger.ts";

/** The dependencies of all payout operations. Each operation picks only what it uses. */
export interface PayoutDependencies {
  readonly db: Database;
  /** Real time. Payouts are dated in the provider's time. */
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly keyring: Pick<Keyring, "hmac" | "hmacsOfAllKeys" | "seal" | "open">;
  readonly bank: Bank;
  readonly connectors: Pick<CallConnectors, "bank">;
  readonly messenger: Messenger;
  /** The account for payees without one: the sandbox's account in staging, null in production. */
  readonly defaultAccount: BankAccount | null;
}
