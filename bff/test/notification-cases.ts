import { type DeclineReason, declineLimitSchema, declineReasonSchema } from "../src/contract/errors.ts";
import { missingDocumentSchema } from "../src/contract/expenses.ts";
import { CLAIMED_WITHIN_DAYS } from "../src/contract/terms.ts";
import { type Clp, clp, formatClp } from "../src/contract/vocabulary/clp.ts";
import type { Rut } from "../src/contract/vocabulary/rut.ts";
import type { NotificationKind, NotificationOf } from "../src/notifications/notification.ts";
import type { Upcoming } from "../src/notifications/notification-definition.ts";
import { addCalendarDays, type CalendarDay } from "../src/platform/santiago-time.ts";
import type { Cause, Label } from "./notification-words.ts";
import { figuresOf, type RandomOrder, UNAPPROVED, upcomingExamples } from "./order-facts.ts";

/*
 * A notification of each kind about a random order, and what it must say. The figures are computed by the rules of the
 * interface, not by the service.
 */

/** An amount after its label. `card`: the last digits that the label names. */
type Labelled = readonly [label: Label, amount: number, card?: string];

export interface Case<Kind extends NotificationKind = NotificationKind> {
  readonly facts: Omit<NotificationOf<Kind>, "kind">;
  /** The amounts of the mail by label. An amount of 0 may be left out. */
  readonly rows?: readonly Labelled[];
  /** The amounts in sentences. */
  readonly inSentences?: readonly number[];
  readonly days?: readonly CalendarDay[];
  /** The last digits of the cards that the mail names, except the one of the first payment. */
  readonly cards?: readonly string[];
  readonly authorisationCode?: string;
  /** What the mail and its message say, in the words of `CAUSES`. */
  readonly causes?: readonly Cause[];
  /** What the short message names. */
  readonly message?: {
    readonly amounts?: readonly number[];
    readonly days?: readonly CalendarDay[];
    readonly cards?: readonly string[];
  };
}

type Make<Kind extends NotificationKind> = (order: RandomOrder, choice: number) => Case<Kind>;

const URL_OF_TESTS = "https://widget.example/?widget_token=t&public_key=k";
const ISSUER = { name: "AAPD de Prueba SpA", rut: "76904444-2" as Rut };
const LENDER = "Financiera Andina S.A.";
const NOTHING = { amount: clp(0), commission: clp(0) };

const addressed = ({ clinic }: RandomOrder) => ({ firstName: "Camila", clinic });
/** The card of the second charge, which is another one than that of the first payment. */
export const laterCard = ({ cardEnding }: RandomOrder) => String((Number(cardEnding) + 1) % 10_000).padStart(4, "0");
const pick = <Value>(values: readonly Value[], choice: number) => values[choice % values.length] as Value;
const left = (order: RandomOrder) => {
  const { leftCharge, commissionLeft } = figuresOf(order);
  return { amount: clp(leftCharge), commission: clp(commissionLeft) };
};
const charge = (order: RandomOrder): readonly Labelled[] => {
  const { leftCharge, commissionLeft } = figuresOf(order);
  return [
    ["second_charge", leftCharge],
    ["fee_included", commissionLeft],
  ];
};
/** The same amount, which has another label if the card is never charged for it. */
const rowsOf = (kind: Upcoming["kind"], order: RandomOrder): readonly Labelled[] => {
  const [, ...fee] = charge(order);
  const isLeft = kind === "card_needed" || kind === "owed_on_hold";
  return [[isLeft ? "still_to_pay" : "second_charge", figuresOf(order).leftCharge], ...fee];
};

