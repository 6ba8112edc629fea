/*
 * The model's steps again, as a pure function that decides whether one transaction may take an order from one moment to
 * the next. It shares no code with the product, so that it can judge it. `order-path.test.ts` shows that each step of
 * the Quint model is accepted, and that changed steps are not.
 */

/** An order with its payments, refunds and collection at the end of a transaction. Amounts in pesos. */
export interface Moment {
  readonly order: string;
  readonly total: number;
  readonly deferred: number;
  /** The amounts claimed by refunds, and those moved by them. */
  readonly accepted: number;
  readonly refunded: number;
  /** The parts of the deferred amount that cannot be collected, and that are or are being collected. */
  readonly cancelled: number;
  readonly collected: number;
  readonly paidEvents: number;
  readonly attempts: readonly Attempt[];
  readonly refunds: readonly Refund[];
  readonly collection: Collection | null;
  readonly charges: readonly Charge[];
  /** Chargebacks that are known, and those that wait for an operator. */
  readonly disputes: number;
  readonly openDisputes: number;
}

interface Attempt {
  readonly state: string;
  readonly ending: string;
  /** The state of the card payment in the first payment. */
  readonly payment: string;
}

interface Refund {
  readonly amount: number;
  readonly status: string;
  readonly allocated: boolean;
  readonly movements: readonly Movement[];
}

interface Movement {
  readonly kind: string;
  readonly amount: number;
  readonly commission: number;
  readonly status: string;
}

interface Collection {
  readonly state: string;
  readonly failure: string;
  readonly trigger: string;
}

interface Charge {
  readonly status: string;
  readonly price: number;
  readonly commission: number;
}

type Part = keyof Moment;
type Rule = (before: Moment, after: Moment) => boolean;

/** The initial state of an order. */
export function isBeginning(moment: Moment): boolean {
  const { total, deferred } = moment;
  const nothing = { accepted: 0, refunded: 0, cancelled: 0, collected: 0, paidEvents: 0, disputes: 0, openDisputes: 0 };
  const empty = { attempts: [], refunds: [], collection: null, charges: [] };
  return isOnly({ order: "awaiting_payment", total, deferred, ...nothing, ...empty }, {}, moment);
}

/** The name of a step that leads from one moment to the next, or null. */
export function stepBetween(before: Moment, after: Moment): string | null {
  const found = Object.entries(RULES).find(([, rule]) => rule(before, after));
  return found === undefined ? null : found[0];
}

const RULES: Readonly<Record<string, Rule>> = {
  nothing_changes: (before, after) => isOnly(before, {}, after),
  payment_begins: begins,
  payment_goes_on: goesOn,
  order_ends_unpaid: endsUnpaid,
  refund_is_accepted: refundIsAccepted,
  refund_moves: refundMoves,
  refund_ends: refundEnds,
  waiting_refunds_are_allocated: (before, after) => isOnly(before, allocating(before, after), after),
  collection_starts: collectionStarts,
  collection_is_due: collectionIsDue,
  charge_begins: chargeBegins,
  charge_is_captured: chargeIsCaptured,
  charge_takes_nothing: chargeTakesNothing,
  collection_waits_elsewhere: collectionChanges,
  chargeback_is_noted: chargebackIsNoted,
  chargebacks_are_released: chargebacksAreReleased,
  paid_otherwise: paidOtherwise,
};

// ------------------------------------------------------------------ payment

const ENDED = ["succeeded", "declined", "failed"];

function begins(before: Moment, after: Moment): boolean {
  const [attempt] = after.attempts.slice(before.attempts.length);
  if (before.order !== "awaiting_payment" || attempt === undefined) return false;
  if (!["authorising_loan", "authenticating"].includes(attempt.state)) return false;
  if (!before.attempts.every(({ state }) => state === "declined")) return false;
  const begun: Attempt = { state: attempt.state, ending: "", payment: "processing" };
  return isOnly(before, { order: "paying", attempts: [...before.attempts, begun] }, after);
}

/** The next states of an attempt. Its outcome is decided before it is undone. */
const ATTEMPT_STEPS: Readonly<Record<string, readonly string[]>> = {
  authorising_loan: ["loan_under_review", "authenticating", "confirming_loan", "returning_charge", "failed"],
  loan_under_review: ["authenticating", "confirming_loan", "returning_charge", "failed"],
  authenticating: ["challenged", "capturing", "cancelling_loan", "declined"],
  challenged: ["capturing", "cancelling_loan", "declined"],
  capturing: ["confirming_loan", "authorising_loan", "cancelling_loan", "declined"],
  confirming_loan: ["succeeded", "returning_charge"],
  cancelling_loan: ["declined", "failed"],
  returning_charge: ["declined", "failed"],
};

