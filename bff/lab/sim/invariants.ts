import { SANDBOX_BANK_ACCOUNT } from "../../sandbox/bank-account.ts";
import {
  ASKED_CHARGES_PER_DAY_MAX,
  ASKED_CHARGES_PER_THIRTY_DAYS_MAX,
  CHARGE_TRIES_MAX,
  CHARGE_TRIES_WINDOW_DAYS,
  CHARGE_TRY_DISTANCE_HOURS,
} from "../../src/contract/terms.ts";
import { ORDER_TRANSITIONS, type OrderState, publishedStatus, wasPaid } from "../../src/orders/order.ts";
import { lenderOf } from "../../src/settlement/payouts/payout-record.ts";
import { chargesMatchAnnouncements } from "./charge-promises.ts";
import type { ConsentFacts, Facts, OrderFacts } from "./facts.ts";
import { SKEW_MAX_MS } from "./life-plan.ts";
import {
  announcementsMatchMoney,
  everyCommissionHasItsDocument,
  lends,
  noChargeWithoutAnnouncedCause,
  noMoneyIsMisplaced,
  nothingIsDoneTwiceUnderOneKey,
} from "./money-invariants.ts";
import {
  noPaymentWithARemovedCard,
  noSavedCardWithoutAWish,
  theProcessorKeepsWhatIsSaved,
} from "./saved-card-invariants.ts";
import {
  keptBalancesAreTheirRows,
  LENDER_ENDING,
  theLenderGetsWhatWasCollected,
  whatMovedIsSettledOnce,
} from "./settlement-invariants.ts";

/** Checks the facts and returns a sentence for each violation. */
export type Invariant = (facts: Facts) => readonly string[];

const HOUR_MS = 60 * 60 * 1_000;

/** Rules that hold at any moment. */
export const ALWAYS: Readonly<Record<string, Invariant>> = {
  nothingIsBookedThatTheProcessorHasNot,
  neverTwoChargesForOneCause,
  nothingIsDoneTwiceUnderOneKey,
  paidIsReported,
  aPaidEventHasOneId,
  eventsFollowTheTable,
  refundsStayWithinBounds,
  collectedAtMostOnce,
  neverCollectedAfterTheRest,
  triesStayApart,
  noTryAfterAChargeback,
  eachMailIsOfOneNotice,
  ledgerCausesAreOnce,
  keptBalancesAreTheirRows,
  everyAttemptStaysRecorded,
  aPayoutIsTransferredOnce,
  aPayoutGoesToItsPayee,
  askedChargesStayWithinCaps,
  noChargeAfterAWriteOff,
  noChargeOfWhatWasPaidOtherwise,
  aRevokedMandateIsNeverCharged,
  noChargeOfAnUnconfirmedCard,
  nothingIsFiledWithoutAMandate,
  whatIsErasedIsGone,
  whatTheLawKeepsIsKept,
  noSavedCardWithoutAWish,
  noPaymentWithARemovedCard,
};

/** Further rules, which hold after the world has been free of faults for long enough. */
export const AT_REST: Readonly<Record<string, Invariant>> = {
  theSystemHasComeToRest,
  timersAreDoneOrInTheFuture,
  theLedgerIsTheProcessorsList,
  loansAreWhatIsNotCancelled,
  theBankHasTransferredWhatIsBooked,
  clinicsAreOwedWhatWasPaid,
  payeesArePaidWhatTheyAreOwed,
  theLenderGetsWhatWasCollected,
  whatMovedIsSettledOnce,
  theProcessorsAccountIsWhatItHolds,
  erasuresHaveEnded,
  filesAreThoseOfReceipts,
  collectionsHaveEnded,
  chargebacksAreKnown,
  everyPaymentIsHeardOf,
  claimsAreFiled,
  announcementsMatchMoney,
  chargesMatchAnnouncements,
  noChargeWithoutAnnouncedCause,
  noMoneyIsMisplaced,
  everyCommissionHasItsDocument,
  theLenderHasHeardOfEachEnd,
  theProcessorKeepsWhatIsSaved,
};

/** All violations of some invariants, each with the invariant's name. */
export function violations(invariants: Readonly<Record<string, Invariant>>, facts: Facts): string[] {
  return Object.entries(invariants).flatMap(([name, invariant]) =>
    invariant(facts).map((sentence) => `${name}: ${sentence}`),
  );
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}

function nothingIsBookedThatTheProcessorHasNot({ order_payments, sandbox_movements }: Facts): string[] {
  return order_payments
    .filter(({ status }) => status === "captured" || status === "undone")
    .filter(
      (payment) => !sandbox_movements.some(({ id, amount }) => id === payment.charge_id && amount === payment.amount),
    )
    .map(({ id }) => `payment ${id} is captured here and not at the processor`);
}

/** A charge of the deferred part is recognised by its key, which is derived from the collection attempt. */
function isCollection(idempotencyKey: string): boolean {
  return idempotencyKey.includes(":collection");
}

