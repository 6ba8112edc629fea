import { ClaimResolutionRefused, fileAgain, giveUpClaim, noteWithdrawn } from "../../claims/claim-resolutions.ts";
import {
  acknowledgeChargebacks,
  CollectionResolutionRefused,
  holdCollection,
  loseOrdersChargebacks,
  releaseCollection,
  retryCollection,
  winOrdersChargebacks,
  writeOffCollection,
} from "../../collection/collection-resolutions.ts";
import { CHARGE_TIMER } from "../../collection/collection-timers.ts";
import { clp, formatClp } from "../../contract/vocabulary/clp.ts";
import type { OrderHash } from "../../contract/vocabulary/identifiers.ts";
import { sendAgain } from "../../notifications/send-again.ts";
import { bookPaidByHand } from "../../orders/ledger/book-paid-by-hand.ts";
import { recordAudit } from "../../platform/audit-store.ts";
import { inTransaction, type Transaction } from "../../platform/database/transaction.ts";
import type { Ids } from "../../platform/ids.ts";
import { providerNow } from "../../platform/provider.ts";
import { runTimersNow } from "../../platform/timers/timer-store.ts";
import { requireProvider } from "../../tenants/provider-reads.ts";
import { type Exception, type Resolution, readExceptionId, takesAct, versionOf } from "./exception.ts";
import { insertHandled } from "./exception-store.ts";
import { type ExceptionsDependencies, findException } from "./list-exceptions.ts";

/** Thrown when an operator asks for what cannot be done. The message is meant for the operator. */
export class ResolutionRefused extends Error {
  override readonly name = "MatterActRefused";
}

export interface ResolutionDone {
  /** In words, for whoever did it. */
  readonly outcome: string;
}

interface Doing {
  readonly act: Resolution;
  /** `operator:<name>` */
  readonly actor: string;
  /** At most 200 characters, nothing personal. */
  readonly note: string | null;
}

type ResolutionDependencies = ExceptionsDependencies & { readonly ids: Ids };

/** One act about one matter, in its transaction. */
interface Acting {
  readonly tx: Transaction;
  readonly dependencies: ResolutionDependencies;
  readonly exception: Exception;
  readonly doing: Doing;
}

/**
 * Does something about what needs a person, with an audit row in the same transaction. Throws `ResolutionRefused` where the
 * matter is not there (any more), has changed since it was listed, or does not take the act.
 */
export async function resolveException(
  dependencies: ResolutionDependencies,
  named: string,
  doing: Doing,
): Promise<ResolutionDone> {
  const { db, clock, ids } = dependencies;
  if ((doing.note?.length ?? 0) > 200) throw new ResolutionRefused("A note has at most 200 characters.");
  return inTransaction(db, async (tx) => {
    const exception = await requireException(tx, dependencies, named);
    if (!takesAct(exception, doing.act)) throw new ResolutionRefused(`A ${exception.kind} does not take ${doing.act}.`);
    const outcome = await ACTS[doing.act]({ tx, dependencies, exception, doing });
    await recordAudit(tx, {
      id: ids.uuid(),
      providerId: exception.providerId,
      actor: doing.actor,
      credentialId: null,
      act: `matter.${doing.act}`,
      subject: { kind: exception.kind, id: exception.subject },
      details: {
        ...(exception.orderId === null ? {} : { order_id: exception.orderId }),
        ...(doing.note === null ? {} : { note: doing.note }),
      },
      at: clock.now(),
    });
    return { outcome };
  }).catch(explain);
}

/** The matter as it was listed; a collection, and what stops it, stays so until the transaction ends. */
async function requireException(
  tx: Transaction,
  dependencies: ResolutionDependencies,
  named: string,
): Promise<Exception> {
  const name = readExceptionId(named);
  const listed = name === null ? null : await findException(tx, dependencies, name);
  if (name === null || listed === null)
    throw new ResolutionRefused("Nothing of this name needs a person. See `aapd matters list`.");
  const { providerId, orderId, kind } = listed;
  if (orderId !== null && (kind === "chargeback" || kind.startsWith("collection_"))) {
    await holdCollection(tx, { providerId, orderId });
  }
  const exception = await findException(tx, dependencies, name);
  if (exception === null || versionOf(exception) !== name.version)
    throw new ResolutionRefused("It has changed since it was listed. See `aapd matters list`.");
  return exception;
}

