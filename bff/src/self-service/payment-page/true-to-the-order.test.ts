import fc from "fast-check";
import { expect, it } from "vitest";
import { exampleOrder, examplePayment } from "../../../sandbox/gallery/document-examples.ts";
import { figuresOf, type RandomOrder, randomOrders } from "../../../test/order-facts.ts";
import type { FilingRead } from "../../claims/claim-reads.ts";
import type { CollectionRecord, TriggerReason } from "../../collection/collection.ts";
import type { ChargeFacts } from "../../collection/upcoming-charge.ts";
import { clp } from "../../contract/vocabulary/clp.ts";
import type { OrderRecord, PaymentRecord, RefundRecord } from "../../orders/order-record.ts";
import { santiagoMoment } from "../../platform/santiago-time.ts";
import { paymentParts } from "./payment-parts.ts";

/*
 * Payment pages of random orders: the page shows each amount, day and cause of the order, and no others. The figures
 * are computed by the rules of the interface, not by the service.
 */

/** 21 courses: more than 10,000 pages. */
const RUNS_EACH = 500;
const REASONS = ["approved", "access_blocked", "day_45", "paid_early"] as const satisfies readonly TriggerReason[];

type Figures = ReturnType<typeof figuresOf>;

interface Given {
  readonly random: RandomOrder;
  readonly choice: number;
  readonly figures: Figures;
  readonly order: OrderRecord;
  readonly collection: CollectionRecord;
}

interface Course {
  readonly order?: Partial<OrderRecord>;
  readonly collection?: Partial<CollectionRecord>;
  readonly facts?: Partial<ChargeFacts>;
  /** Amounts and moments that this course adds to the page. */
  readonly amounts?: readonly number[];
  readonly days?: readonly string[];
  readonly expected: object;
  /** What the patient has paid and still has to pay in the end; null while the bank holds some of it. */
  readonly cost: number | null;
}

const at = (day: string, hour = 12) => santiagoMoment(day, hour);
const reasonOf = (choice: number): TriggerReason => REASONS[choice % REASONS.length] ?? "approved";
const trigger = ({ choice, figures }: Given) => ({
  reason: reasonOf(choice),
  at: at(figures.charged),
  evidence: {},
});

/** The second charge, as the card processor captured it. */
function captured({ figures, random }: Given): PaymentRecord {
  return {
    ...examplePayment,
    id: "second",
    kind: "deferred",
    amount: clp(figures.leftCharge),
    commission: clp(figures.commissionLeft),
    card: { ...examplePayment.card, last4: random.cardEnding },
    createdAt: at(figures.charged, 10),
  };
}

const isNothingLeft = ({ figures }: Given) => figures.leftCharge === 0;
const left = ({ figures: { leftCharge: amount, commissionLeft: commission } }: Given) => ({ amount, commission });
const owed = ({ figures: { first, leftCharge } }: Given) => first + leftCharge;
const upcoming = (given: Given, status: string, day: string | null, reason: TriggerReason | null) => ({
  ...left(given),
  status,
  day,
  reason,
});