function neverTwoChargesForOneCause({ orders, sandbox_movements }: Facts): string[] {
  return orders.flatMap(({ id, first_part, deferred_part }) => {
    const kept = sandbox_movements.filter(
      (one) => one.kind === "charge" && one.order_hash === id && one.returned < one.amount,
    );
    const firsts = kept.filter(({ idempotency_key }) => !isCollection(idempotency_key));
    const wrong: string[] = [];
    if (firsts.length > 1)
      wrong.push(`order ${id} (${first_part} + ${deferred_part}) was charged ${firsts.length} times`);
    if (firsts.some(({ amount }) => amount !== first_part)) wrong.push(`order ${id} was charged another amount`);
    return wrong;
  });
}

function paidIsReported({ orders, events }: Facts): string[] {
  return orders.flatMap(({ id, state }) => {
    const reported = events.filter(({ order_id, kind }) => order_id === id && kind === "order.paid").length;
    const due = wasPaid(state) ? 1 : 0;
    return reported === due ? [] : [`order ${id} is ${state} and has ${reported} order.paid`];
  });
}

function aPaidEventHasOneId({ received, events }: Facts): string[] {
  const byOrder = new Map<string, Set<string>>();
  for (const { orderId, event, eventId } of received) {
    if (event !== "order.paid") continue;
    byOrder.set(orderId, (byOrder.get(orderId) ?? new Set()).add(eventId));
  }
  const known = new Set(events.map(({ id }) => id));
  return [...byOrder].flatMap(([orderId, ids]) => {
    if (ids.size > 1) return [`order ${orderId} was told as paid under ${ids.size} ids`];
    return [...ids].some((id) => !known.has(id))
      ? [`order ${orderId} was told as paid by an event that is not there`]
      : [];
  });
}

/** Pairs of states that one line of the table connects and that publish an event to partners. */
const REPORTED_STEPS = new Set(
  ORDER_TRANSITIONS.filter(({ events }) => events.length > 0).map(
    ({ from, to }) => `${publishedStatus(from)} ${publishedStatus(to)}`,
  ),
);

function eventsFollowTheTable({ orders, events }: Facts): string[] {
  return orders.flatMap((order) => {
    const reported = events
      .filter(({ order_id, sequence }) => order_id === order.id && sequence !== null)
      .toSorted((a, b) => (a.sequence ?? 0) - (b.sequence ?? 0));
    return [
      ...orderOfEvents(
        order,
        reported.map(({ sequence }) => sequence),
      ),
      ...pathOfEvents(order, reported),
    ];
  });
}

function orderOfEvents({ id, event_sequence }: OrderFacts, sequences: readonly (number | null)[]): string[] {
  const isWhole = sequences.length === event_sequence && sequences.every((sequence, index) => sequence === index + 1);
  return isWhole ? [] : [`order ${id} has told ${event_sequence} things, and its events are ${sequences.join(", ")}`];
}

function pathOfEvents(
  { id, state }: OrderFacts,
  reported: readonly { kind: string; status: string | null }[],
): string[] {
  let status: string = "pending";
  for (const event of reported) {
    const next = event.status ?? "nothing";
    const isNews = event.kind.startsWith("news.");
    if (isNews || event.kind === "order.receipt_missing" || event.kind === "order.refund_failed") {
      if (status !== next) return [`order ${id} told ${event.kind}, and went from ${status} to ${next}`];
      continue;
    }
    // A failed payment cancels the order or leaves it as it was.
    if (event.kind !== "order.failed" && !REPORTED_STEPS.has(`${status} ${next}`))
      return [`order ${id} went from ${status} to ${next}`];
    if (event.kind !== "order.failed") status = next;
  }
  const isThere = status === publishedStatus(state);
  return isThere ? [] : [`order ${id} is ${state}, and its last event said ${status}`];
}

/** The states that each internal state can reach, by any number of lines of the table. */
const REACHABLE: ReadonlyMap<OrderState, ReadonlySet<OrderState>> = (() => {
  const reachable = new Map<OrderState, Set<OrderState>>();
  for (const { from } of ORDER_TRANSITIONS) reachable.set(from, new Set([from]));
  for (let grew = true; grew; ) {
    grew = false;
    for (const states of reachable.values())
      for (const { from, to } of ORDER_TRANSITIONS)
        if (states.has(from) && !states.has(to)) grew = states.add(to).has(to);
  }
  return reachable;
})();

/** Returns the orders that changed in a way that the table does not allow, and those that disappeared. */
export function statesOnlyAlongTheTable(before: Facts, after: Facts): string[] {
  return before.orders.flatMap(({ id, state }) => {
    const now = after.orders.find((order) => order.id === id);
    if (now === undefined) return [`statesOnlyAlongTheTable: order ${id} is gone`];
    if (now.state === state || REACHABLE.get(state)?.has(now.state)) return [];
    return [`statesOnlyAlongTheTable: order ${id} went from ${state} to ${now.state}`];
  });
}