/** What each act does; returns what came of it, in words. */
const ACTS: Readonly<Record<Resolution, (acting: Acting) => Promise<string>>> = {
  retry: async ({ tx, dependencies, exception }) =>
    `The card is charged again on ${(await retryCollection(tx, dependencies, orderOf(exception))).toISOString()}.`,
  async release({ tx, dependencies, exception }) {
    const dueAt = await releaseCollection(tx, dependencies, orderOf(exception));
    if (dueAt === null)
      return "Released, and failed: its card can be charged no more. The patient has to give another one.";
    return `The collection goes on; it is due on ${dueAt.toISOString()}.`;
  },
  async write_off({ tx, dependencies, exception }) {
    await writeOffCollection(tx, dependencies, orderOf(exception));
    return "Given up for good; nothing is charged any more.";
  },
  async chargeback_won({ tx, dependencies, exception }) {
    await winOrdersChargebacks(tx, dependencies, orderOf(exception));
    await acknowledgeChargebacks(tx, dependencies, orderOf(exception));
    return "Written down: the money is back, and the books are as they were.";
  },
  async chargeback_lost({ tx, dependencies, exception }) {
    const lost = await loseOrdersChargebacks(tx, dependencies, orderOf(exception));
    // What has stopped a collection is over when people say whether it goes on.
    if (exception.kind === "chargeback") await acknowledgeChargebacks(tx, dependencies, orderOf(exception));
    return `${formatClp(lost)} booked as lost.`;
  },
  async file_again({ tx, dependencies, exception }) {
    await fileAgain(tx, dependencies, orderOf(exception));
    return "The claim is filed again.";
  },
  async give_up_claim({ tx, dependencies, exception }) {
    await giveUpClaim(tx, dependencies, orderOf(exception));
    return "Given up; nothing is filed any more.";
  },
  async claim_withdrawn({ tx, dependencies, exception }) {
    await noteWithdrawn(tx, dependencies, orderOf(exception));
    return "Written down; the insurer is not asked about it any more.";
  },
  ask_again: askAgain,
  async send_again({ tx, dependencies, exception: { providerId, subject: id } }) {
    if (!(await sendAgain(dependencies, tx, { providerId, id })))
      throw new ResolutionRefused("Its address and text are not kept any more.");
    return "It is sent again.";
  },
  paid_back: bookPaidBack,
  async handled(acting) {
    const { tx, dependencies, exception } = acting;
    await putAside(acting);
    if (exception.kind === "chargeback") await acknowledgeChargebacks(tx, dependencies, orderOf(exception));
    return "Put aside; it comes back if it happens again.";
  },
};

function orderOf({ providerId, orderId }: Exception): { readonly providerId: string; readonly orderId: OrderHash } {
  if (orderId === null) throw new ResolutionRefused("It is about no order.");
  return { providerId, orderId };
}

async function putAside({ tx, dependencies, exception, doing }: Acting): Promise<Date> {
  const at = providerNow(await requireProvider(tx, exception.providerId), dependencies.clock.now());
  await insertHandled(tx, exception, { actor: doing.actor, note: doing.note, at });
  return at;
}

/** Inquiries have timers of their own, an hour apart in the end: the next one is made now. */
async function askAgain({ tx, dependencies, exception }: Acting): Promise<string> {
  const { providerId, subject, orderId, facts } = exception;
  const now = dependencies.clock.now();
  const broughtForward = await runTimersNow(tx, { providerId, key: subject }, now);
  // A charge by the mandate is asked about by what makes it, which is the collection's.
  const ofCollection =
    facts.of === "collection" && orderId !== null
      ? await runTimersNow(tx, { providerId, key: orderId, kind: CHARGE_TIMER }, now)
      : 0;
  if (broughtForward + ofCollection === 0) throw new ResolutionRefused("It is being asked about just now.");
  return "It is asked about now; look again in a moment.";
}

/**
 * Only what a payment has captured and could not give back is owed to the patient: what a refund did not give back is the
 * clinic's to give, or to ask for again.
 */
async function bookPaidBack(acting: Acting): Promise<string> {
  const { tx, dependencies, exception, doing } = acting;
  const { subject, facts } = exception;
  if (facts.why !== "return_refused" || typeof facts.amount !== "number")
    throw new ResolutionRefused(whoRefunds(facts));
  if (doing.note === null) throw new ResolutionRefused("Say in --note how the patient was paid back.");
  const at = await putAside(acting);
  const paid = { ...orderOf(exception), attemptId: subject, amount: clp(facts.amount), at };
  await bookPaidByHand(tx, dependencies.ids, paid);
  return "Booked as paid back otherwise.";
}

function whoRefunds({ amount, given_back: returned }: Exception["facts"]): string {
  if (typeof returned !== "number" || typeof amount !== "number")
    return "A refund that failed gave nothing back: the clinic asks for it again, or gives it back itself.";
  const given = `The refund gave ${formatClp(clp(returned))} back, and ${formatClp(clp(amount))} not`;
  return `${given}: the clinic asks for that part again, or gives it back itself.`;
}

const REFUSALS: Readonly<Record<CollectionResolutionRefused["code"], string>> = {
  not_failed: "The collection has not failed.",
  not_stopped: "The collection has not been stopped.",
  not_open: "The collection has neither failed nor been stopped.",
  chargeback_open: "The patient's bank took money back: look at the chargeback first.",
  hard_decline: "The card will never work again: the patient has to give another one.",
  tries_exhausted: "The caps of the card brands allow no further try now.",
  nothing_lost: "What the bank has taken back is booked already.",
};

function explain(error: unknown): never {
  if (error instanceof CollectionResolutionRefused) throw new ResolutionRefused(REFUSALS[error.code], { cause: error });
  if (error instanceof ClaimResolutionRefused)
    throw new ResolutionRefused("The claim does not take this as it stands now.", { cause: error });
  throw error;
}