const COURSES: Readonly<Record<string, (given: Given) => Course>> = {
  by_day(given) {
    const { latest } = given.figures;
    const second_charge = { status: "pending", upcoming: upcoming(given, "by_day", latest, null), held_by: null };
    return { days: [latest], expected: { second_charge }, cost: owed(given) };
  },
  claim_ended(given) {
    const { latest } = given.figures;
    const second_charge = { upcoming: upcoming(given, "on_day", latest, null), held_by: null };
    return { facts: { isClaimEnded: true }, days: [latest], expected: { second_charge }, cost: owed(given) };
  },
  announced(given) {
    const { charged, leftCharge } = given.figures;
    const reason = reasonOf(given.choice);
    const announcement = { chargeAt: at(charged, 10), amount: clp(leftCharge), by: null, notifiedAt: at(charged, 9) };
    return {
      collection: { trigger: { ...trigger(given), at: at(given.random.paidOn) }, announcement },
      days: [charged],
      expected: { second_charge: { status: "pending", upcoming: upcoming(given, "on_day", charged, reason) } },
      cost: owed(given),
    };
  },
  in_flight(given) {
    const reason = reasonOf(given.choice);
    return {
      order: { payments: [...given.order.payments, { ...captured(given), status: "processing" }] },
      collection: { trigger: trigger(given) },
      expected: { second_charge: { status: "pending", upcoming: upcoming(given, "in_flight", null, reason) } },
      cost: owed(given),
    };
  },
  collected(given) {
    const { charged, leftCharge: amount, commissionLeft: commission } = given.figures;
    const reason = reasonOf(given.choice);
    return {
      order: { payments: [...given.order.payments, captured(given)], deferredCollected: collectable(given) },
      collection: { state: "collected", trigger: trigger(given) },
      days: [at(charged, 10).toISOString()],
      expected: {
        paid: [
          { kind: "first" },
          { kind: "deferred", amount, commission, returned_amount: 0, card: { last4: given.random.cardEnding } },
        ],
        second_charge: { status: "collected", upcoming: { status: "none", amount: 0, reason } },
      },
      cost: owed(given),
    };
  },
  paid_otherwise(given) {
    const { charged, leftCharge: amount, commissionLeft: commission } = given.figures;
    const none = { returnAccepted: clp(0), commissionReturnAccepted: clp(0) };
    const paidOtherwise = {
      ...none,
      id: "p",
      amount: clp(amount),
      commission: clp(commission),
      createdAt: at(charged),
    };
    return {
      order: { paidOtherwise, deferredCollected: collectable(given) },
      collection: { state: "collected" },
      days: [at(charged).toISOString()],
      expected: {
        paid: [{ kind: "first" }, { kind: "deferred", amount, commission, card: null, authorization_code: null }],
        second_charge: { status: "paid_otherwise", upcoming: { status: "none", amount: 0 } },
      },
      cost: owed(given),
    };
  },
  written_off(given) {
    return {
      order: { deferredWrittenOffAt: at(given.figures.charged) },
      collection: { state: "failed", failure: "written_off" },
      expected: { second_charge: { status: "written_off", upcoming: { status: "none", amount: 0, commission: 0 } } },
      cost: given.figures.first,
    };
  },
  declined_for_good(given) {
    const { charged, leftCharge } = given.figures;
    const declined = { ...captured(given), status: "declined" as const, declineReason: "card_stolen" as never };
    const reason = reasonOf(given.choice);
    return {
      order: { payments: [...given.order.payments, declined], card: captured(given).card },
      collection: { state: "failed", failure: "hard_decline", trigger: trigger(given), revokedCardId: "card_1" },
      days: [at(charged, 10).toISOString()],
      expected: {
        second_charge: {
          status: "pending",
          upcoming: upcoming(given, "card_needed", null, reason),
          declined: { amount: leftCharge, reason: "card_stolen", card: { last4: given.random.cardEnding } },
        },
      },
      cost: owed(given),
    };
  },
  chargeback(given) {
    const { first } = given.figures;
    const [paid = examplePayment] = given.order.payments;
    return {
      order: { payments: [{ ...paid, disputed: clp(first) }] },
      facts: { isDisputed: true },
      expected: {
        paid: [{ disputed_amount: first }],
        second_charge: { upcoming: upcoming(given, "on_hold", null, null), held_by: "chargeback" },
      },
      cost: null,
    };
  },
  chargeback_lost(given) {
    const { first, latest } = given.figures;
    const [paid = examplePayment] = given.order.payments;
    return {
      order: { payments: [{ ...paid, disputed: clp(first), lost: clp(first) }] },
      days: [latest],
      expected: {
        paid: [{ disputed_amount: first, lost_amount: first }],
        second_charge: { upcoming: upcoming(given, "by_day", latest, null), held_by: null },
      },
      cost: owed(given) - first,
    };
  },
  mandate_revoked(given) {
    const { latest } = given.figures;
    return {
      days: [latest],
      collection: { revokedCardId: given.order.card?.id ?? null },
      expected: {
        second_charge: { upcoming: upcoming(given, "card_needed", latest, null), held_by: "mandate_revoked" },
      },
      cost: owed(given),
    };
  },
  returned_by_transfer(given) {
    const { charged, leftCharge, commissionLeft } = given.figures;
    const price = Math.floor((leftCharge - commissionLeft) / 2);
    const second = { ...captured(given), returnAccepted: clp(price) };
    const isTransferred = given.choice % 2 === 0;
    const refund = refundOf(price, { kind: "bank_transfer", paymentId: second.id }, 0, isTransferred);
    return {
      order: {
        payments: [...given.order.payments, second],
        deferredCollected: collectable(given),
        refunds: [...given.order.refunds, { ...refund, createdAt: at(charged, 18) }],
      },
      collection: { state: "collected", trigger: trigger(given) },
      amounts: [price],
      days: [at(charged, 10), at(charged, 18)].map((moment) => moment.toISOString()),
      expected: {
        paid: [{ returned_amount: 0 }, { amount: leftCharge, returned_amount: 0 }],
        refunds: [
          ...given.order.refunds.map(() => ({ by_transfer: 0 })),
          { amount: price, by_transfer: price, transferred: isTransferred ? price : 0 },
        ],
      },
      cost: owed(given) - price,
    };
  },
  refunded_whole(given) {
    const { first, charged, leftCharge, commissionLeft } = given.figures;
    const [paid = examplePayment] = given.order.payments;
    const price = leftCharge - commissionLeft;
    const off = refundOf(price, { kind: "loan_reduction", paymentId: null }, commissionLeft);
    const back = refundOf(first, { kind: "card_return", paymentId: paid.id });
    const whole = { ...off, amount: clp(price + first), movements: [...off.movements, ...back.movements] };
    return {
      order: {
        state: "refunded",
        payments: [{ ...paid, returned: clp(first), returnAccepted: clp(first) }],
        refundAccepted: given.order.total,
        refunded: given.order.total,
        deferredCancelled: given.order.deferred,
        refunds: [...given.order.refunds, { ...whole, createdAt: at(charged, 18) }],
      },
      collection: { state: "cancelled" },
      amounts: [price + first],
      days: [at(charged, 18).toISOString()],
      expected: {
        paid: [{ amount: first, returned_amount: first }],
        refunds: [
          ...given.order.refunds.map(() => ({ to_cards: 0 })),
          { amount: price + first, off_second_charge: leftCharge, to_cards: first },
        ],
        second_charge: { status: "cancelled", upcoming: { status: "none", amount: 0, commission: 0 } },
      },
      cost: 0,
    };
  },
  data_blocked(given) {
    const second_charge = { upcoming: upcoming(given, "on_hold", null, null), held_by: "data_blocked" };
    return { facts: { isBlocked: true }, expected: { second_charge }, cost: owed(given) };
  },
  returned_to_card(given) {
    const { charged, leftCharge, commissionLeft } = given.figures;
    const price = Math.floor((leftCharge - commissionLeft) / 2);
    const second = { ...captured(given), returned: clp(price), returnAccepted: clp(price) };
    const refund = refundOf(price, { kind: "card_return", paymentId: second.id });
    return {
      order: {
        payments: [...given.order.payments, second],
        deferredCollected: collectable(given),
        refunds: [...given.order.refunds, { ...refund, createdAt: at(charged, 18) }],
      },
      collection: { state: "collected", trigger: trigger(given) },
      amounts: [price],
      days: [at(charged, 10), at(charged, 18)].map((moment) => moment.toISOString()),
      expected: {
        paid: [{ returned_amount: 0 }, { amount: leftCharge, returned_amount: price }],
        second_charge: { status: "collected", upcoming: { status: "none" } },
      },
      cost: owed(given) - price,
    };
  },
};