function refundsStayWithinBounds({ orders, order_refunds, sandbox_movements }: Facts): string[] {
  const overReturned = sandbox_movements
    .filter(({ kind, returned, amount }) => kind === "charge" && returned > amount)
    .map(({ id }) => `more of charge ${id} was returned than was captured`);
  const wrong = orders.flatMap((order) => {
    const { id, total, refund_accepted, refunded } = order;
    const done = sum(
      order_refunds.filter((one) => one.order_id === id && one.status === "succeeded").map(({ amount }) => amount),
    );
    if (refunded > total || refund_accepted > total) return [`order ${id} of ${total} is refunded ${refunded}`];
    if (refunded < done) return [`order ${id} is refunded ${refunded}, and its refunds are ${done}`];
    return order.deferred_cancelled + order.deferred_collected > order.deferred_part
      ? [`order ${id} has cancelled and collected more than it has`]
      : [];
  });
  return [...overReturned, ...wrong];
}

function collectionCharges({ sandbox_movements }: Facts, orderId: string) {
  return sandbox_movements.filter(
    ({ kind, order_hash, idempotency_key }) =>
      kind === "charge" && order_hash === orderId && isCollection(idempotency_key),
  );
}

function collectedAtMostOnce(facts: Facts): string[] {
  return facts.orders
    .filter(({ id }) => collectionCharges(facts, id).length > 1)
    .map(({ id }) => `the deferred part of ${id} was charged ${collectionCharges(facts, id).length} times`);
}

/** True from the acceptance of a full refund on, even if a charge was running. */
function neverCollectedAfterTheRest(facts: Facts): string[] {
  return facts.orders
    .filter(({ state }) => state === "refunded")
    .flatMap(({ id }) => {
      const last = Math.max(
        ...facts.order_refunds.filter((one) => one.order_id === id).map((one) => Date.parse(one.created_at)),
      );
      return collectionCharges(facts, id)
        .filter(({ at }) => Date.parse(at) > last + SKEW_MAX_MS)
        .map(() => `${id} was charged after all of it had been given back`);
    });
}

function triesStayApart({ orders, collection_attempts }: Facts): string[] {
  return orders.flatMap(({ id }) => {
    const tries = collection_attempts
      .filter(({ order_id, initiator }) => order_id === id && initiator === "merchant")
      // The card processor never received a charge that was not made.
      .filter(({ state }) => state !== "not_made")
      .map(({ called_at }) => Date.parse(called_at))
      .toSorted((a, b) => a - b);
    const wrong: string[] = [];
    for (const [index, tried] of tries.entries()) {
      const previous = tries[index - 1];
      if (previous !== undefined && tried - previous < CHARGE_TRY_DISTANCE_HOURS * HOUR_MS - SKEW_MAX_MS)
        wrong.push(`${id} was tried twice within ${CHARGE_TRY_DISTANCE_HOURS} hours`);
      const window = tried - CHARGE_TRIES_WINDOW_DAYS * 24 * HOUR_MS + SKEW_MAX_MS;
      if (tries.filter((other) => other <= tried && other > window).length > CHARGE_TRIES_MAX)
        wrong.push(`${id} was tried more than ${CHARGE_TRIES_MAX} times in ${CHARGE_TRIES_WINDOW_DAYS} days`);
    }
    return wrong;
  });
}

/** Nothing is charged until an operator has reviewed the chargeback. Only a call made before it may complete. */
function noTryAfterAChargeback(facts: Facts): string[] {
  return facts.chargebacks
    .filter(({ released_at }) => released_at === null)
    .flatMap(({ order_id: orderId, noted_at }) => {
      const noted = Date.parse(noted_at) + SKEW_MAX_MS;
      const tried = facts.collection_attempts.filter(({ order_id }) => order_id === orderId);
      const moments = [
        ...tried.map(({ started_at }) => started_at),
        ...collectionCharges(facts, orderId).map(({ at }) => at),
      ];
      return moments
        .filter((at) => Date.parse(at) > noted)
        .map(() => `${orderId} was to be charged although money had been charged back`);
    });
}

/** The maximum of declined charges that a patient may request in a day, and in thirty days. */
function askedChargesStayWithinCaps({ orders, collection_attempts }: Facts): string[] {
  return orders.flatMap(({ id }) => {
    const declined = collection_attempts
      .filter((one) => one.order_id === id && one.initiator === "patient" && one.state === "declined")
      .map(({ called_at }) => Date.parse(called_at))
      .toSorted((a, b) => a - b);
    const caps = [
      { days: 1, max: ASKED_CHARGES_PER_DAY_MAX },
      { days: 30, max: ASKED_CHARGES_PER_THIRTY_DAYS_MAX },
    ];
    return caps.flatMap(({ days, max }) => {
      const within = days * 24 * HOUR_MS - SKEW_MAX_MS;
      const isOver = declined.some((at, index) => at - (declined[index - max] ?? Number.NEGATIVE_INFINITY) < within);
      return isOver ? [`${id} was declined more than ${max} times in ${days} days for a patient who asked`] : [];
    });
  });
}

