import { MINUTE_MS } from "../contract/vocabulary/durations.ts";
import { plainEmail } from "../notifications/render-mail.ts";
import type { Transaction } from "../platform/database/transaction.ts";
import { ResolutionRefused, type Resolving, type WeightyOutcome } from "../platform/exceptions.ts";
import { type ClaimedTimer, scheduleTimer } from "../platform/timers/timer-store.ts";
import type { TimerOutcome } from "../platform/timers/timer-worker.ts";
import { requireProvider } from "../tenants/providers.ts";
import { openAccount } from "./payout-terms.ts";
import type { PayoutDependencies } from "./payouts/dependencies.ts";
import {
  deleteWaiting,
  insertPayeeAccount,
  lockWaiting,
  readPayeeAccounts,
  readWaiting,
  writeConfirmed,
} from "./payouts/payee-account-store.ts";
import { accountText, type Payee, type SealedAccount } from "./payouts/payout-record.ts";

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