const collectable = ({ figures, order }: Given) => clp(order.deferred - figures.refund);

function refundOf(
  amount: number,
  movement:
    | { readonly kind: "loan_reduction"; readonly paymentId: null }
    | { readonly kind: "card_return" | "bank_transfer"; readonly paymentId: string },
  commission = 0,
  isTransferred = false,
): RefundRecord {
  const kept = { id: "m", status: "done", isTaken: true, refusal: null, isTransferred } as const;
  return {
    ...{ id: "r", amount: clp(amount), wholeRest: false, status: "succeeded", allocated: true, reason: null },
    ...{ refundReference: null, keyHash: null, createdAt: new Date(0) },
    movements: [{ ...movement, ...kept, amount: clp(amount), commission: clp(commission) }],
  };
}

/** A paid order, of which a part may have been refunded before its second charge. */
function givenOf(random: RandomOrder, choice: number): Given {
  const figures = figuresOf(random);
  const paidAt = at(random.paidOn);
  const card = { ...examplePayment.card, last4: random.cardEnding };
  const first = {
    ...examplePayment,
    amount: clp(figures.first),
    card,
    voucher: { authorisationCode: random.code },
    createdAt: paidAt,
  };
  const refund = refundOf(figures.refund, { kind: "loan_reduction", paymentId: null }, figures.offCommission);
  const order: OrderRecord = {
    ...exampleOrder,
    state: figures.refund === 0 ? "paid" : "partially_refunded",
    total: clp(random.total),
    first: clp(figures.first),
    deferred: clp(random.total - figures.first),
    commissionBasisPoints: random.basisPoints,
    paidAt,
    card,
    payments: [first],
    refundAccepted: clp(figures.refund),
    refunded: clp(figures.refund),
    deferredCancelled: clp(figures.refund),
    refunds: figures.refund === 0 ? [] : [{ ...refund, createdAt: paidAt }],
  };
  const collection: CollectionRecord = {
    ...{ providerId: order.providerId, orderId: order.orderId, state: "scheduled", paidAt, dueAt: null, card: null },
    ...{ cardAuthenticationId: null, cardNetworkTransactionId: null, cardGivenAt: null, seriesFrom: null },
    ...{
      failure: null,
      announcement: null,
      blockedAnnouncement: null,
      revokedCardId: null,
      revokedAt: null,
      trigger: null,
      attempts: [],
    },
  };
  return { random, choice, figures, order, collection };
}