/** What an operator has written off is never charged, whatever happens afterwards. */
function noChargeAfterAWriteOff(facts: Facts): string[] {
  return chargesAfter(facts, "matter.write_off").map((id) => `${id} was to be charged after it had been written off`);
}

/** No later attempt charges an amount that the patient has paid in another way. */
function noChargeOfWhatWasPaidOtherwise(facts: Facts): string[] {
  return chargesAfter(facts, "matter.paid_otherwise").map(
    (id) => `${id} was to be charged, and it had been paid otherwise`,
  );
}

/**
 * The orders whose deferred part was charged, or became due, after an operator resolved an exception about it. One
 * entry for each time.
 */
function chargesAfter(facts: Facts, act: string): string[] {
  return facts.audit_log
    .filter((row) => row.act === act)
    .flatMap(({ order_id: id, at }) => {
      const over = Date.parse(at) + SKEW_MAX_MS;
      const asked = facts.collection_attempts.filter((one) => one.order_id === id).map(({ started_at }) => started_at);
      const charged = collectionCharges(facts, id ?? "").map((charge) => charge.at);
      const late = [...asked, ...charged].filter((moment) => Date.parse(moment) > over);
      return late.map(() => id ?? "");
    });
}

/**
 * A card whose mandate was revoked is not charged again. Another card has another mandate, and another payment another
 * consent.
 */
function aRevokedMandateIsNeverCharged({ orders, consents, collection_attempts }: Facts): string[] {
  const mandates = consents.filter(({ purpose, order_id }) => purpose === "later_charge" && order_id !== null);
  return mandates.flatMap(({ order_id: id, withdrawn_at }) => {
    if (withdrawn_at === null) return [];
    const over = Date.parse(withdrawn_at) + SKEW_MAX_MS;
    // A withdrawal ends every consent of the order. A consent that is still valid was given after it, even at the same
    // moment.
    const isGivenAgain = mandates.some(
      (one) => one.order_id === id && (one.withdrawn_at === null || Date.parse(one.accepted_at) > over),
    );
    const attempts = collection_attempts.filter((one) => one.order_id === id);
    const before = attempts.filter(({ called_at }) => Date.parse(called_at) <= over).map(({ card_id }) => card_id);
    const revoked = new Set([orders.find((one) => one.id === id)?.card?.id, ...before]);
    const late = attempts.filter(({ called_at, card_id }) => Date.parse(called_at) > over && revoked.has(card_id));
    return isGivenAgain ? [] : late.map(() => `${id} was charged to a card whose mandate had been withdrawn`);
  });
}

/**
 * By the issuers' lists: a replacement card is not charged before its patient answered a required challenge, and no
 * charge lacks a required confirmation.
 */
function noChargeOfAnUnconfirmedCard({ collection_attempts, sandbox_authentications }: Facts): string[] {
  return collection_attempts.flatMap(({ order_id, card_id, decline_reason }) => {
    const asked = sandbox_authentications.filter((one) => one.card_id === card_id && one.purpose === "mandate");
    const isUnanswered = asked.length > 0 && asked.every(({ state }) => state !== "authenticated");
    return isUnanswered || decline_reason === "authentication_failed"
      ? [`${order_id} was charged to a card whose issuer had not confirmed its patient`]
      : [];
  });
}

const MANDATE_PURPOSES = ["claim_mandate", "health_data"] as const;

/** By the insurer's own list: the consents that a claim needs had been accepted by then, and not withdrawn. */
function nothingIsFiledWithoutAMandate({ orders, consents, sandbox_claims }: Facts): string[] {
  return sandbox_claims.flatMap(({ order_hash, filed_at }) => {
    const order = orders.find(({ id }) => id === order_hash);
    if (order === undefined) return [];
    const filed = Date.parse(filed_at);
    const held = ({ accepted_at, withdrawn_at }: ConsentFacts) =>
      Date.parse(accepted_at) < filed + SKEW_MAX_MS &&
      (withdrawn_at === null || Date.parse(withdrawn_at) > filed - SKEW_MAX_MS);
    const given = consents.filter((one) => one.provider_id === order.provider_id && one.rut === order.customer_rut);
    return MANDATE_PURPOSES.filter((purpose) => !given.some((one) => one.purpose === purpose && held(one))).map(
      (purpose) => `the claim of ${order.id} was filed when ${purpose} did not hold`,
    );
  });
}

function whatIsErasedIsGone({ erasures, beneficiaries, expenses, expense_files }: Facts): string[] {
  return erasures
    .filter(({ state }) => state === "done")
    .flatMap(({ beneficiary_id: id }) => {
      const record = beneficiaries.find((one) => one.id === id);
      const ofPatient = expenses.filter(({ beneficiary_id }) => beneficiary_id === id);
      const isErased =
        record === undefined ||
        (record.rut === `erased:${id}` &&
          record.email.endsWith("@erased.invalid") &&
          [record.first_name, record.last_name, record.phone_number].every((text) => text === ""));
      const wrong: string[] = [];
      if (!isErased) wrong.push(`beneficiary ${id} is erased, but the record still holds personal data`);
      if (record?.has_access) wrong.push(`beneficiary ${id} is erased, and access to the insurer is kept`);
      if (ofPatient.some(({ name }) => name !== null)) wrong.push(`beneficiary ${id} is erased, and a receipt is not`);
      if (ofPatient.some((expense) => expense_files.some(({ expense_id }) => expense_id === expense.id)))
        wrong.push(`beneficiary ${id} is erased, and a file of a receipt is not`);
      return wrong;
    });
}

