import { CHARGE_TIMER } from "../collection/collection-timers.ts";
import {
  acknowledgeChargebacks,
  CollectionActRefused,
  holdCollection,
  loseOrdersChargebacks,
  releaseCollection,
  retryCollection,
  winOrdersChargebacks,
  writeOffCollection,
} from "../collection/people-acts.ts";
import { clp, formatClp } from "../contract/vocabulary/clp.ts";
import type { OrderHash } from "../contract/vocabulary/identifiers.ts";
import { bookPaidByHand } from "../ledger/book-paid-by-hand.ts";
import { sendAgain } from "../notices/send-again.ts";
import { recordAudit } from "../platform/audit-store.ts";
import { inTransaction, type Transaction } from "../platform/database/transaction.ts";
import type { Ids } from "../platform/ids.ts";
import { hastenTimers } from "../platform/timers/timer-store.ts";
import { providerNow } from "../providers/provider.ts";
import { requireProvider } from "../providers/provider-reads.ts";
import { ClaimActRefused, fileAgain, giveUpClaim, noteWithdrawn } from "../reimbursements/people-acts.ts";
import { type Matter, type MatterAct, readMatterId, takesAct, versionOf } from "./matter.ts";
import { insertHandled } from "./matter-store.ts";
import { findMatter, type MattersDependencies } from "./needs-a-person.ts";

/** Thrown when an operator asks for what cannot be done. The message is meant for the operator. */
export class MatterActRefused extends Error {
  override readonly name = "MatterActRefused";
}

export interface MatterDone {
  /** In words, for whoever did it. */
  readonly outcome: string;
}

interface Doing {
  readonly act: MatterAct;
  /** `operator:<name>` */
  readonly actor: string;
  /** At most 200 characters, nothing personal. */
  readonly note: string | null;
}

type ActDependencies = MattersDependencies & { readonly ids: Ids };

/** One act about one matter, in its transaction. */
interface Acting {
  readonly tx: Transaction;
  readonly dependencies: ActDependencies;
  readonly matter: Matter;
  readonly doing: Doing;
}

/**
 * Does something about what needs a person, with an audit row in the same transaction. Throws `MatterActRefused` where the
 * matter is not there (any more), has changed since it was listed, or does not take the act.
 */
export async function actOnMatter(dependencies: ActDependencies, named: string, doing: Doing): Promise<MatterDone> {
  const { db, clock, ids } = dependencies;
  if ((doing.note?.length ?? 0) > 200) throw new MatterActRefused("A note has at most 200 characters.");
  return inTransaction(db, async (tx) => {
    const matter = await requireMatter(tx, dependencies, named);
    if (!takesAct(matter, doing.act)) throw new MatterActRefused(`A ${matter.kind} does not take ${doing.act}.`);
    const outcome = await ACTS[doing.act]({ tx, dependencies, matter, doing });
    await recordAudit(tx, {
      id: ids.uuid(),
      providerId: matter.providerId,
      actor: doing.actor,
      credentialId: null,
      act: `matter.${doing.act}`,
      subject: { kind: matter.kind, id: matter.subject },
      details: {
        ...(matter.orderId === null ? {} : { order_id: matter.orderId }),
        ...(doing.note === null ? {} : { note: doing.note }),
      },
      at: clock.now(),
    });
    return { outcome };
  }).catch(explain);
}

/** The matter as it was listed; a collection, and what stops it, stays so until the transaction ends. */
async function requireMatter(tx: Transaction, dependencies: ActDependencies, named: string): Promise<Matter> {
  const name = readMatterId(named);
  const listed = name === null ? null : await findMatter(tx, dependencies, name);
  if (name === null || listed === null)
    throw new MatterActRefused("Nothing of this name needs a person. See `aapd matters list`.");
  const { providerId, orderId, kind } = listed;
  if (orderId !== null && (kind === "chargeback" || kind.startsWith("collection_"))) {
    await holdCollection(tx, { providerId, orderId });
  }
  const matter = await findMatter(tx, dependencies, name);
  if (matter === null || versionOf(matter) !== name.version)
    throw new MatterActRefused("It has changed since it was listed. See `aapd matters list`.");
  return matter;
}