/** The claim of the order: approved with a reimbursement, or still unanswered. */
function filingOf({ random, figures }: Given, isApproved: boolean): FilingRead {
  const state = isApproved ? "approved" : "filed";
  const answeredAt = at(figures.charged, 8);
  return {
    facts: {
      ...{ order: "paid", expense: "filed", documents: [], rejectionCode: null, hasAccess: true, isWithdrawn: false },
      claim: { state, wasFiled: true, isBlocked: false },
    },
    patient: { insurer: random.insurer },
    expense: null,
    claim: {
      ...{ state, reason: null, filedAt: at(random.paidOn, 13), blockedSince: null, updatedAt: answeredAt },
      reimbursed: clp(figures.reimbursed),
    },
  } as unknown as FilingRead;
}

const MOMENT = /^\d{4}-\d\d-\d\d(T[\d:.]+Z)?$/;

/** The amounts and the days on a page, under any name. */
function namedIn(value: unknown): { readonly amounts: number[]; readonly days: string[] } {
  if (typeof value === "number") return { amounts: [value], days: [] };
  if (typeof value === "string") return { amounts: [], days: MOMENT.test(value) ? [value] : [] };
  const parts = typeof value === "object" && value !== null ? Object.values(value).map(namedIn) : [];
  return { amounts: parts.flatMap(({ amounts }) => amounts), days: parts.flatMap(({ days }) => days) };
}