/** An order with moved money keeps its personal data and the accepted agreement. */
function whatTheLawKeepsIsKept({ orders, order_payments, payment_attempts, consents }: Facts): string[] {
  return orders.flatMap(({ id, state, customer_rut }) => {
    const hasMoved = order_payments.some(
      ({ order_id, status }) => order_id === id && ["processing", "captured", "undone"].includes(status),
    );
    const wrong: string[] = [];
    if (hasMoved && customer_rut === "") wrong.push(`money of order ${id} has moved, and nobody knows whose`);
    const isRefused = payment_attempts.some((one) => one.order_id === id && one.state === "failed");
    if (isRefused && customer_rut === "") wrong.push(`the credit of order ${id} was refused, and nobody knows whose`);
    const accepted = (purpose: string) => consents.some((one) => one.order_id === id && one.purpose === purpose);
    if (wasPaid(state) && !["terms_and_credit", "later_charge"].every(accepted))
      wrong.push(`order ${id} was paid, and what was accepted for it is not kept`);
    return wrong;
  });
}

/** An erasure waits only for debts and open orders. */
function erasuresHaveEnded({ erasures, beneficiaries, orders, collections }: Facts): string[] {
  return erasures
    .filter(({ state }) => state === "waiting")
    .flatMap(({ beneficiary_id: id }) => {
      const patient = beneficiaries.find((one) => one.id === id);
      const waitsFor = orders.some((order) => {
        if (order.customer_rut !== patient?.rut) return false;
        if (order.state === "awaiting_payment") return true;
        const collection = collections.find(({ order_id }) => order_id === order.id);
        return (
          collection?.state === "stopped" || (collection?.state === "failed" && collection.failure !== "written_off")
        );
      });
      return waitsFor ? [] : [`beneficiary ${id} waits to be erased, and nothing is owed or open`];
    });
}

/** The storage contains exactly the files of receipts and the log of erasures, complete. */
function filesAreThoseOfReceipts({ stored, expense_files, erasures }: Facts): string[] {
  if (stored === null) return [];
  const logged = erasures.map(({ beneficiary_id }) => `erasure-${beneficiary_id}`);
  const kept = new Set([...expense_files.map(({ storage_name }) => storage_name), ...logged]);
  const there = new Set(stored);
  return [
    ...stored
      .filter((name) => !kept.has(name))
      .map((name) => `file ${name} is stored, and neither a receipt nor an erasure has it`),
    ...[...kept]
      .filter((name) => !there.has(name))
      .map((name) => `file ${name} of a receipt or an erasure is not stored`),
  ];
}

/** The processor's list equals ours, by the daily comparison. */
function chargebacksAreKnown({ chargebacks, sandbox_movements }: Facts): string[] {
  return sandbox_movements
    .filter(({ kind }) => kind === "chargeback")
    .filter(({ id, amount }) => !chargebacks.some((known) => known.id === id && known.amount === amount))
    .map(({ order_hash, amount }) => `${amount} of ${order_hash} were charged back, and nobody knows of it`);
}

function eachMailIsOfOneNotice({ notices, sandbox_notices, sandbox_messages }: Facts): string[] {
  const known = new Set(notices.map(({ id }) => id));
  const strayMessages = sandbox_messages
    .filter(({ message_id }) => !known.has(message_id))
    .map(({ message_id }) => `a message was sent that is of no notice: ${message_id}`);
  const stray = sandbox_notices
    .filter(({ message_id }) => !known.has(message_id) && !/^(?:webhook-failing|payee-account):/.test(message_id))
    .map(({ subject }) => `a mail was sent that is of no notice: ${subject}`);
  const causes = new Set(notices.map(({ cause, channel }) => `${channel} ${cause}`));
  const twice = causes.size === notices.length ? [] : ["two notices of one channel have one cause"];
  return [...stray, ...strayMessages, ...twice];
}

function ledgerCausesAreOnce({ ledger_transfers, order_payments }: Facts): string[] {
  const causes = ledger_transfers.map(({ provider_id, cause }) => `${provider_id} ${cause}`);
  const twice = new Set(causes).size === causes.length ? [] : ["two transfers have one cause"];
  const unbooked = order_payments
    .filter(
      ({ status, id }) => status === "captured" && !ledger_transfers.some(({ cause }) => cause.endsWith(`:${id}`)),
    )
    .map(({ id }) => `payment ${id} is captured and not booked`);
  return [...twice, ...unbooked];
}

/**
 * Each delivery has all its attempts, numbered without gaps. An accepted one that was settled again with another result
 * would lack the accepted attempt.
 */