const RESUMED = ["approved", "access_was_blocked", "latest_day_over"] as const;
const UNDATED = ["in_flight", "on_hold", "owed_on_hold", "card_needed"] as const;
const CAUSES_UNDATED = {
  in_flight: "charge_in_progress",
  on_hold: "charge_on_hold",
  owed_on_hold: "payment_on_hold",
  card_needed: "payment_owed",
} as const;
/** What a mail says of a second charge without a day. */
const causesOf = (kind: keyof typeof CAUSES_UNDATED): readonly Cause[] => [
  CAUSES_UNDATED[kind],
  ...(kind === "card_needed" ? (["how_to_pay"] as const) : []),
];
const REASONS = declineReasonSchema.options;
const LIMITS = declineLimitSchema.options;
const DOCUMENTS = missingDocumentSchema.options.filter((document) => document !== "receipt");
const RIGHTS = ["rectification", "opposition", "blocking", "credit_review"] as const;

export const CASES: { readonly [Kind in NotificationKind]: Make<Kind> } = {
  checkout_link(order) {
    const { first, latest } = figuresOf(order);
    return {
      facts: {
        ...addressed(order),
        total: clp(order.total),
        today: clp(first),
        validUntil: { day: latest, time: "16:04" },
        url: URL_OF_TESTS,
      },
      rows: [
        ["to_pay_today", first],
        ["consultation", order.total],
      ],
      days: [latest],
    };
  },
  payment_receipt(order, choice) {
    const { first, later, commission, vat, latest } = figuresOf(order);
    const isInterest = choice % 2 === 0;
    const isLaterChargeWithdrawn = choice % 3 === 0;
    const fee: readonly Labelled[] = isInterest ? [["interest", commission]] : [["fee", commission]];
    return {
      facts: {
        ...addressed(order),
        total: clp(order.total),
        today: clp(first),
        laterCharge: clp(later),
        commission: clp(commission),
        tax: isInterest ? { regime: "interest" } : { regime: "taxed_service", issuer: ISSUER },
        latestDay: latest,
        isLaterChargeWithdrawn,
        authorisationCode: order.code,
        hasAgreement: true,
        credit: { financingProvider: LENDER, annualCostPercentage: 81.11 },
      },
      rows: [
        ["paid_today", first],
        [isLaterChargeWithdrawn ? "left_to_pay" : "second_charge", later],
        ["price", order.total],
        ...fee,
      ],
      inSentences: isInterest || commission === 0 ? [] : [commission - vat, vat],
      days: [latest],
      authorisationCode: order.code,
      causes: [
        "credit_approved",
        isLaterChargeWithdrawn ? "later_charge_withdrawn" : "later_charge_on_card",
        ...(commission === 0 ? [] : [isInterest ? ("charged_by_lender" as const) : ("charged_by_issuer" as const)]),
      ],
      message: { amounts: [first, later], days: [latest] },
    };
  },
  claim_filed: (order) => ({ facts: { ...addressed(order), insurer: order.insurer } }),
  claim_approved(order, choice) {
    const { first, leftCharge, commissionLeft, reimbursed, charged } = figuresOf(order);
    const isCharged = choice % 4 > 0;
    const all = first + leftCharge;
    const settled = choice % 8 > 0 ? null : choice % 16 > 0 ? all : 0;
    const kind = choice % 8 === 4 ? pick(UNDATED, Math.floor(choice / 8)) : null;
    const isCosted = reimbursed > 0 && (isCharged || settled === all);
    const own = reimbursed <= leftCharge ? leftCharge - reimbursed : Math.max(0, all - reimbursed);
    const isToday = choice % 2 === 0;
    const cardEnding = laterCard(order);
    const money = { amount: clp(leftCharge), commission: clp(commissionLeft), paidBefore: clp(first) };
    return {
      facts: {
        ...addressed(order),
        insurer: order.insurer,
        reimbursed: clp(reimbursed),
        charge: isCharged ? { ...money, cardEnding, day: charged, isToday } : null,
        settled: settled === null ? null : clp(settled),
        undated: kind === null ? null : { kind, ...left(order) },
      },
      rows: [["reimbursement", reimbursed], ...(isCharged ? charge(order) : kind === null ? [] : rowsOf(kind, order))],
      inSentences: [
        ...(isCharged ? [leftCharge] : []),
        ...(isCosted && reimbursed < all ? (isCharged ? [first, own] : [all, all - reimbursed]) : []),
      ],
      days: isCharged ? [charged] : [],
      cards: isCharged ? [cardEnding] : [],
      causes: [
        ...(isCharged ? [isToday ? ("charged_today" as const) : ("charged_on_day" as const)] : []),
        ...(settled === 0 ? (["refunded_in_full"] as const) : []),
        ...(kind === null ? [] : causesOf(kind)),
      ],
      ...(isCharged ? { message: { amounts: [leftCharge], days: [charged], cards: [cardEnding] } } : {}),
    };
  },
  claim_rejected(order, choice) {
    const { latest } = figuresOf(order);
    const kind = pick(["none", "on_day", "by_day", ...UNDATED] as const, choice);
    const facts = { ...addressed(order), insurer: order.insurer, reason: "No cubre." };
    if (kind === "none") return { facts: { ...facts, charge: null } };
    if (kind !== "on_day" && kind !== "by_day")
      return {
        facts: { ...facts, charge: { kind, ...left(order) } },
        rows: rowsOf(kind, order),
        causes: causesOf(kind),
      };
    return {
      facts: { ...facts, charge: { kind, day: latest } },
      days: [latest],
      causes: [kind === "on_day" ? "stays_on_day" : "stays_by_day"],
    };
  },
  claim_unfiled(order, choice) {
    const { latest } = figuresOf(order);
    const claimUntil = addCalendarDays(order.paidOn, CLAIMED_WITHIN_DAYS);
    const lacks = pick(["access", "access_and_receipt", "access_and_document", "receipt", "document"] as const, choice);
    const lacksAccess = lacks.startsWith("access");
    const lacksPaper = lacks.endsWith("receipt") ? "receipt" : lacks.endsWith("document") ? "document" : null;
    const document = pick(DOCUMENTS, choice);
    const isCharged = choice % 3 > 0;
    return {
      facts: {
        ...addressed(order),
        lacksAccess,
        lacksPaper,
        documents: lacksPaper === "document" ? [document] : [],
        accessUrl: lacksAccess && choice % 2 === 0 ? URL_OF_TESTS : null,
        claimUntil,
        chargeDay: isCharged ? latest : null,
      },
      days: [claimUntil, ...(isCharged ? [latest] : [])],
      causes: [
        ...(lacksAccess ? (["lacks_access"] as const) : []),
        ...(lacksPaper === "receipt" ? (["lacks_receipt"] as const) : []),
        ...(lacksPaper === "document" ? (["lacks_document", `lacks_${document}`] as const) : []),
      ],
    };
  },
  access_blocked(order, choice) {
    const { leftCharge, charged } = figuresOf(order);
    const isRefusedAgain = choice % 2 === 0;
    const isCharged = choice % 3 > 0;
    return {
      facts: {
        ...addressed(order),
        insurer: order.insurer,
        accessUrl: null,
        earlyCharge: isCharged ? { day: charged, amount: clp(leftCharge) } : null,
        isRefusedAgain,
      },
      inSentences: isCharged ? [leftCharge] : [],
      days: isCharged ? [charged] : [],
      causes: [isRefusedAgain ? "blocked_again" : "blocked_first"],
      ...(isCharged ? { message: { days: [charged] } } : {}),
    };
  },
  charge_announced(order, choice) {
    const { leftCharge, charged } = figuresOf(order);
    const because = pick([...UNAPPROVED, ...RESUMED], choice);
    const isResumed = RESUMED.some((one) => one === because);
    const isOverdue = choice % 2 === 0;
    const cardEnding = laterCard(order);
    return {
      facts: {
        ...addressed(order),
        ...left(order),
        because,
        isOverdue,
        mayComeEarlier: !isResumed && choice % 3 === 0,
        day: charged,
        cardEnding,
        payUrl: choice % 2 === 0 ? URL_OF_TESTS : null,
      },
      rows: charge(order),
      days: [charged],
      cards: [cardEnding],
      causes: [
        because,
        ...(isResumed ? [] : [isOverdue ? ("time_is_over" as const) : ("time_ends" as const)]),
        ...(!isResumed && choice % 3 === 0 ? (["may_come_earlier"] as const) : []),
      ],
      message: { amounts: [leftCharge], days: [charged], cards: [cardEnding] },
    };
  },
  charged(order) {
    const { leftCharge, charged } = figuresOf(order);
    const cardEnding = laterCard(order);
    return {
      facts: { ...addressed(order), ...left(order), day: charged, cardEnding, authorisationCode: order.code },
      rows: charge(order),
      days: [charged],
      cards: [cardEnding],
      authorisationCode: order.code,
      message: { amounts: [leftCharge], cards: [cardEnding] },
    };
  },
  charge_declined(order, choice) {
    const { leftCharge, charged } = figuresOf(order);
    const day = addCalendarDays(charged, 2);
    const retried = leftCharge + 1;
    const next = pick(
      [
        { kind: "tried_again", day, amount: clp(retried) },
        { kind: "as_before", day },
        { kind: "given_up" },
        { kind: "paused" },
      ] as const,
      choice,
    );
    const reason = pick(REASONS, Math.floor(choice / 4));
    const limit = choice % 5 === 0 ? pick(LIMITS, Math.floor(choice / 5)) : null;
    const cardEnding = laterCard(order);
    const nextDays = "day" in next ? [day] : [];
    return {
      facts: {
        ...addressed(order),
        ...{ amount: clp(leftCharge), day: charged, reason, limit, cardEnding, next },
        cardUrl: choice % 2 === 0 ? URL_OF_TESTS : null,
      },
      rows: [["second_charge", leftCharge]],
      inSentences: next.kind === "tried_again" ? [retried] : [],
      days: [charged, ...nextDays],
      cards: [cardEnding],
      causes: [limit === null ? causeOf(reason) : `limit_${limit}`, `next_${next.kind}`],
      message: { amounts: [leftCharge], days: nextDays, cards: [cardEnding] },
    };
  },
  paid_otherwise(order) {
    const { leftCharge, commissionLeft, charged } = figuresOf(order);
    return {
      facts: { ...addressed(order), ...left(order), day: charged },
      rows: [
        ["received", leftCharge],
        ["fee_included", commissionLeft],
      ],
      days: [charged],
      message: { amounts: [leftCharge] },
    };
  },
  mandate_revoked(order, choice) {
    const { leftCharge, commissionLeft, latest } = figuresOf(order);
    const isDue = choice % 2 === 0;
    const mayComeEarlier = choice % 4 === 1;
    const isOnHold = choice % 12 >= 8;
    const isDayNamed = !isDue && !isOnHold;
    const isRefundFailed = choice % 5 === 0;
    const cardEnding = laterCard(order);
    return {
      facts: {
        ...addressed(order),
        ...left(order),
        ...{ cardEnding, isRefundFailed, isOnHold, latestDay: isDayNamed ? latest : null, mayComeEarlier },
        cardUrl: choice % 3 === 0 && !isOnHold ? URL_OF_TESTS : null,
      },
      rows: [
        ["owed", leftCharge],
        ["fee_included", commissionLeft],
      ],
      days: isDayNamed ? [latest] : [],
      cards: [cardEnding],
      causes: [
        ...(isRefundFailed ? (["refund_failed"] as const) : []),
        ...(isOnHold ? (["owed_on_hold"] as const) : []),
        ...(isDue && !isOnHold ? (["due_now"] as const) : []),
        ...(isDayNamed ? (["due_by_day"] as const) : []),
        ...(isDayNamed && mayComeEarlier ? (["due_by_day_or_earlier"] as const) : []),
      ],
      message: { amounts: [leftCharge], days: isDayNamed ? [latest] : [], cards: [cardEnding] },
    };
  },
  dispute_closed(order, choice) {
    const { first, leftCharge, latest } = figuresOf(order);
    const money = left(order);
    const upcoming = pick(
      [...upcomingExamples(money, latest), { kind: "on_day", day: latest, ...money } as const],
      Math.floor(choice / 2),
    );
    const isNamed = upcoming.kind !== "none" && leftCharge > 0;
    const isLost = choice % 2 === 0;
    return {
      facts: { ...addressed(order), outcome: isLost ? "lost" : "won", amount: clp(first), upcoming },
      rows: [
        [isLost ? "returned_by_bank" : "charge_that_stands", first],
        ...(isNamed ? rowsOf(upcoming.kind, order) : []),
      ],
      days: isNamed && "day" in upcoming ? [latest] : [],
      causes: [
        isLost ? "dispute_lost" : "dispute_won",
        ...(upcoming.kind in CAUSES_UNDATED ? causesOf(upcoming.kind as keyof typeof CAUSES_UNDATED) : []),
      ],
      message: { amounts: [first] },
    };
  },
  refund_transferred(order) {
    const { off: amount, charged: day } = figuresOf(order);
    return {
      facts: { ...addressed(order), amount: clp(amount), day },
      rows: [["transferred", amount]],
      days: [day],
      message: { amounts: [amount] },
    };
  },
  refunded: (order, choice) => (choice % 2 === 0 ? refundOfLaterCharge(order, choice) : refundOfMoney(order, choice)),
  written_off(order) {
    const { leftCharge: amount } = figuresOf(order);
    return {
      facts: { ...addressed(order), amount: clp(amount) },
      rows: [["off", amount]],
      message: { amounts: [amount] },
    };
  },
  charge_returned(order) {
    const { leftCharge: amount, charged: day } = figuresOf(order);
    return {
      facts: { ...addressed(order), amount: clp(amount), day },
      rows: [["back_to_card", amount]],
      days: [day],
      message: { amounts: [amount] },
    };
  },
  tax_document(order, choice) {
    const { commission, vat } = figuresOf(order);
    const isExempt = choice % 2 === 0;
    const document = choice % 3 === 0 ? "credit_note" : "boleta";
    const parts: readonly Labelled[] = [
      ["net", commission - vat],
      ["vat", vat],
    ];
    return {
      facts: {
        ...addressed(order),
        ...{ document, number: "1047", url: "https://documents.example/1047", isExempt, issuer: ISSUER.name },
        amount: clp(commission),
        vat: clp(isExempt ? 0 : vat),
      },
      rows: isExempt ? [["exempt_fee", commission]] : [["fee", commission], ...parts],
      causes: [document === "boleta" ? "boleta_of_paid_fee" : "note_of_returned_fee"],
    };
  },
  payment_link(order, choice) {
    const purpose = choice % 2 === 0 ? "pay_early" : "card_change";
    const cardEnding = choice % 4 === 1 ? null : laterCard(order);
    return {
      facts: { ...addressed(order), ...left(order), purpose, cardEnding, url: URL_OF_TESTS },
      rows: charge(order),
      cards: cardEnding === null ? [] : [cardEnding],
      causes: purpose === "card_change" && cardEnding !== null ? ["card_for_now"] : [],
    };
  },
  access_link: (order) => ({ facts: { ...addressed(order), accessUrl: URL_OF_TESTS } }),
  recovery_code(order, choice) {
    const { leftCharge } = figuresOf(order);
    const { clinic } = order;
    const cardEnding = laterCard(order);
    const total = clp(order.total);
    const due = { amount: clp(leftCharge), cardEnding };
    const use = pick(
      [
        { kind: "confirm_registration", clinic, total },
        { kind: "confirm_registration", clinic, total: null },
        { kind: "move_mailbox", clinic, maskedRut: "40.1•••••-3" },
        { kind: "open_data" },
        { kind: "give_access", clinic },
        { kind: "change_card", clinic },
        { kind: "pay_early", clinic, charge: due },
        { kind: "open_payment", clinic, charge: due },
        { kind: "pay_early", clinic, charge: null },
        { kind: "open_payment", clinic, charge: null },
      ] as const,
      choice,
    );
    const isCharged = "charge" in use && use.charge !== null;
    return {
      facts: { code: order.code, use },
      inSentences: [...("total" in use && use.total !== null ? [order.total] : []), ...(isCharged ? [leftCharge] : [])],
      cards: isCharged ? [cardEnding] : [],
    };
  },
  recognition_code(order, choice) {
    const { first } = figuresOf(order);
    const cardEnding = choice % 2 === 0 ? laterCard(order) : null;
    const cards = cardEnding === null ? [] : [cardEnding];
    return {
      facts: {
        ...{ code: order.code, host: "widget.example", clinic: order.clinic, cardEnding },
        total: clp(order.total),
        today: clp(first),
      },
      rows: [
        ["to_pay_today", first],
        ["consultation", order.total],
      ],
      cards,
      message: { amounts: [first, order.total], cards },
    };
  },
  email_changed: () => ({
    facts: { maskedRut: "40.***.***-3", maskedEmail: "n•••@e•••.org", objectionUrl: URL_OF_TESTS },
  }),
  email_change_undone: () => ({ facts: { maskedRut: "40.***.***-3" } }),
  data_link: () => ({ facts: { dataUrl: URL_OF_TESTS } }),
  data_erased: (_order, choice) => ({ facts: { isWaiting: choice % 2 === 0 } }),
  data_erasure_ended: () => ({ facts: {} }),
  registration_renewed: ({ clinic }, choice) => ({ facts: { clinic, hasNewAccess: choice % 2 === 0 } }),
  rights_requested(order, choice) {
    const { latest } = figuresOf(order);
    const type = pick(RIGHTS, choice);
    return { facts: { firstName: "Camila", type, answerBy: latest }, days: [latest], causes: [`asked_${type}`] };
  },
  rights_answered(_order, choice) {
    const type = pick(RIGHTS, choice);
    const isGranted = Math.floor(choice / 4) % 2 === 0;
    return {
      facts: { firstName: "Camila", type, isGranted, answer: "Lo vimos." },
      causes: [`asked_${type}`, isGranted ? "granted" : "not_granted"],
    };
  },
  card_saved: (order) => ({
    facts: { ...addressed(order), cardEnding: laterCard(order) },
    cards: [laterCard(order)],
  }),
  saved_card_used: (order) => ({
    facts: { ...addressed(order), cardEnding: laterCard(order) },
    cards: [laterCard(order)],
  }),
};

