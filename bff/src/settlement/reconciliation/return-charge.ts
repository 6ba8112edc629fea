import { formatClp } from "../../contract/vocabulary/clp.ts";
import { mayBeFound } from "../../orders/payments/charge-lost-in-restore.ts";
import type { Transaction } from "../../platform/database/transaction.ts";
import { type Exception, ResolutionRefused, type Resolving, type WeightyOutcome } from "../../platform/exceptions.ts";
import { idFor } from "../../platform/ids.ts";
import { scheduleTimer } from "../../platform/timers/timer-store.ts";
import { insertChargeReturn } from "./charge-return-store.ts";
import { lockUnbooked } from "./reconciliation-store.ts";

/** Has the processor give a charge back; its key is the id of the return. */
export const RETURN_CHARGE_TIMER = "charge.return";

/** The charge that a difference is about. Throws `ResolutionRefused` for a difference about something else. */
function unbookedCharge({ providerId, subject }: Exception): {
  readonly providerId: string;
  readonly reference: string;
} {
  const reference = subject.replace(/^charge_not_booked:/, "");
  if (reference === subject)
    throw new ResolutionRefused("It is about no charge that the processor has and the books do not.");
  return { providerId, reference };
}

/**
 * Has a charge given back that the processor lists and the books do not have. Refused where the order may still find
 * it, because that would count as paid what the patient has got back.
 */
export async function returnCharge({ tx, clock, exception, at }: Resolving): Promise<WeightyOutcome> {
  const { providerId, reference } = unbookedCharge(exception);
  if (exception.facts.return === "refused") throw new ResolutionRefused(whoReturnsIt(exception));
  const charge = await lockUnbooked(tx, { providerId, kind: "charge_not_booked", reference });
  if (charge === null) throw new ResolutionRefused("There is no such charge any more.");
  const { orderId, amount, at: chargedAt } = charge;
  if (orderId !== null && (await mayBeFound(tx, { providerId, orderId }, reference)))
    throw new ResolutionRefused("The order may still ask for this charge, and will then find it.");
  // The id follows from the charge, so that a database that was set back asks under the same key again.
  const id = idFor(`${providerId}:${reference}:return`);
  const asked = { id, providerId, reference, orderId, amount, chargedAt };
  if (!(await insertChargeReturn(tx, asked, at))) throw new ResolutionRefused("It is given back already.");
  await scheduleTimer(tx, { kind: RETURN_CHARGE_TIMER, key: id, providerId, dueAt: clock.now(), payload: {} });
  return { outcome: `${formatClp(amount)} go back to the card.`, amount };
}

function whoReturnsIt({ facts }: Exception): string {
  switch (facts.refused_because) {
    case "too_old":
      return "The charge is too old for the processor to give it back: pay the patient by bank transfer, and put it aside with a note.";
    case "disputed":
      return "The patient's bank takes the charge back: pay nothing beside it, and put it aside when that has ended.";
    default:
      return "The processor has refused to give it back: agree with it how the patient gets the money.";
  }
}

/** Locks the difference that an exception is about, until the transaction ends. */
export async function holdDifference(tx: Transaction, { providerId, subject }: Exception): Promise<void> {
  const [kind = "", reference = ""] = subject.split(/:(.*)/s);
  await lockUnbooked(tx, { providerId, kind, reference });
}