/** What each act does; returns what came of it, in words. */
const ACTS: Readonly<Record<MatterAct, (acting: Acting) => Promise<string>>> = {
  retry: async ({ tx, dependencies, matter }) =>
    `The card is charged again on ${(await retryCollection(tx, dependencies, orderOf(matter))).toISOString()}.`,
  async release({ tx, dependencies, matter }) {
    const dueAt = await releaseCollection(tx, dependencies, orderOf(matter));
    if (dueAt === null)
      return "Released, and failed: its card can be charged no more. The patient has to give another one.";
    return `The collection goes on; it is due on ${dueAt.toISOString()}.`;
  },
  async write_off({ tx, dependencies, matter }) {
    await writeOffCollection(tx, dependencies, orderOf(matter));
    return "Given up for good; nothing is charged any more.";
  },
  async chargeback_won({ tx, dependencies, matter }) {
    await winOrdersChargebacks(tx, dependencies, orderOf(matter));
    await acknowledgeChargebacks(tx, dependencies, orderOf(matter));
    return "Written down: the money is back, and the books are as they were.";
  },
  async chargeback_lost({ tx, dependencies, matter }) {
    const lost = await loseOrdersChargebacks(tx, dependencies, orderOf(matter));
    // What has stopped a collection is over when people say whether it goes on.
    if (matter.kind === "chargeback") await acknowledgeChargebacks(tx, dependencies, orderOf(matter));
    return `${formatClp(lost)} booked as lost.`;
  },
  async file_again({ tx, dependencies, matter }) {
    await fileAgain(tx, dependencies, orderOf(matter));
    return "The claim is filed again.";
  },
  async give_up_claim({ tx, dependencies, matter }) {
    await giveUpClaim(tx, dependencies, orderOf(matter));
    return "Given up; nothing is filed any more.";
  },
  async claim_withdrawn({ tx, dependencies, matter }) {
    await noteWithdrawn(tx, dependencies, orderOf(matter));
    return "Written down; the insurer is not asked about it any more.";
  },
  ask_again: askAgain,
  async send_again({ tx, dependencies, matter: { providerId, subject: id } }) {
    if (!(await sendAgain(dependencies, tx, { providerId, id })))
      throw new MatterActRefused("Its address and text are not kept any more.");
    return "It is sent again.";
  },
  paid_back: bookPaidBack,
  async handled(acting) {
    const { tx, dependencies, matter } = acting;
    await putAside(acting);
    if (matter.kind === "chargeback") await acknowledgeChargebacks(tx, dependencies, orderOf(matter));
    return "Put aside; it comes back if it happens again.";
  },
};

function orderOf({ providerId, orderId }: Matter): { readonly providerId: string; readonly orderId: OrderHash } {
  if (orderId === null) throw new MatterActRefused("It is about no order.");
  return { providerId, orderId };
}

async function putAside({ tx, dependencies, matter, doing }: Acting): Promise<Date> {
  const at = providerNow(await requireProvider(tx, matter.providerId), dependencies.clock.now());
  await insertHandled(tx, matter, { actor: doing.actor, note: doing.note, at });
  return at;
}

/** Inquiries have timers of their own, an hour apart in the end: the next one is made now. */
async function askAgain({ tx, dependencies, matter }: Acting): Promise<string> {
  const { providerId, subject, orderId, facts } = matter;
  const now = dependencies.clock.now();
  const hastened = await hastenTimers(tx, { providerId, key: subject }, now);
  // A charge by the mandate is asked about by what makes it, which is the collection's.
  const ofCollection =
    facts.of === "collection" && orderId !== null
      ? await hastenTimers(tx, { providerId, key: orderId, kind: CHARGE_TIMER }, now)
      : 0;
  if (hastened + ofCollection === 0) throw new MatterActRefused("It is being asked about just now.");
  return "It is asked about now; look again in a moment.";
}

/**
 * Only what a payment has captured and could not give back is owed to the patient: what a refund did not give back is the
 * clinic's to give, or to ask for again.
 */
async function bookPaidBack(acting: Acting): Promise<string> {
  const { tx, dependencies, matter, doing } = acting;
  const { subject, facts } = matter;
  if (facts.why !== "return_refused" || typeof facts.amount !== "number")
    throw new MatterActRefused(whoGivesBack(facts));
  if (doing.note === null) throw new MatterActRefused("Say in --note how the patient was paid back.");
  const at = await putAside(acting);
  const paid = { ...orderOf(matter), attemptId: subject, amount: clp(facts.amount), at };
  await bookPaidByHand(tx, dependencies.ids, paid);
  return "Booked as paid back otherwise.";
}

function whoGivesBack({ amount, given_back: returned }: Matter["facts"]): string {
  if (typeof returned !== "number" || typeof amount !== "number")
    return "A refund that failed gave nothing back: the clinic asks for it again, or gives it back itself.";
  const given = `The refund gave ${formatClp(clp(returned))} back, and ${formatClp(clp(amount))} not`;
  return `${given}: the clinic asks for that part again, or gives it back itself.`;
}

const REFUSALS: Readonly<Record<CollectionActRefused["code"], string>> = {
  not_failed: "The collection has not failed.",
  not_stopped: "The collection has not been stopped.",
  not_open: "The collection has neither failed nor been stopped.",
  chargeback_open: "The patient's bank took money back: look at the chargeback first.",
  hard_decline: "The card will never work again: the patient has to give another one.",
  tries_exhausted: "The caps of the card brands allow no further try now.",
  nothing_lost: "What the bank has taken back is booked already.",
};

function explain(error: unknown): never {
  if (error instanceof CollectionActRefused) throw new MatterActRefused(REFUSALS[error.code], { cause: error });
  if (error instanceof ClaimActRefused)
    throw new MatterActRefused("The claim does not take this as it stands now.", { cause: error });
  throw error;
}