const ENDINGS: Readonly<Record<string, readonly string[]>> = {
  cancelling_loan: ["declined"],
  returning_charge: ["failed"],
  declined: ["declined"],
  failed: ["failed"],
};

function goesOn(before: Moment, after: Moment): boolean {
  const from = before.attempts.at(-1);
  const to = after.attempts.at(-1);
  if (from === undefined || to === undefined || !ATTEMPT_STEPS[from.state]?.includes(to.state)) return false;
  if (from.ending === "" ? !(ENDINGS[to.state] ?? [""]).includes(to.ending) : to.ending !== from.ending) return false;
  const isTaken = from.state === "capturing" && ["confirming_loan", "authorising_loan"].includes(to.state);
  if (to.payment !== paymentAfter(from, to, isTaken)) return false;
  const isPaid = to.state === "succeeded";
  const order = isTaken && to.state === "authorising_loan" ? "first_captured" : orderAfter(before.order, to.state);
  const attempts = [...before.attempts.slice(0, -1), to];
  return isOnly(before, { order, attempts, paidEvents: before.paidEvents + (isPaid ? 1 : 0) }, after);
}

function paymentAfter(from: Attempt, to: Attempt, isTaken: boolean): string {
  if (isTaken) return "captured";
  if (from.state === "returning_charge") return to.payment === "captured" ? "captured" : "undone";
  return from.payment === "processing" && ["declined", "failed"].includes(to.state) ? to.state : from.payment;
}

function orderAfter(order: string, attempt: string): string {
  if (!ENDED.includes(attempt)) return order;
  if (attempt === "succeeded") return "paid";
  if (attempt === "declined") return "awaiting_payment";
  return order === "first_captured" ? "credit_refused" : "payment_failed";
}

function endsUnpaid(before: Moment, after: Moment): boolean {
  if (!["awaiting_payment", "payment_failed"].includes(before.order)) return false;
  return ["cancelled", "expired"].some((order) => isOnly(before, { order }, after));
}

// ------------------------------------------------------------------ refunds

function isRefundable(order: string): boolean {
  return order === "paid" || order === "partially_refunded";
}

function refundIsAccepted(before: Moment, after: Moment): boolean {
  const [refund] = after.refunds.slice(before.refunds.length);
  if (refund === undefined || !isRefundable(before.order) || refund.status !== "processing") return false;
  // An amount that the bank has taken back permanently is refunded at any time.
  const isOfLoss = refund.movements.some(({ kind }) => kind === "loss_recovery");
  if ((refund.allocated === isCharging(before) && !isOfLoss) || !isAllocationOf(refund)) return false;
  const accepted = before.accepted + refund.amount;
  const cancelled = before.cancelled + reductionIn(refund.movements);
  if (accepted > before.total || refund.amount < 1) return false;
  return isOnly(before, { accepted, cancelled, refunds: [...before.refunds, refund] }, after) && isCovered(after);
}

/** Movements of a refund that was just allocated; a waiting one has none. */
function isAllocationOf({ allocated, amount, movements }: Refund): boolean {
  if (!allocated) return movements.length === 0;
  const isFresh = movements.every(
    ({ kind, status }) => status === (kind === "loan_reduction" || kind === "card_return" ? "pending" : "done"),
  );
  return isFresh && sumOf(movements) === amount;
}

function refundMoves(before: Moment, after: Moment): boolean {
  return before.refunds.some((refund, at) =>
    refund.movements.some((movement, number) => {
      if (refund.status !== "processing" || movement.status !== "pending") return false;
      return ["done", "refused"].some((status) =>
        isOnly(before, { refunds: replaced(before.refunds, at, withMovement(refund, number, status)) }, after),
      );
    }),
  );
}

function withMovement(refund: Refund, number: number, status: string): Refund {
  return {
    ...refund,
    movements: refund.movements.map((movement, at) => (at === number ? { ...movement, status } : movement)),
  };
}

function refundEnds(before: Moment, after: Moment): boolean {
  return before.refunds.some((refund, at) => {
    const isRefused = refund.movements.some(({ status }) => status === "refused");
    const isThrough = refund.movements.every(({ status }) => status === "done");
    if (refund.status !== "processing" || !refund.allocated || !(isRefused || isThrough)) return false;
    const ended: Refund = {
      ...refund,
      status: isThrough ? "succeeded" : "failed",
      movements: refund.movements.map((one) => (one.status === "pending" ? { ...one, status: "dropped" } : one)),
    };
    const done = sumOf(refund.movements.filter(({ status }) => status === "done"));
    const refunded = before.refunded + done;
    const changes = {
      refunds: replaced(before.refunds, at, ended),
      refunded,
      accepted: before.accepted - (refund.amount - done),
      cancelled: before.cancelled - reductionIn(refund.movements.filter(({ status }) => status !== "done")),
      order: done === 0 ? before.order : refunded === before.total ? "refunded" : "partially_refunded",
    };
    // Only a refund that returned something publishes an event, which ends the collection.
    const collection = done === 0 ? endedIfOver({ ...before, ...changes }) : before.collection;
    return isOnly(before, { ...changes, collection }, after);
  });
}