function everyAttemptStaysRecorded({ webhook_deliveries, all_webhook_attempts }: Facts): string[] {
  const known = new Map<string, Set<number>>();
  for (const { delivery_id, number } of all_webhook_attempts) {
    known.set(delivery_id, (known.get(delivery_id) ?? new Set()).add(number));
  }
  return webhook_deliveries
    .filter(({ id, attempts }) => {
      const numbers = [...(known.get(id) ?? [])];
      return numbers.length !== attempts || numbers.some((number) => number < 1 || number > attempts);
    })
    .map(({ id, attempts }) => `delivery ${id} had ${attempts} attempts, and not all of them are known`);
}

function aPayoutIsTransferredOnce({ payouts, sandbox_bank_transfers }: Facts): string[] {
  return payouts.flatMap(({ id, amount }) => {
    const made = sandbox_bank_transfers.filter(({ idempotency_key }) => idempotency_key.includes(id));
    if (made.length > 1) return [`payout ${id} was transferred ${made.length} times`];
    return made.some((transfer) => transfer.amount !== amount)
      ? [`payout ${id} was transferred with another amount`]
      : [];
  });
}

function theSystemHasComeToRest({
  orders,
  order_payments,
  payment_attempts,
  order_refunds,
  webhook_deliveries,
  notices,
}: Facts): string[] {
  return [
    ...orders
      .filter(({ state }) => state === "paying" || state === "first_captured")
      .map(({ id, state }) => `order ${id} is still ${state}`),
    ...order_payments
      .filter(({ status }) => status === "processing")
      .map(({ id }) => `payment ${id} is still processing`),
    ...payment_attempts
      .filter(({ ended_at }) => ended_at === null)
      .map(({ id, state }) => `attempt ${id} is still ${state}`),
    ...order_refunds
      .filter(({ status }) => status === "processing")
      .map(({ id }) => `refund ${id} is still processing`),
    ...webhook_deliveries
      .filter(({ status }) => status === "queued" || status === "scheduled")
      .map(({ id, status, kind }) => `delivery ${id} of ${kind} is still ${status}`),
    ...notices.filter(({ state }) => state === "waiting").map(({ cause }) => `notice ${cause} still waits`),
  ];
}

function timersAreDoneOrInTheFuture({ timers, now }: Facts): string[] {
  return timers
    .filter(({ done_at, due_at }) => done_at === null && Date.parse(due_at) <= now.getTime())
    .map(({ kind, key, due_at }) => `${kind} ${key} was due at ${due_at}`);
}

/** A balance here is debits less credits. */
function balanceOf(transfers: Facts["ledger_transfers"], account: string): number {
  return sum(
    transfers.map(({ debit, credit, amount }) => (debit === account ? amount : credit === account ? -amount : 0)),
  );
}

function theLedgerIsTheProcessorsList({
  orders,
  order_payments,
  ledger_transfers,
  chargebacks,
  sandbox_movements,
}: Facts): string[] {
  return orders.flatMap(({ id }) => {
    const movements = sandbox_movements.filter(({ order_hash }) => order_hash === id);
    const charged = sum(movements.filter(({ kind }) => kind === "charge").map(({ amount }) => amount));
    const returned = sum(movements.filter(({ kind }) => kind === "return").map(({ amount }) => amount));
    const lost = sum(
      chargebacks.filter(({ order_id, lost_at }) => order_id === id && lost_at !== null).map(({ amount }) => amount),
    );
    const booked = balanceOf(
      ledger_transfers.filter(({ order_id }) => order_id === id),
      "card_processor",
    );
    const payments = order_payments.filter(({ order_id }) => order_id === id);
    const captured = sum(
      payments.filter(({ status }) => status === "captured" || status === "undone").map(({ amount }) => amount),
    );
    const wrong: string[] = [];
    if (booked !== charged - returned - lost)
      wrong.push(`the processor has ${charged} - ${returned} - ${lost} of order ${id}, and the ledger ${booked}`);
    if (captured !== charged) wrong.push(`order ${id} shows ${captured} captured, and the processor ${charged}`);
    return wrong;
  });
}

function loansAreWhatIsNotCancelled({ orders, sandbox_loans }: Facts): string[] {
  return orders.flatMap(({ id, state, deferred_part, deferred_cancelled }) => {
    const live = sandbox_loans.filter((loan) => loan.order_hash === id && lends(loan));
    const lent = sum(live.map(({ remaining }) => remaining));
    const due = wasPaid(state) ? deferred_part - deferred_cancelled : 0;
    return lent === due ? [] : [`${lent} are lent for order ${id} (${state}), and ${due} should be`];
  });
}

function theBankHasTransferredWhatIsBooked({ payouts, ledger_transfers, sandbox_bank_transfers }: Facts): string[] {
  const providers = new Set(payouts.map(({ provider_id }) => provider_id));
  return [...providers].flatMap((provider) => {
    const booked = balanceOf(
      ledger_transfers.filter(({ provider_id }) => provider_id === provider),
      "bank",
    );
    const made = sum(
      sandbox_bank_transfers.filter(({ provider_id }) => provider_id === provider).map(({ amount }) => amount),
    );
    return booked + made === 0 ? [] : [`the bank has transferred ${made}, and the ledger has ${-booked}`];
  });
}