/** A challenge that failed and one that was left are worded alike. */
function causeOf(reason: DeclineReason): Cause {
  return `declined_${reason === "authentication_abandoned" ? "authentication_failed" : reason}`;
}

/** A refund that takes from the charge to come. */
function refundOfLaterCharge(order: RandomOrder, choice: number): Case<"refunded"> {
  const { refund, off, offCommission, leftCharge, commissionLeft, latest } = figuresOf(order);
  const money = left(order);
  const upcoming = pick(
    [...upcomingExamples(money, latest), { kind: "on_day", day: latest, ...money } as const],
    choice / 2,
  );
  const isNamed = upcoming.kind !== "none" && leftCharge > 0;
  const isNothing = off === 0 && !isNamed;
  const label = {
    none: null,
    in_flight: "in_flight",
    card_needed: "still_to_pay",
    owed_on_hold: "still_to_pay",
  } as const;
  const named = upcoming.kind in label ? label[upcoming.kind as keyof typeof label] : ("second_charge_now" as const);
  return {
    facts: {
      ...addressed(order),
      ...{ upcoming, toCards: [], byBank: NOTHING, byTransfer: NOTHING, transferredBecause: [] },
      price: clp(refund),
      offLaterCharge: { amount: clp(off), commission: clp(offCommission) },
    },
    rows: [
      ["refund", refund],
      ["off", off],
      ["fee_included", offCommission],
      ...(isNamed && named !== null
        ? ([
            [named, leftCharge],
            ["fee_included", commissionLeft],
          ] as const)
        : []),
    ],
    days: isNamed && "day" in upcoming ? [latest] : [],
    causes: [
      "refund_made",
      ...(isNothing ? (["nothing_to_return"] as const) : []),
      ...(off > 0 && upcoming.kind === "none" ? (["no_more_charges"] as const) : []),
      ...(isNamed && upcoming.kind === "in_flight" ? (["charge_in_progress"] as const) : []),
      ...(isNamed && upcoming.kind === "on_hold" ? (["charge_on_hold"] as const) : []),
      ...(isNamed && upcoming.kind === "owed_on_hold" ? (["payment_on_hold"] as const) : []),
      ...(upcoming.kind === "card_needed" ? (["how_to_pay"] as const) : []),
    ],
    message: { amounts: isNothing ? [refund] : [off, ...(isNamed ? [leftCharge] : [])] },
  };
}

