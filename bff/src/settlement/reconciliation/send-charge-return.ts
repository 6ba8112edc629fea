import { formatClp } from "../../contract/vocabulary/clp.ts";
import { SECOND_MS } from "../../contract/vocabulary/durations.ts";
import type { CardProcessor, ReturnOutcome } from "../../gateways/card-processor.ts";
import { type Answered, type CallConnectors, GatewayUnavailable, type Unknown } from "../../gateways/gateway-call.ts";
import { listedReturn } from "../../gateways/listed-calls.ts";
import { type AttemptCalls, acceptedReturn, runCall, timerOutcomeOf } from "../../gateways/run-call.ts";
import { type NotifyPatientDependencies, notifyPatient } from "../../notifications/notify-patient.ts";
import { mayBeFound } from "../../orders/charge-lost-in-restore.ts";
import { aboutOrder, findOrder } from "../../orders/order-reads.ts";
import type { Database, Transaction } from "../../platform/database/transaction.ts";
import { type Exception, ResolutionRefused, type Resolving, type WeightyOutcome } from "../../platform/exceptions.ts";
import { idFor } from "../../platform/ids.ts";
import { type Provider, providerNow } from "../../platform/provider.ts";
import { santiagoDay } from "../../platform/santiago-time.ts";
import { type ClaimedTimer, scheduleTimer } from "../../platform/timers/timer-store.ts";
import type { TimerOutcome } from "../../platform/timers/timer-worker.ts";
import { requireProvider } from "../../tenants/providers.ts";
import { sourceOf } from "../compare-lines.ts";
import {
  type ChargeReturn,
  countReturnInquiry,
  endChargeReturn,
  insertChargeReturn,
  takeUpChargeReturn,
  writeChargeReturnAccepted,
} from "./charge-return-store.ts";
import { lockUnbooked } from "./reconciliation-store.ts";

export interface ReturnChargeDependencies extends NotifyPatientDependencies {
  readonly db: Database;
  readonly cardProcessor: Pick<CardProcessor, "listMovements" | "returnCharge" | "inquireReturn">;
  readonly connectors: Pick<CallConnectors, "cardProcessor">;
}

/**
 * Requests the return of a charge from the processor once. Inquires first, because an earlier attempt may have arrived.
 */
export async function sendChargeReturn(
  dependencies: ReturnChargeDependencies,
  timer: ClaimedTimer,
): Promise<TimerOutcome> {
  const { db, clock, connectors } = dependencies;
  const key = { providerId: timer.providerId, id: timer.key };
  const chargeReturn = await takeUpChargeReturn(db, key, connectors.cardProcessor);
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
      const { id, connector } = chargeReturn;
      const under = { providerId: provider.id, idempotencyKey: `${id}:return`, at: now(), connector };
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
    // The first inquiry always precedes the call, so it does not count as one about a lost answer. Once a return is
    // accepted, every inquiry counts.
    release: async (chargeReturn) => (await countReturnInquiry(db, chargeReturn)) - (chargeReturn.isTaken ? 0 : 1),
  };
}

/**
 * The books do not have the processor's id of the charge, so this looks it up in the processor's list. A charge that is
 * missing there, or whose amount has changed, is not returned.
 */
async function callReturn(
  { cardProcessor }: ReturnChargeDependencies,
  { providerId, reference, amount, chargedAt }: ChargeReturn,
  under: Parameters<CardProcessor["returnCharge"]>[0],
): Promise<ReturnOutcome | Unknown> {
  // The moment is the list's own. A clinic's whole day, read once for each of many returns, would delay checkouts.
  const [from, to] = [-SECOND_MS, SECOND_MS].map((offset) => new Date(chargedAt.getTime() + offset)) as [Date, Date];
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

/** Stores the outcome, and notifies the patient if the order is known. */
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
    const about = await aboutOrder(tx, provider, order);
    await notifyPatient(dependencies, tx, {
      provider,
      about,
      cause: `charge_returned:${chargeReturn.id}`,
      to: email,
      rut,
      telephone: phoneNumber,
      orderId: order.orderId,
      notification: {
        kind: "charge_returned",
        firstName,
        clinic: about.clinic,
        amount: chargeReturn.amount,
        day: santiagoDay(chargeReturn.chargedAt),
      },
    });
  }
  return { ...chargeReturn, state: "returned" };
}

/** Requests the return of a charge. The timer's key is the id of the return. */
export const RETURN_CHARGE_TIMER = "charge.return";

/** The charge of a difference. Throws `ResolutionRefused` if the difference is about something else. */
function unbookedCharge({ providerId, subject }: Exception): {
  readonly providerId: string;
  readonly reference: string;
} {
  const reference = subject.replace(/^charge_not_booked:/, "");
  if (reference === subject)
    throw new ResolutionRefused("This difference is not about a charge that the processor has and the books do not.");
  return { providerId, reference };
}

/**
 * Returns a charge that the processor lists and the books do not have. Refused while the order may still find the
 * charge, because it would then count as paid after the money went back to the patient.
 */
export async function returnCharge({ tx, clock, exception, at }: Resolving): Promise<WeightyOutcome> {
  const { providerId, reference } = unbookedCharge(exception);
  if (exception.facts.return === "refused") throw new ResolutionRefused(whoReturnsIt(exception));
  const charge = await lockUnbooked(tx, { providerId, kind: "charge_not_booked", reference });
  if (charge === null) throw new ResolutionRefused("This charge no longer exists.");
  const { orderId, amount, at: chargedAt } = charge;
  if (orderId !== null && (await mayBeFound(tx, { providerId, orderId }, reference)))
    throw new ResolutionRefused("The order may still request this charge, and will then find it.");
  // The id is derived from the charge, so that a restored database requests the return under the same key.
  const id = idFor(`${providerId}:${reference}:return`);
  const chargeReturn = { id, providerId, reference, orderId, amount, chargedAt };
  if (!(await insertChargeReturn(tx, chargeReturn, at))) throw new ResolutionRefused("It is already being returned.");
  await scheduleTimer(tx, { kind: RETURN_CHARGE_TIMER, key: id, providerId, dueAt: clock.now(), payload: {} });
  return { outcome: `${formatClp(amount)} go back to the card.`, amount };
}

function whoReturnsIt({ facts }: Exception): string {
  switch (facts.refused_because) {
    case "too_old":
      return "The charge is too old for the processor to return. Pay the patient by bank transfer, then dismiss this with a note.";
    case "disputed":
      return "The patient's bank is taking the charge back. Pay nothing in addition, and dismiss this when the dispute has ended.";
    default:
      return "The processor refused to return the charge. Agree with it how the patient gets the money.";
  }
}

/** Locks the difference of an exception until the transaction ends. */
export async function lockDifference(tx: Transaction, { providerId, subject }: Exception): Promise<void> {
  const [kind = "", reference = ""] = subject.split(/:(.*)/s);
  await lockUnbooked(tx, { providerId, kind, reference });
}