function clinicsAreOwedWhatWasPaid(facts: Facts): string[] {
  const { orders, payable_orders, ledger_transfers } = facts;
  const made = itemsMade(facts);
  return orders.flatMap(({ id, state, total, refunded }) => {
    const due = wasPaid(state) ? total - refunded : 0;
    const items = made.filter(({ order_id }) => order_id === id);
    const paidOut = sum(items.map(({ net, fee }) => net + fee));
    const isSettled = payable_orders.some(({ order_id, moved_at }) => order_id === id && moved_at === null);
    const held = balanceOf(
      ledger_transfers.filter(({ order_id }) => order_id === id),
      "order",
    );
    const wrong: string[] = [];
    if (isSettled && paidOut !== due) wrong.push(`${paidOut} of order ${id} were paid out, and ${due} are due`);
    if (-held !== due - paidOut) wrong.push(`the ledger holds ${-held} for order ${id}, and ${due - paidOut} are left`);
    return wrong;
  });
}

/** The items of clinics' payouts, without those of payouts that the bank refused. */
function itemsMade({ payouts, payout_items }: Facts): Facts["payout_items"] {
  const made = payouts.filter(
    ({ state, provider_id, payee_id }) => state !== "refused" && payee_id !== lenderOf(provider_id).id,
  );
  const ids = new Set(made.map(({ id }) => id));
  return payout_items.filter(({ payout_id }) => ids.has(payout_id));
}

/**
 * By the bank's own list: the amount paid to a payee, plus the amount carried over to its next payout, equals its
 * orders' amounts less the agreed fee. Nothing payable is left over, since every payee has an account by now.
 */
function payeesArePaidWhatTheyAreOwed(facts: Facts): string[] {
  const { orders, payable_orders, payouts, ledger_transfers, sandbox_bank_transfers } = facts;
  const payees = new Set(payable_orders.map(({ payee_id }) => payee_id));
  return [...payees].flatMap((payee) => {
    const theirs = payable_orders.filter(({ payee_id }) => payee_id === payee);
    const earned = sum(
      theirs.map(({ order_id, fee_basis_points }) => {
        const order = orders.find(({ id }) => id === order_id);
        const due = order === undefined ? 0 : order.total - order.refunded;
        return due - Math.floor((due * fee_basis_points + 5_000) / 10_000);
      }),
    );
    const ids = payouts.filter(({ payee_id }) => payee_id === payee).map(({ id }) => id);
    const got = sum(
      sandbox_bank_transfers
        .filter(({ idempotency_key }) => ids.some((id) => idempotency_key.includes(id)))
        .map(({ amount }) => amount),
    );
    const owed = -balanceOf(
      ledger_transfers.filter(({ order_id }) => theirs.some((one) => one.order_id === order_id)),
      "order",
    );
    const wrong: string[] = [];
    if (earned > got) wrong.push(`payee ${payee} has earned ${earned}, and got ${got}`);
    // An amount overpaid because of a later refund is carried over, in the books too.
    if (earned < got !== owed < 0) wrong.push(`payee ${payee} has earned ${earned}, got ${got}, and is owed ${owed}`);
    return wrong;
  });
}

/**
 * A payout goes to the payee's account, or to the sandbox's default if the payee has none. Payouts to lenders have a
 * separate rule.
 */
function aPayoutGoesToItsPayee({ payouts, payable_orders, orders, centers, sandbox_bank_transfers }: Facts): string[] {
  const misdirected = sandbox_bank_transfers.flatMap(({ idempotency_key, account_ending }) => {
    if (account_ending === LENDER_ENDING) return [];
    const payout = payouts.find(({ id }) => idempotency_key.includes(id));
    const center = centers.find(({ id }) => id === payout?.payee_id);
    const begins = center?.name.replace("Centro ", "") ?? null;
    const isTheirs = account_ending === DEFAULT_ENDING || (begins !== null && account_ending.startsWith(begins));
    return isTheirs ? [] : [`a payout for ${payout?.payee_id ?? "nobody"} went to an account of somebody else`];
  });
  const misplaced = payable_orders.flatMap(({ order_id, payee_id }) => {
    const order = orders.find(({ id }) => id === order_id);
    const payee = order?.center_id ?? order?.provider_id;
    return payee === payee_id ? [] : [`order ${order_id} is owed to ${payee_id}, and is of ${payee ?? "nobody"}`];
  });
  return [...misdirected, ...misplaced];
}

const DEFAULT_ENDING = SANDBOX_BANK_ACCOUNT.account_number.slice(-4);