/** A refund of money that was paid: to two cards, by the patient's bank, or by transfer; or of a written-off part. */
function refundOfMoney(order: RandomOrder, choice: number): Case<"refunded"> {
  const { first, leftCharge, commissionLeft } = figuresOf(order);
  const cardEnding = laterCard(order);
  const second = { amount: clp(leftCharge), commission: clp(commissionLeft) };
  const ways = ["cards", "bank", "card_takes_no_part", "paid_without_card", "both", "nothing"] as const;
  const way = pick(ways, (choice - 1) / 2);
  if (way === "nothing" || (way !== "cards" && leftCharge === 0)) return refundOfNothing(order);
  const isTransfer = way !== "cards" && way !== "bank";
  const none = { toCards: [], byBank: NOTHING, byTransfer: NOTHING, transferredBecause: [] };
  const toCards = [
    { ...second, cardEnding },
    { amount: clp(first), commission: clp(0), cardEnding: order.cardEnding },
  ].filter(({ amount }) => amount > 0);
  const reasons = way === "both" ? (["card_takes_no_part", "paid_without_card"] as const) : isTransfer ? [way] : [];
  const moved = {
    ...none,
    ...(way === "cards" && { toCards }),
    ...(way === "bank" && { byBank: second }),
    ...(isTransfer && { byTransfer: second, transferredBecause: reasons }),
  };
  const price = leftCharge - commissionLeft + (way === "cards" ? first : 0);
  const label = way === "cards" ? "to_card" : way === "bank" ? "by_bank" : "by_transfer";
  return {
    facts: { ...addressed(order), offLaterCharge: NOTHING, upcoming: { kind: "none" }, price: clp(price), ...moved },
    rows: [
      ["refund", price],
      [label, leftCharge, cardEnding],
      ["fee_included", commissionLeft],
      ...(way === "cards" ? ([["to_card", first, order.cardEnding]] as const) : []),
    ],
    cards: way === "cards" && leftCharge > 0 ? [cardEnding] : [],
    causes: [
      way === "bank" && leftCharge > 0 ? "refund_acknowledged" : "refund_made",
      ...(way === "cards" ? (["card_takes_days"] as const) : []),
      ...reasons.map((reason) => `transferred_${reason}` as const),
    ],
    message: {
      amounts: [leftCharge, ...(way === "cards" ? [first] : [])],
      cards: way === "cards" ? [order.cardEnding, ...(leftCharge > 0 ? [cardEnding] : [])] : [],
    },
  };
}

/** A refund of a part that was written off. */
function refundOfNothing(order: RandomOrder): Case<"refunded"> {
  const nothing = { offLaterCharge: NOTHING, byBank: NOTHING, byTransfer: NOTHING };
  return {
    facts: {
      ...{ ...addressed(order), ...nothing, price: clp(order.total), toCards: [], transferredBecause: [] },
      upcoming: { kind: "none" },
    },
    rows: [["refund", order.total]],
    causes: ["refund_made", "nothing_to_return"],
    message: { amounts: [order.total] },
  };
}

/** The amounts in pesos as they are written; 0 may be left out. */
export function written(amounts: readonly number[]): Set<string> {
  return new Set(amounts.filter((amount) => amount > 0).map((amount) => formatClp(amount as Clp)));
}