/** The collection after a review, cancelled if nothing is left to charge. */
function endedIfOver(moment: Moment): Collection | null {
  const { collection } = moment;
  if (collection === null || ["collected", "cancelled"].includes(collection.state) || !isOver(moment))
    return collection;
  return { ...collection, state: "cancelled", failure: "" };
}

/**
 * The outcome of waiting refunds: each is allocated, or fails if no source covers it. Their sums count as far as
 * `before` has them.
 */
function allocating(before: Moment, after: Moment): Pick<Moment, "refunds" | "accepted" | "cancelled"> {
  let { accepted, cancelled } = before;
  const refunds = before.refunds.map((refund, at) => {
    const now = after.refunds[at];
    if (now === undefined || refund.allocated || refund.status !== "processing") return refund;
    if (isEqual(now, { ...refund, status: "failed" })) accepted -= refund.amount;
    else if (!isEqual(now, { ...refund, allocated: true, movements: now.movements }) || !isAllocationOf(now))
      return refund;
    else cancelled += reductionIn(now.movements);
    return now;
  });
  return isCovered({ ...before, accepted, cancelled }) ? { refunds, accepted, cancelled } : before;
}

// ------------------------------------------------------------------ the deferred charge

function isCharging({ charges }: Moment): boolean {
  return charges.some(({ status }) => status === "processing");
}

/** No part of the deferred amount is promised twice. */
function isCovered({ cancelled, collected, deferred }: Moment): boolean {
  return cancelled >= 0 && collected >= 0 && cancelled + collected <= deferred;
}

function isOver({ charges, refunds, ...moment }: Moment): boolean {
  const isUnsettled = [...charges, ...refunds].some(({ status }) => status === "processing");
  return moment.cancelled + moment.collected === moment.deferred && !isUnsettled;
}

function collectionStarts(before: Moment, after: Moment): boolean {
  if (before.collection !== null || before.paidEvents !== 1) return false;
  const states = isOver(before) ? ["cancelled"] : ["scheduled"];
  return states.some((state) => isOnly(before, { collection: { state, failure: "", trigger: "" } }, after));
}

function hasEnded({ state, failure }: Collection): boolean {
  return state === "collected" || state === "cancelled" || failure === "written_off";
}

function collectionIsDue(before: Moment, after: Moment): boolean {
  const { collection } = before;
  if (collection === null || hasEnded(collection) || collection.trigger !== "") return false;
  const trigger = after.collection?.trigger ?? "";
  return trigger !== "" && isOnly(before, { collection: { ...collection, trigger } }, after);
}

function chargeBegins(before: Moment, after: Moment): boolean {
  const { collection } = before;
  const [charge] = after.charges.slice(before.charges.length);
  if (collection === null || charge === undefined || isCharging(before) || before.openDisputes > 0) return false;
  if (hasEnded(collection) || !["scheduled", "failed"].includes(collection.state)) return false;
  if (charge.status !== "processing" || charge.price < 1 || before.order === "refunded") return false;
  if (charge.price !== before.deferred - before.cancelled - before.collected) return false;
  const changes = {
    charges: [...before.charges, charge],
    collected: before.collected + charge.price,
    collection: { ...collection, state: "processing", failure: "" },
  };
  return isOnly(before, changes, after);
}

/** The charge that has just got its outcome, or null. */
function settledCharge(before: Moment, after: Moment): Charge | null {
  const at = before.charges.findIndex(({ status }) => status === "processing");
  return before.collection === null || at < 0 ? null : (after.charges[at] ?? null);
}

function withSettled({ charges }: Moment, status: string): readonly Charge[] {
  return charges.map((charge) => (charge.status === "processing" ? { ...charge, status } : charge));
}

function chargeIsCaptured(before: Moment, after: Moment): boolean {
  if (settledCharge(before, after)?.status !== "captured" || before.collection === null) return false;
  const captured = { ...before, charges: withSettled(before, "captured") };
  const trigger = before.collection.trigger === "" ? "paid_early" : before.collection.trigger;
  const collection = { state: "collected", failure: "", trigger };
  return isOnly(captured, { ...allocating(captured, after), collection }, after);
}

function chargeTakesNothing(before: Moment, after: Moment): boolean {
  const charge = settledCharge(before, after);
  if (charge === null || before.collection === null || !["declined", "failed"].includes(charge.status)) return false;
  const left = {
    ...before,
    charges: withSettled(before, charge.status),
    collected: before.collected - charge.price,
  };
  const allocated = { ...left, ...allocating(left, after) };
  return statesOf(allocated).some(({ state, failure }) => {
    const collection = { ...allocated.collection, trigger: before.collection?.trigger ?? "", state, failure };
    return isOnly(allocated, { collection }, after);
  });
}

