import { type BankAccount, bankAccountSchema } from "../contract/bank-account.ts";
import type { FeeRegime } from "../contract/vocabulary/commission-tax.ts";
import { recordAudit } from "../platform/audit-store.ts";
import { type Database, inTransaction } from "../platform/database/transaction.ts";
import { requireProvider } from "../tenants/providers.ts";
import { readTerms, writeTerms } from "./payout-store.ts";
import type { PayoutDependencies } from "./payouts/dependencies.ts";
import { readLenderAccount } from "./payouts/payee-account-store.ts";
import { ACCOUNT_PURPOSE, accountText, type Payee, type SealedAccount } from "./payouts/payout-record.ts";

/** Thrown when an account is set for a provider without an agreed fee. For the operator. */
export class NoTermsAgreed extends Error {
  override readonly name = "NoTermsAgreed";
}

/**
 * Records the agreed payout terms of a provider. The fee is a percentage of the total less refunds, with at most two
 * decimals, VAT included where it is taxed; it applies to orders paid from now on. A null `bankAccount` leaves the
 * provider's own account unchanged. Throws `ProviderNotFound`, `RangeError` for an invalid percentage, and
 * `NoTermsAgreed` if there are no terms to keep.
 */
export async function setPayoutTerms(
  { db, ids, clock, keyring }: Pick<PayoutDependencies, "db" | "ids" | "clock" | "keyring">,
  terms: {
    readonly providerId: string;
    /** Null keeps the agreed fee. */
    readonly fee: { readonly percentage: number; readonly regime: FeeRegime } | null;
    readonly bankAccount: BankAccount | null;
    /** The operator as `operator:<name>`. */
    readonly actor: string;
  },
): Promise<void> {
  const { providerId, bankAccount, actor } = terms;
  const at = clock.now();
  await inTransaction(db, async (tx) => {
    await requireProvider(tx, providerId);
    const agreed = terms.fee === null ? await readTerms(tx, providerId) : agreedFee(terms.fee);
    if (agreed === null) throw new NoTermsAgreed("No fee is agreed with this provider yet. Set the fee first.");
    const { feeBasisPoints, feeRegime } = agreed;
    if (!(feeBasisPoints >= 0 && feeBasisPoints <= 10_000)) throw new RangeError("A fee is between 0 and 100 percent.");
    const sealedBankAccount =
      bankAccount === null ? null : keyring.seal(accountText(bankAccountSchema.parse(bankAccount)), ACCOUNT_PURPOSE);
    await writeTerms(tx, providerId, { feeBasisPoints, feeRegime, sealedBankAccount }, at);
    await recordAudit(tx, {
      id: ids.uuid(),
      providerId,
      actor,
      credentialId: null,
      act: "payout_terms.set",
      subject: { kind: "provider", id: providerId },
      details: {
        fee_basis_points: feeBasisPoints,
        fee_regime: feeRegime,
        bank_account: bankAccount === null ? "kept" : "changed",
      },
      at,
    });
  });
}

function agreedFee({ percentage, regime }: { readonly percentage: number; readonly regime: FeeRegime }) {
  return { feeBasisPoints: Math.round(percentage * 100), feeRegime: regime };
}

/** The payee's bank account, sealed as a payout stores it; null if none is recorded. */
export async function accountOf(
  {
    keyring,
    findCenterAccount,
    defaultAccount,
  }: Pick<PayoutDependencies, "keyring" | "findCenterAccount" | "defaultAccount">,
  db: Database,
  payee: Payee,
): Promise<SealedAccount | null> {
  const terms = {
    provider: () => ofProvider(keyring, db, payee),
    center: () => findCenterAccount(db, payee),
    lender: () => ofLender(keyring, db, payee),
  };
  // A lender without an account on record is paid outside the service.
  const account = (await terms[payee.kind]()) ?? (payee.kind === "lender" ? null : defaultAccount);
  if (account === null) return null;
  const text = accountText(account);
  return { sealed: keyring.seal(text, ACCOUNT_PURPOSE), hash: keyring.hmac(ACCOUNT_PURPOSE, text) };
}

async function ofProvider(
  keyring: PayoutDependencies["keyring"],
  db: Database,
  { providerId }: Payee,
): Promise<BankAccount | null> {
  const sealed = (await readTerms(db, providerId))?.sealedBankAccount ?? null;
  return sealed === null ? null : openAccount(keyring, sealed);
}

async function ofLender(
  keyring: PayoutDependencies["keyring"],
  db: Database,
  { providerId }: Payee,
): Promise<BankAccount | null> {
  const sealed = await readLenderAccount(db, providerId);
  return sealed === null ? null : openAccount(keyring, sealed);
}

/** Opens the account that a payout stores sealed. */
export function openAccount(keyring: Pick<PayoutDependencies["keyring"], "open">, sealed: string): BankAccount {
  return bankAccountSchema.parse(JSON.parse(keyring.open(sealed, ACCOUNT_PURPOSE)));
}

/** Whether an account has this keyed hash, made with any key of the keyring. */
export function isSameAccount(
  keyring: Pick<PayoutDependencies["keyring"], "hmacsOfAllKeys">,
  account: BankAccount,
  hash: string,
): boolean {
  return keyring.hmacsOfAllKeys(ACCOUNT_PURPOSE, accountText(account)).includes(hash);
}
