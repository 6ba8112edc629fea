import { type BankAccount, bankAccountSchema } from "../contract/bank-account.ts";
import type { FeeRegime } from "../contract/vocabulary/commission-tax.ts";
import { MINUTE_MS } from "../contract/vocabulary/durations.ts";
import { plainEmail } from "../notifications/mail-layout.ts";
import { ordersCollectedFrom } from "../orders/book-reads.ts";
import { recordAudit } from "../platform/audit-store.ts";
import { type Database, inTransaction, type Transaction } from "../platform/database/transaction.ts";
import { ResolutionRefused, type Resolving, type WeightyOutcome } from "../platform/exceptions.ts";
import { providerNow } from "../platform/provider.ts";
import { type ClaimedTimer, scheduleTimer } from "../platform/timers/timer-store.ts";
import type { TimerOutcome } from "../platform/timers/timer-worker.ts";
import { findCenterAccount } from "../tenants/centers.ts";
import { requireProvider } from "../tenants/providers.ts";
import { insertCollected, readTerms, writeTerms } from "./payout-store.ts";
import type { PayoutDependencies } from "./payouts/dependencies.ts";
import { schedulePayouts } from "./payouts/owe-payee.ts";
import {
  deleteWaiting,
  insertPayeeAccount,
  lockWaiting,
  readLenderAccount,
  readPayeeAccounts,
  readWaiting,
  writeConfirmed,
  writeLenderAccount,
} from "./payouts/payee-account-store.ts";
import { ACCOUNT_PURPOSE, accountText, lenderOf, type Payee, type SealedAccount } from "./payouts/payout-record.ts";

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
  { keyring, defaultAccount }: Pick<PayoutDependencies, "keyring" | "defaultAccount">,
  db: Database,
  payee: Payee,
): Promise<SealedAccount | null> {
  const terms = {
    provider: () => ofProvider(keyring, db, payee),
    center: () => findCenterAccount({ keyring }, db, payee),
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

/** Notifies a provider of a new account. The timer's key is the account's id. */
export const ACCOUNT_CHANGED_TIMER = "payouts.account_changed";

/**
 * Whether a payee may be paid into an account: only if two operators confirmed it. Any other account is recorded, the
 * provider is notified, and payouts wait as an exception until a confirmed account is set. In the sandbox, where no
 * money moves, a first account counts at once. The payee is locked.
 */
export async function isAccountConfirmed(
  tx: Transaction,
  { ids, clock, keyring, defaultAccount }: Pick<PayoutDependencies, "ids" | "clock" | "keyring" | "defaultAccount">,
  payee: Payee,
  { account: { sealed }, at }: { readonly account: SealedAccount; readonly at: Date },
): Promise<boolean> {
  const textOf = (one: string) => accountText(openAccount(keyring, one));
  const wanted = textOf(sealed);
  // Staging's account, for payees without one. An account given later counts as their first.
  if (defaultAccount !== null && wanted === accountText(defaultAccount)) return true;
  const known = await readPayeeAccounts(tx, payee);
  const same = known.find((account) => textOf(account.sealed) === wanted);
  if (same !== undefined) {
    // The payee has returned to a confirmed account, so the waiting one is dropped.
    if (same.isConfirmed) await deleteWaiting(tx, payee);
    return same.isConfirmed;
  }
  const isFirst = defaultAccount !== null && !known.some(({ isConfirmed }) => isConfirmed);
  const id = ids.uuid();
  await insertPayeeAccount(tx, payee, { id, sealed, at, confirmedAt: isFirst ? at : null });
  if (isFirst) return true;
  const { providerId } = payee;
  // The lender's account does not concern the clinic.
  if (payee.kind === "lender") return false;
  await scheduleTimer(tx, { kind: ACCOUNT_CHANGED_TIMER, key: id, providerId, dueAt: clock.now(), payload: {} });
  return false;
}

/** Confirms the account of an exception. The next daily run pays the waiting amounts. */
export async function confirmAccount({ tx, exception, note, at }: Resolving): Promise<WeightyOutcome> {
  if (note === null)
    throw new ResolutionRefused("Say in --note how the payee confirmed it. The mail alone is not enough.");
  const { providerId, subject: id } = exception;
  if (!(await writeConfirmed(tx, { providerId, id }, at)))
    throw new ResolutionRefused("This account no longer waits for confirmation.");
  return { outcome: "Confirmed. The next daily run pays into it.", amount: null };
}

/**
 * The account that an exception asks to confirm, masked for reading it out on the telephone; null if it no longer
 * waits.
 */
export async function accountToConfirm(
  { db, keyring }: Pick<PayoutDependencies, "db" | "keyring">,
  { providerId, subject: id }: Pick<Resolving["exception"], "providerId" | "subject">,
): Promise<{ readonly bank: string; readonly ending: string; readonly holder: string } | null> {
  const sealed = await readWaiting(db, { providerId, id });
  if (sealed === null) return null;
  const { bank, account_number: number, holder_name: holder } = openAccount(keyring, sealed);
  return { bank, ending: number.slice(-4), holder };
}

/** Locks the account that an exception is about. */
export async function lockAccount(tx: Transaction, { providerId, subject: id }: Resolving["exception"]): Promise<void> {
  await lockWaiting(tx, { providerId, id });
}

/** Mails the provider at the agreed address, which a thief of the secret key does not control. */
export async function notifyAccountChanged(
  { db, clock, keyring, messenger }: Pick<PayoutDependencies, "db" | "clock" | "keyring" | "messenger">,
  { providerId, key: id }: ClaimedTimer,
): Promise<TimerOutcome> {
  const sealed = await lockWaiting(db, { providerId, id });
  if (sealed === null) return "done";
  const { name, supportEmail } = await requireProvider(db, providerId);
  const ending = openAccount(keyring, sealed).account_number.slice(-4);
  const email = plainEmail({
    to: supportEmail,
    subject: "A new bank account for your payouts",
    paragraphs: [
      `A new bank account, ending in ${ending}, was set for payouts of ${name}.`,
      "We pay nothing into it until we have confirmed it with you by telephone. If your clinic did not set it, replace your secret_key and contact us at once.",
    ],
  });
  const sent = await messenger.sendEmail({ messageId: `payee-account:${id}`, providerId, email });
  return sent.outcome === "unknown" ? { again: new Date(clock.now().getTime() + MINUTE_MS) } : "done";
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
