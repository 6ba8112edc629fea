/** The lender is paid its collections daily, like a clinic. */

import { type BankAccount, bankAccountSchema } from "../contract/bank-account.ts";
import { isOrderId } from "../contract/vocabulary/identifiers.ts";
import { ordersCollectedFrom } from "../orders/balances.ts";
import { recordAudit } from "../platform/audit-store.ts";
import { inTransaction, type Transaction } from "../platform/database/transaction.ts";
import type { DomainEvent } from "../platform/outbox.ts";
import { providerNow } from "../platform/provider.ts";
import { requireProvider } from "../tenants/providers.ts";
import { insertCollected } from "./payout-store.ts";
import type { PayoutDependencies } from "./payouts/dependencies.ts";
import { PayableOrderMissing, schedulePayouts } from "./payouts/owe-payee.ts";
import { writeLenderAccount } from "./payouts/payee-account-store.ts";
import { ACCOUNT_PURPOSE, accountText, lenderOf } from "./payouts/payout-record.ts";

/** Records that a part of an order was collected for the lender. */
export async function oweLender(
  tx: Transaction,
  { clock }: Pick<PayoutDependencies, "clock">,
  { providerId, orderId, createdAt: at }: DomainEvent,
): Promise<void> {
  if (orderId === null || !isOrderId(orderId)) throw new PayableOrderMissing("An event does not name its order.");
  await insertCollected(tx, lenderOf(providerId), { orderIds: [orderId], at });
  await schedulePayouts(tx, { clock }, providerId);
}

/**
 * Records the lender's account for a provider's patients. From the next daily run on, all its collections are remitted,
 * however old. Throws `ProviderNotFound`.
 */
export async function setLenderAccount(
  { db, ids, clock, keyring }: Pick<PayoutDependencies, "db" | "ids" | "clock" | "keyring">,
  {
    providerId,
    bankAccount,
    actor,
  }: {
    readonly providerId: string;
    readonly bankAccount: BankAccount;
    /** The operator as `operator:<name>`. */
    readonly actor: string;
  },
): Promise<void> {
  const at = clock.now();
  await inTransaction(db, async (tx) => {
    const provider = await requireProvider(tx, providerId);
    const sealed = keyring.seal(accountText(bankAccountSchema.parse(bankAccount)), ACCOUNT_PURPOSE);
    await writeLenderAccount(tx, { providerId, sealed, at });
    const orderIds = await ordersCollectedFrom(tx, providerId);
    await insertCollected(tx, lenderOf(providerId), { orderIds, at: providerNow(provider, at) });
    if (orderIds.length > 0) await schedulePayouts(tx, { clock }, providerId);
    await recordAudit(tx, {
      id: ids.uuid(),
      providerId,
      actor,
      credentialId: null,
      act: "lender_account.set",
      subject: { kind: "provider", id: providerId },
      details: {},
      at,
    });
  });
}