/** In total, by the bank's list and the processor's: the lost part of chargebacks has left the account. */
function theProcessorsAccountIsWhatItHolds({ ledger_transfers, chargebacks, sandbox_movements }: Facts): string[] {
  const providers = new Set(sandbox_movements.map(({ provider_id }) => provider_id));
  return [...providers].flatMap((provider) => {
    const booked = balanceOf(
      ledger_transfers.filter(({ provider_id }) => provider_id === provider),
      "card_processor",
    );
    const lost = new Set(chargebacks.filter(({ lost_at }) => lost_at !== null).map(({ id }) => id));
    const held = sum(
      sandbox_movements
        .filter(({ provider_id }) => provider_id === provider)
        .map(({ id, kind, amount }) => (kind === "charge" ? amount : kind === "return" || lost.has(id) ? -amount : 0)),
    );
    return booked === held ? [] : [`the processor holds ${held} for ${provider}, and the ledger has ${booked}`];
  });
}

function collectionsHaveEnded({ orders, collections }: Facts): string[] {
  const paid = orders.filter(({ state }) => wasPaid(state));
  return [
    ...paid
      .filter(({ id, deferred_part }) => deferred_part > 0 && !collections.some(({ order_id }) => order_id === id))
      .map(({ id }) => `order ${id} was paid and has no collection`),
    ...collections
      .filter(({ state }) => state === "scheduled" || state === "processing")
      .map(({ order_id, state }) => `the collection of ${order_id} is still ${state}`),
  ];
}

/** By the lender's own list: the last report of a loan states how the loan ended. */
function theLenderHasHeardOfEachEnd({ orders, collections, sandbox_loans }: Facts): string[] {
  return collections.flatMap(({ order_id, state, failure }) => {
    const order = orders.find(({ id }) => id === order_id);
    const reported = sandbox_loans.find((loan) => loan.order_hash === order_id && loan.reported_end !== null);
    const failed = failure === "written_off" ? "written_off" : "in_arrears";
    const end = { collected: "collected", cancelled: "refunded", failed }[state];
    // A collection stopped by a chargeback has not ended, and the lender still has the earlier report.
    if (order === undefined || end === undefined) return [];
    const { deferred_collected, deferred_cancelled } = order;
    const amount = { collected: deferred_collected, refunded: deferred_cancelled }[end] ?? reported?.reported_amount;
    return reported?.reported_end === end && reported.reported_amount === amount
      ? []
      : [`the loan of ${order_id} is ${end} (${amount}), and its lender knows ${reported?.reported_end ?? "nothing"}`];
  });
}

/** A webhook reached every receiver that was up; one that was given up had all its attempts. */
function everyPaymentIsHeardOf({ orders, webhook_deliveries, all_webhook_attempts, received }: Facts): string[] {
  return orders
    .filter(({ state }) => wasPaid(state))
    .flatMap(({ id }) => {
      const [delivery] = webhook_deliveries.filter(({ order_id, kind }) => order_id === id && kind === "order.paid");
      if (delivery === undefined) return [`nobody is to be told that order ${id} is paid`];
      const accepted = received.some(({ eventId, mode }) => eventId === delivery.webhook_id && mode === "up");
      if (delivery.status === "delivered") return accepted ? [] : [`order ${id} counts as told, and nobody heard it`];
      const failures = all_webhook_attempts.filter(
        ({ delivery_id, round, outcome }) =>
          delivery_id === delivery.id && round === delivery.round && outcome === "failed",
      );
      const isGivenUp = delivery.status === "exhausted" && failures.length === ATTEMPTS;
      return isGivenUp ? [] : [`that order ${id} is paid is ${delivery.status} after ${failures.length} failures`];
    });
}

/** The number of attempts of a webhook. */
const ATTEMPTS = 6;

function claimsAreFiled({ orders, expenses, expense_files, claims, sandbox_claims, beneficiaries }: Facts): string[] {
  // A claim of an order that was refunded in full before the filing is not filed, so such orders are skipped.
  return orders
    .filter(({ state }) => wasPaid(state) && state !== "refunded")
    .flatMap(({ id, provider_id, customer_rut }) => {
      const expense = expenses.find(({ order_id }) => order_id === id);
      if (expense === undefined) return [];
      const claim = claims.find(({ order_id }) => order_id === id);
      if (claim === undefined) {
        // A receipt that was erased before the payment is awaited again.
        const isWaitedFor = expense.status === "held" && !expense_files.some((file) => file.expense_id === expense.id);
        // No claim is filed for a patient without a proven registration at the clinic.
        const isProven = beneficiaries.some(
          ({ tenant, rut, is_proven }) => is_proven && rut === customer_rut && tenant === provider_id,
        );
        return isWaitedFor || !isProven ? [] : [`order ${id} is paid and has its receipt, and there is no claim`];
      }
      if (claim.state === "ready" || claim.state === "filing") return [`the claim of ${id} is still ${claim.state}`];
      const isFiled = claim.state === "filed" || claim.state === "approved" || claim.state === "rejected";
      const atInsurer = sandbox_claims.filter(({ order_hash }) => order_hash === id).length;
      return isFiled && atInsurer !== 1
        ? [`the claim of ${id} is ${claim.state}, and the insurer has ${atInsurer}`]
        : [];
    });
}