/** The possible states of a collection without a running charge. */
function statesOf(moment: Moment): readonly Pick<Collection, "state" | "failure">[] {
  if (moment.openDisputes > 0) return [{ state: "stopped", failure: "chargeback" }];
  if (isOver(moment)) return [{ state: "cancelled", failure: "" }];
  return [
    { state: "scheduled", failure: "" },
    { state: "failed", failure: "hard_decline" },
    { state: "failed", failure: "tries_exhausted" },
    { state: "failed", failure: "mandate_revoked" },
  ];
}

/** A timer or an operator reviews a collection without a charge, or nothing is left to collect. */
function collectionChanges(before: Moment, after: Moment): boolean {
  const { collection } = before;
  if (collection === null || ["collected", "cancelled", "processing"].includes(collection.state)) return false;
  const { state, failure, trigger } = collection;
  const becomes = (next: Pick<Collection, "state" | "failure">) =>
    isOnly(before, { collection: { ...next, trigger } }, after);
  if (isOver(before) && becomes({ state: "cancelled", failure: "" })) return true;
  if (failure === "written_off") return false;
  if (state === "stopped") return false;
  if (state === "failed" && becomes({ state: "failed", failure: "written_off" })) return true;
  // A failed collection is not stopped by a chargeback, and may resume with another card; only its next charge is
  // stopped then.
  const states = [...statesOf(before), ...statesOf({ ...before, openDisputes: 0 })];
  return states.some((next) => next.state !== "cancelled" && becomes(next));
}

function chargebackIsNoted(before: Moment, after: Moment): boolean {
  const more = after.disputes - before.disputes;
  if (more !== 1) return false;
  const isStopped = before.collection?.state === "scheduled";
  const stopped = { ...before.collection, trigger: before.collection?.trigger ?? "" };
  const changes = {
    disputes: before.disputes + 1,
    openDisputes: before.openDisputes + 1,
    collection: isStopped ? { ...stopped, state: "stopped", failure: "chargeback" } : before.collection,
  };
  return isOnly(before, changes, after);
}

/** An operator releases the collection, writes it off, or only acknowledges the chargebacks. */
function chargebacksAreReleased(before: Moment, after: Moment): boolean {
  const { collection } = before;
  if (before.openDisputes === 0) return false;
  const released = { ...before, openDisputes: 0 };
  if (isOnly(released, {}, after)) return collection?.state !== "stopped";
  if (collection === null) return false;
  if (hasEnded(collection) || !["stopped", "failed"].includes(collection.state)) return false;
  const states = [{ state: "failed", failure: "written_off" }];
  if (collection.state === "stopped") states.push(...statesOf(released), { state: "scheduled", failure: "" });
  return states.some((next) => isOnly(released, { collection: { ...next, trigger: collection.trigger } }, after));
}

/** An operator books a payment by another method than card, which ends the collection. */
function paidOtherwise(before: Moment, after: Moment): boolean {
  const { collection } = before;
  if (collection === null || hasEnded(collection) || collection.state === "processing") return false;
  const trigger = collection.trigger === "" ? "paid_early" : collection.trigger;
  const collected = before.deferred - before.cancelled;
  if (collected <= before.collected || after.openDisputes > before.openDisputes) return false;
  const changes = {
    collected,
    openDisputes: after.openDisputes,
    collection: { state: "collected", failure: "", trigger },
  };
  return isOnly(before, changes, after);
}

// ------------------------------------------------------------------ comparing

/** True if `after` is `before` with these changes and no other. */
function isOnly(before: Moment, changes: Partial<Moment>, after: Moment): boolean {
  return PARTS.every((part) => isEqual(part in changes ? changes[part] : before[part], after[part]));
}

const PARTS: readonly Part[] = [
  "order",
  "total",
  "deferred",
  "accepted",
  "refunded",
  "cancelled",
  "collected",
  "paidEvents",
  "attempts",
  "refunds",
  "collection",
  "charges",
  "disputes",
  "openDisputes",
];

function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  return names.every((name) => isEqual(Reflect.get(a, name), Reflect.get(b, name)));
}

function replaced<Value>(list: readonly Value[], at: number, value: Value): readonly Value[] {
  return list.map((one, index) => (index === at ? value : one));
}

function sumOf(movements: readonly Movement[]): number {
  return movements.reduce((total, { amount }) => total + amount, 0);
}

function reductionIn(movements: readonly Movement[]): number {
  return sumOf(movements.filter(({ kind }) => kind === "loan_reduction"));
}
