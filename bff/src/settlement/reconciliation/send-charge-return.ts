import { formatClp } from "../../contract/vocabulary/clp.ts";
import { DAY_MS } from "../../contract/vocabulary/durations.ts";
import type { CardProcessor, ReturnOutcome } from "../../gateways/card-processor.ts";
import { type Answered, GatewayUnavailable, type Unknown } from "../../gateways/gateway-call.ts";
import { listedReturn } from "../../gateways/listed-calls.ts";
import { type AttemptCalls, acceptedReturn, runCall, timerOutcomeOf } from "../../gateways/run-call.ts";
import { type NotifyPatientDependencies, notifyPatient } from "../../notifications/notify-patient.ts";
import { mayBeFound } from "../../orders/charge-lost-in-restore.ts";
import { findOrder } from "../../orders/order-reads.ts";
import type { Database, Transaction } from "../../platform/database/transaction.ts";
import { type Exception, ResolutionRefused, type Resolving, type WeightyOutcome } from "../../platform/exceptions.ts";
import { idFor } from "../../platform/ids.ts";
import { type Provider, providerNow } from "../../platform/provider.ts";
import { santiagoDay } from "../../platform/santiago-time.ts";
import { type ClaimedTimer, scheduleTimer } from "../../platform/timers/timer-store.ts";
import type { TimerOutcome } from "../../platform/timers/timer-worker.ts";
import { requireProvider } from "../../tenants/provider-reads.ts";
import { sourceOf } from "../compare-lines.ts";
import {
  type ChargeReturn,
  countReturnInquiry,
  endChargeReturn,
  insertChargeReturn,
  readChargeReturn,
  writeChargeReturnAccepted,
} from "./charge-return-store.ts";
import { lockUnbooked } from "./reconciliation-store.ts";

export interface ReturnChargeDependencies extends NotifyPatientDependencies {
  readonly db: Database;
  readonly cardProcessor: Pick<CardProcessor, "listMovements" | "returnCharge" | "inquireReturn">;
}

/** Has the processor give a charge back once: it is asked first, because an earlier attempt may have arrived. */
export async function sendChargeReturn(
  dependencies: ReturnChargeDependencies,
  timer: ClaimedTimer,
): Promise<TimerOutcome> {
  const { db, clock } = dependencies;
  const chargeReturn = await readChargeReturn(db, { providerId: timer.providerId, id: timer.key });
  if (chargeReturn === null) return "done";
  const provider = await requireProvider(db, timer.providerId);
  const ran = await runCall(db, callsOf(dependencies, provider), { attempt: chargeReturn, mayHaveArrived: true });
  return timerOutcomeOf(ran, clock.now());
}

function callsOf(
  dependencies: ReturnChargeDependencies,
  provider: Provider,
): AttemptCalls<ChargeReturn, Answered<ReturnOutcome>> {
  const { db, clock, cardProcessor } = dependencies;
  const now = () => providerNow(provider, clock.now());
  return {
    nextCall: (chargeReturn) => {
      if (chargeReturn.state !== "sending") return null;
      const under = { providerId: provider.id, idempotencyKey: `${chargeReturn.id}:return`, at: now() };
      return {
        under,
        inquire: () => cardProcessor.inquireReturn(under),
        call: () => callReturn(dependencies, chargeReturn, under),
        listed: listedReturn(cardProcessor, under, chargeReturn.chargedAt),
      };
    },
    accepts: { isTaken: ({ outcome }) => outcome === "pending", wasTaken: ({ isTaken }) => isTaken },
    settle: (tx, chargeReturn, answer) =>
      settle(tx, dependencies, { provider, chargeReturn: chargeReturn, answer, at: now() }),
    // The first inquiry always comes before the call, so it does not count as an inquiry about a lost answer. Of a
    // return that was taken each inquiry is one about its end.
    release: async (chargeReturn) => (await countReturnInquiry(db, chargeReturn)) - (chargeReturn.isTaken ? 0 : 1),
  };
}

/**
 * The books do not have the processor's id of the charge, so it is looked up in its list. A charge that is not there,
 * or took something else meanwhile, is not given back.
 */
async function callReturn(
  { cardProcessor }: ReturnChargeDependencies,
  { providerId, reference, amount, chargedAt }: ChargeReturn,
  under: Parameters<CardProcessor["returnCharge"]>[0],
): Promise<ReturnOutcome | Unknown> {
  const [from, to] = [-DAY_MS, DAY_MS].map((offset) => new Date(chargedAt.getTime() + offset)) as [Date, Date];
  try {
    const listed = await cardProcessor.listMovements(providerId, from, to);
    const charge = listed.find(
      ({ kind, idempotencyKey, amount: took }) =>
        kind === "charge" && sourceOf(idempotencyKey, 0) === reference && took === amount,
    );
    if (charge === undefined) return { outcome: "refused" };
    const { chargeId, orderHash } = charge;
    return await cardProcessor.returnCharge(under, { chargeId, amount, orderHash });
  } catch (error) {
    if (error instanceof GatewayUnavailable) return { outcome: "unknown" };
    throw error;
  }
}

interface Settling {
  readonly provider: Provider;
  readonly chargeReturn: ChargeReturn;
  readonly answer: Answered<ReturnOutcome>;
  readonly at: Date;
}

/** Stores the outcome, and tells the patient of an order that is known. */
async function settle(
  tx: Transaction,
  dependencies: ReturnChargeDependencies,
  { provider, chargeReturn, answer, at }: Settling,
): Promise<ChargeReturn | null> {
  if (answer.outcome === "pending")
    return (await writeChargeReturnAccepted(tx, chargeReturn, acceptedReturn(answer, at)))
      ? { ...chargeReturn, isTaken: true }
      : null;
  const returnId = answer.outcome === "returned" ? answer.returnId : null;
  const refusal = answer.outcome === "refused" ? (answer.reason ?? null) : null;
  if (!(await endChargeReturn(tx, chargeReturn, { returnId, refusal, at }))) return null;
  if (returnId === null) return { ...chargeReturn, state: "refused" };
  const { providerId, orderId } = chargeReturn;
  const order = orderId === null ? null : await findOrder(tx, { providerId, orderId });
  if (order !== null) {
    const { firstName, email, rut, phoneNumber } = order.customer;
    await notifyPatient(dependencies, tx, {
      provider,
      cause: `charge_returned:${chargeReturn.id}`,
      to: email,
      rut,
      telephone: phoneNumber,
      orderId: order.orderId,
      notification: {
        kind: "charge_returned",
        firstName,
        clinic: provider.name,
        amount: chargeReturn.amount,
        day: santiagoDay(chargeReturn.chargedAt),
      },
    });
  }
  return { ...chargeReturn, state: "returned" };
}

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
  const chargeReturn = { id, providerId, reference, orderId, amount, chargedAt };
  if (!(await insertChargeReturn(tx, chargeReturn, at))) throw new ResolutionRefused("It is given back already.");
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
export async function lockDifference(tx: Transaction, { providerId, subject }: Exception): Promise<void> {
  const [kind = "", reference = ""] = subject.split(/:(.*)/s);
  await lockUnbooked(tx, { providerId, kind, reference });
}
