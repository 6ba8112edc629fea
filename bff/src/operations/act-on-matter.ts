import {
  acknowledgeChargebacks,
  CollectionActRefused,
  releaseCollection,
  retryCollection,
  writeOffCollection,
} from "../collection/people-acts.ts";
import { clp } from "../contract/vocabulary/clp.ts";
import { bookPaidByHand } from "../ledger/book-paid-by-hand.ts";
import { sendAgain } from "../notices/send-again.ts";
import { recordAudit } from "../platform/audit-store.ts";
import { inTransaction, type Transaction } from "../platform/database/transaction.ts";
import type { Ids } from "../platform/ids.ts";
import { providerNow } from "../providers/provider.ts";
import { requireProvider } from "../providers/provider-reads.ts";
import { type Matter, type MatterAct, matterId, readMatterId, takesAct } from "./matter.ts";
import { insertHandled } from "./matter-store.ts";
import { type MattersDependencies, needsAPerson } from "./needs-a-person.ts";

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

/**
 * Does something about what needs a person, with an audit row in the same transaction. Throws `MatterActRefused` where the
 * matter is not there (any more), or does not take the act.
 */
export async function actOnMatter(
  dependencies: MattersDependencies & { readonly ids: Ids },
  named: string,
  doing: Doing,
): Promise<MatterDone> {
  const { db, clock, ids } = dependencies;
  const name = readMatterId(named);
  const open = name === null ? [] : await needsAPerson(dependencies, name.providerId);
  const matter = open.find((listed) => matterId(listed) === named);
  if (matter === undefined) throw new MatterActRefused("Nothing of this name needs a person. See `aapd matters list`.");
  if (!takesAct(matter, doing.act)) throw new MatterActRefused(`A ${matter.kind} does not take ${doing.act}.`);
  if ((doing.note?.length ?? 0) > 200) throw new MatterActRefused("A note has at most 200 characters.");
  return inTransaction(db, async (tx) => {
    const outcome = await perform(tx, dependencies, matter, doing);
    await recordAudit(tx, {
      id: ids.uuid(),
      providerId: matter.providerId,
      actor: doing.actor,
      credentialId: null,
      act: `matter.${doing.act}`,
      subject: { kind: matter.kind, id: matter.subject },
      details: matter.orderId === null ? {} : { order_id: matter.orderId },
      at: clock.now(),
    });
    return { outcome };
  }).catch(explain);
}

async function perform(
  tx: Transaction,
  dependencies: MattersDependencies & { readonly ids: Ids },
  matter: Matter,
  { act, actor, note }: Doing,
): Promise<string> {
  const { clock } = dependencies;
  const { providerId, orderId } = matter;
  if (act === "handled" || act === "paid_back") {
    const at = providerNow(await requireProvider(tx, providerId), clock.now());
    if (act === "paid_back") await bookPaidBack(tx, dependencies, matter, { note, at });
    await insertHandled(tx, matter, { actor, note, at });
    if (act === "paid_back") return "Booked as paid back otherwise.";
    if (matter.kind === "chargeback" && orderId !== null)
      await acknowledgeChargebacks(tx, { clock }, { providerId, orderId });
    return "Put aside; it comes back if it happens again.";
  }
  if (act === "send_again") {
    if (!(await sendAgain(dependencies, tx, { providerId, id: matter.subject })))
      throw new MatterActRefused("Its address and text are not kept any more.");
    return "It is sent again.";
  }
  if (orderId === null) throw new MatterActRefused("It is about no order.");
  const key = { providerId, orderId };
  switch (act) {
    case "retry":
      return `The card is charged again on ${(await retryCollection(tx, { clock }, key)).toISOString()}.`;
    case "release":
      return `The collection goes on; it is due on ${(await releaseCollection(tx, { clock }, key)).toISOString()}.`;
    case "write_off":
      await writeOffCollection(tx, { clock }, key);
      return "Given up for good; nothing is charged any more.";
  }
}

/** Only what a payment has captured and could not give back is owed to the patient: a refund that failed gave nothing away. */
async function bookPaidBack(
  tx: Transaction,
  { ids }: { readonly ids: Ids },
  { providerId, orderId, subject, facts }: Matter,
  { note, at }: { readonly note: string | null; readonly at: Date },
): Promise<void> {
  if (facts.why !== "return_refused" || orderId === null || typeof facts.amount !== "number")
    throw new MatterActRefused(
      "A refund that failed gave nothing back: the clinic asks for it again, or gives it back itself.",
    );
  if (note === null) throw new MatterActRefused("Say in --note how the patient was paid back.");
  await bookPaidByHand(tx, ids, { providerId, orderId, attemptId: subject, amount: clp(facts.amount), at });
}

const REFUSALS: Readonly<Record<CollectionActRefused["code"], string>> = {
  not_failed: "The collection has not failed.",
  not_stopped: "The collection has not been stopped.",
  not_open: "The collection has neither failed nor been stopped.",
  chargeback_open: "The patient's bank took money back: look at the chargeback first.",
  hard_decline: "The card will never work again: the patient has to give another one.",
  tries_exhausted: "The caps of the card brands allow no further try now.",
};

function explain(error: unknown): never {
  if (error instanceof CollectionActRefused) throw new MatterActRefused(REFUSALS[error.code], { cause: error });
  throw error;
}