it.each(Object.keys(COURSES))(`${RUNS_EACH} random orders have a payment page true to them: %s`, (name) => {
  fc.assert(
    fc.property(randomOrders, fc.nat({ max: 999 }), (random, choice) => {
      const given = givenOf(random, choice);
      fc.pre(!isNothingLeft(given));
      const { figures } = given;
      const course = COURSES[name]?.(given) ?? expect.unreachable();
      const order = { ...given.order, ...course.order };
      const collection = { ...given.collection, ...course.collection };
      const isApproved = choice % 2 === 0;
      const facts = { collection, order, isDisputed: false, isBlocked: false, isClaimEnded: false, ...course.facts };
      const now = at(random.paidOn, 15);
      const page = paymentParts({ order, charge: facts, filing: filingOf(given, isApproved) }, now);
      expect(page).toMatchObject(course.expected);
      const { first, refund, off, offCommission, leftCharge, commissionLeft, reimbursed } = figures;
      expect(page.paid[0]).toMatchObject({
        amount: first,
        commission: 0,
        at: order.paidAt?.toISOString(),
        authorization_code: random.code,
      });
      if (refund > 0) expect(page.refunds[0]).toMatchObject({ amount: refund, off_second_charge: off, to_cards: 0 });
      const own = course.cost === null ? null : Math.max(0, course.cost - reimbursed);
      expect(page.own_cost).toBe(isApproved && reimbursed > 0 ? own : null);
      expect(page.claim).toMatchObject({
        status: isApproved ? "approved" : "filed",
        insurer: random.insurer,
        reimbursed_amount: isApproved && reimbursed > 0 ? reimbursed : null,
      });
      const { amounts, days } = namedIn(page);
      const real = [0, first, refund, off, offCommission, leftCharge, commissionLeft, reimbursed, own ?? 0];
      expect(amounts.filter((amount) => !real.includes(amount) && !course.amounts?.includes(amount))).toEqual([]);
      const announced = [order.paidAt, at(random.paidOn, 13), at(figures.charged, 8)].map((moment) =>
        moment?.toISOString(),
      );
      expect(days.filter((day) => !announced.includes(day) && !course.days?.includes(day))).toEqual([]);
    }),
    { numRuns: RUNS_EACH },
  );
});

/** Each state of a claim that is not approved, with the facts that the service keeps of it. */
const CLAIMS = {
  rejected: { state: "rejected", reason: "No cubre.", since: "answered" },
  held: { state: "held", documents: ["medical_order"], since: "answered" },
  access_missing: { state: "access_missing", since: "answered" },
  access_blocked: { state: "filed", isBlocked: true, since: "blocked" },
  stopped: { state: "filed", isWithdrawn: true, since: "answered" },
  waiting_for_receipt: { state: null, since: "paid" },
} as const satisfies Readonly<Record<string, object>>;

it.each(Object.entries(CLAIMS))(
  `${RUNS_EACH} random orders have a claim true to them on their page: %s`,
  (status, kept) => {
    fc.assert(
      fc.property(randomOrders, fc.nat({ max: 999 }), (random, choice) => {
        const given = givenOf(random, choice);
        fc.pre(!isNothingLeft(given));
        const { order, figures } = given;
        const { state, since, ...facts } = {
          reason: null,
          documents: [],
          isBlocked: false,
          isWithdrawn: false,
          ...kept,
        };
        const moments = {
          paid: at(random.paidOn),
          filed: at(random.paidOn, 13),
          blocked: at(figures.charged, 7),
          answered: at(figures.charged, 8),
        };
        const isFiled = state !== null && state !== "access_missing";
        const claim = state && { state, wasFiled: isFiled, isBlocked: facts.isBlocked };
        const filing = {
          facts: {
            ...{ order: "paid", expense: state === null ? null : "filed", documents: facts.documents, hasAccess: true },
            ...{ claim, rejectionCode: null, isWithdrawn: facts.isWithdrawn },
          },
          patient: { insurer: random.insurer },
          expense: null,
          claim: state && {
            ...{
              state,
              reason: facts.reason,
              filedAt: isFiled ? moments.filed : null,
              reimbursed: clp(figures.reimbursed),
            },
            ...{ blockedSince: facts.isBlocked ? moments.blocked : null, updatedAt: moments.answered },
          },
        } as unknown as FilingRead;
        const chargeAt = at(figures.charged, 10);
        const blockedAnnouncement = {
          chargeAt,
          amount: clp(figures.leftCharge),
          by: null,
          notifiedAt: moments.blocked,
        };
        const collection = { ...given.collection, blockedAnnouncement };
        const charge = { collection, order, isDisputed: false, isBlocked: false, isClaimEnded: false };
        const page = paymentParts({ order, charge, filing }, at(random.paidOn, 15));
        expect(page.claim).toEqual({
          status,
          since: moments[since].toISOString(),
          filed_at: isFiled ? moments.filed.toISOString() : null,
          insurer: random.insurer,
          missing_document_types: facts.documents,
          reason: facts.reason,
          charged_on_if_blocked: status === "access_blocked" ? figures.charged : null,
          reimbursed_amount: null,
        });
        expect(page.own_cost).toBeNull();
      }),
      { numRuns: RUNS_EACH },
    );
  },
);
