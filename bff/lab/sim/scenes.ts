import {
  ASKS_LATER,
  dayByDay,
  days,
  FORGETFUL,
  GOOD_CARD,
  goOn,
  type Happening,
  LATER_DECLINED,
  type LifePlan,
  minutes,
  NEVER_ANSWERED,
  type OrderPlan,
  type PatientWish,
  standStill,
  toAnnouncement,
  wishes,
} from "./life-plan.ts";
import type { Trouble } from "./trouble.ts";

/*
 * Short lives of one order on one instance. Together they take every line of the transition tables and call every
 * method of every gateway. Faults are added one at a time (`aim.ts`), so that no line is left to chance.
 */

/** The steps of a scene, with the faults that it needs. */
type Beat = Happening | { readonly happening: Happening; readonly troubles: readonly Trouble[] };

interface Casting {
  readonly cast?: Partial<OrderPlan>;
  /** A second order of the same patient, who tries to be recognised. */
  readonly isBack?: boolean;
  readonly captureFirst?: boolean;
  readonly unpaidOrderExpiryMinutes?: number;
  readonly cardPage?: boolean;
  readonly memory?: LifePlan["memory"];
}

const ORDER = 0;
const BACK = 1;
const WEEK_DAYS = 7;

function scene(
  beats: readonly Beat[],
  { cast = {}, isBack = false, captureFirst = false, cardPage = false, unpaidOrderExpiryMinutes, memory }: Casting = {},
): LifePlan {
  const order: OrderPlan = {
    provider: 0,
    center: 0,
    rut: "40100000-3",
    total: 45_952,
    cards: [GOOD_CARD],
    presses: "approve",
    registers: true,
    receiptFirst: false,
    ...cast,
  };
  return {
    seed: 0,
    ...(memory !== undefined && { memory }),
    providers: [
      {
        captureFirst,
        unpaidOrderExpiryMinutes: unpaidOrderExpiryMinutes ?? null,
        centers: ["there"],
        feePercentage: 2.5,
        knownPatients: true,
        cardPage,
      },
    ],
    orders: isBack ? [order, { ...order, keeps: false, returnsFrom: ORDER }] : [order],
    steps: beats.map((beat, number) => ({
      number,
      on: 0,
      alongside: false,
      ...("does" in beat ? { happening: beat, troubles: [] } : beat),
    })),
  };
}

/** The steps up to the paid order; one more step sends the receipt. */
const TO_PAID = goOn(ORDER, 5);
const TO_RECEIPT = goOn(ORDER, 6);
const PATIENT_PRESSES = goOn(ORDER, 2);

function refund(share: number): Happening {
  return { does: "refund", order: ORDER, share, key: "reference" };
}
const PART = 1;
const REST = 0;

function wish(to: PatientWish): Happening {
  return wishes(ORDER, to);
}

function operator(resolution: Extract<Happening, { does: "operator" }>["resolution"]): Happening {
  return { does: "operator", provider: 0, resolution };
}

/** The answer to the first call of the method is lost, or the call does not arrive. */
function losing(happening: Happening, of: string, kind: "lost_before" | "lost_after" = "lost_after"): Beat {
  return { happening, troubles: [{ at: "call", kind, number: 1, of }] };
}

/** Loses the answer to the first call of the method, and all inquiries about it from this number. */
function unanswered(happening: Happening, call: string, inquiry: string, from = 1): Beat {
  const inquiries = Array.from({ length: INQUIRIES_A_DAY }, (_, number) => number + from);
  return {
    happening,
    troubles: [
      { at: "call", kind: "lost_after", number: 1, of: call },
      ...inquiries.map((number): Trouble => ({ at: "call", kind: "lost_after", number, of: inquiry })),
    ],
  };
}
/** At least as many inquiries as occur in a day. */
const INQUIRIES_A_DAY = 8;

const pay: Happening = { does: "go_on", order: ORDER, twice: false };
const settle = [minutes(1), minutes(3), minutes(15)];
const aWeek = dayByDay(WEEK_DAYS);
/** The last of four attempts comes nine days after the first. */
const toAllTries = [...toAnnouncement(ORDER), ...dayByDay(13)];

export type Scenes = Readonly<Record<string, LifePlan>>;

export const SCENES: Scenes = {
  "the page is opened, paid, approved, collected and paid out": scene([
    ...goOn(ORDER, 1),
    { does: "open_page", order: ORDER },
    ...goOn(ORDER, 5),
    minutes(2),
    ...aWeek,
  ]),
  "the bank asks the patient": scene([...TO_PAID, ...PATIENT_PRESSES, ...settle], {
    cast: { cards: ["4051885600000040"] },
  }),
  "the bank's answer to the patient is lost": scene(
    [...goOn(ORDER, 4), losing(pay, "authenticate"), ...settle, ...PATIENT_PRESSES, ...settle],
    { cast: { cards: ["4051885600000040"] } },
  ),
  "a card is given on the processor's page": scene(
    [
      ...goOn(ORDER, 1),
      { does: "open_page", order: ORDER },
      ...goOn(ORDER, 5),
      ...settle,
      ...goOn(ORDER, 3),
      minutes(1),
    ],
    { cardPage: true },
  ),
  "the processor's page is left, then declines, then takes a card": scene(
    [...goOn(ORDER, 9), ...settle, ...goOn(ORDER, 3)],
    {
      cardPage: true,
      cast: { cards: ["4051885600000024", GOOD_CARD], presses: "reject" },
    },
  ),
  "a declined card, then a good one": scene([...TO_PAID, ...goOn(ORDER, 3), minutes(1)], {
    cast: { cards: ["4051885600000016", GOOD_CARD] },
  }),
  "the credit is refused, and the order cancelled": scene([...TO_PAID, { does: "cancel", order: ORDER }], {
    cast: { rut: "40237731-3" },
  }),
  "the credit is refused, and the order expires": scene([...TO_PAID, days(1), days(1)], {
    cast: { rut: "40237731-3" },
    unpaidOrderExpiryMinutes: 60,
  }),
  "never paid: cancelled": scene([...goOn(ORDER, 2), { does: "cancel", order: ORDER }]),
  "never paid: expired": scene([...goOn(ORDER, 2), days(1)], { unpaidOrderExpiryMinutes: 60 }),
  "captured before the credit is authorised": scene([...TO_PAID, ...settle], {
    captureFirst: true,
    cast: { rut: "40375462-5" },
  }),
  "captured before the credit is refused": scene([...TO_PAID, ...settle], {
    captureFirst: true,
    cast: { rut: "40513193-5" },
  }),
  "the charge's answer is lost": scene([...goOn(ORDER, 4), losing(pay, "charge"), ...settle]),
  "the loan's answer is lost": scene([...goOn(ORDER, 4), losing(pay, "authoriseLoan"), ...settle]),
  "the confirmation's answer is lost": scene([...goOn(ORDER, 4), losing(pay, "confirmLoan"), ...settle]),
  "the confirmation is refused, and what was captured goes back": scene([...TO_PAID, ...settle], {
    cast: { rut: "40650924-9" },
  }),
  "refunded in two parts and the rest, before it is collected": scene(
    [...TO_RECEIPT, refund(PART), minutes(1), refund(PART), minutes(1), refund(REST), ...settle],
    { cast: { rut: NEVER_ANSWERED } },
  ),
  "refunded in part, and the rest is collected": scene([...TO_RECEIPT, refund(PART), minutes(2), ...aWeek]),
  "refunded in full; the lender's and the processor's answers are lost": scene(
    [...TO_PAID, losing(refund(REST), "reduceLoan"), losing(minutes(1), "returnCharge"), ...settle, days(1)],
    { cast: { rut: NEVER_ANSWERED } },
  ),
  "refunded after the collection; the processor's answer is lost": scene([
    ...TO_RECEIPT,
    minutes(2),
    ...aWeek,
    losing(refund(REST), "returnCharge"),
    losing(minutes(1), "returnCharge"),
    ...settle,
    days(1),
  ]),
  "collected, and the lender's answer to the report is lost": scene([
    ...TO_RECEIPT,
    minutes(2),
    ...Array.from({ length: WEEK_DAYS }, () => losing(days(1), "reportLoan")),
    ...settle,
  ]),
  "collected, and the answer about the boleta is lost": scene([
    ...TO_RECEIPT,
    minutes(2),
    ...Array.from({ length: WEEK_DAYS }, () => losing(days(1), "issueDocument")),
    ...settle,
  ]),
  "the clinic is paid, and the bank's answer is lost": scene([
    ...TO_PAID,
    losing(days(1), "transfer"),
    losing(days(1), "transfer"),
    ...settle,
    days(1),
  ]),
  "the insurer's answer is lost": scene([...TO_RECEIPT, losing(minutes(2), "fileClaim"), ...settle, ...aWeek]),
  "the claim is rejected": scene([...TO_RECEIPT, minutes(2), ...aWeek], { cast: { rut: "40926386-0" } }),
  "the claim lacks a document, which comes": scene(
    [...TO_RECEIPT, minutes(2), { does: "receipt", order: ORDER, document: "another document" }, minutes(2), days(1)],
    { cast: { rut: "41064117-8" } },
  ),
  "the claim lacks a document, and all is refunded": scene([...TO_RECEIPT, minutes(2), refund(REST), minutes(2)], {
    cast: { rut: "41064117-8" },
  }),
  "the access is missing, and is given": scene(
    [...TO_RECEIPT, minutes(2), wish({ to: "give_access" }), minutes(2), days(1)],
    {
      cast: { rut: "40006217-K" },
    },
  ),
  "the access is missing, and all is refunded": scene([...TO_RECEIPT, minutes(2), refund(REST), minutes(2)], {
    cast: { rut: "40006217-K" },
  }),
  "the access is blocked, and is given again": scene(
    [...TO_RECEIPT, minutes(2), wish({ to: "give_access" }), minutes(2), days(1)],
    { cast: { rut: "41477310-9" } },
  ),
  "the access stays blocked, and is tried again": scene([...TO_RECEIPT, minutes(2), days(1), days(1)], {
    cast: { rut: "41477310-9" },
  }),
  "the access is blocked, and all is refunded": scene([...TO_RECEIPT, minutes(2), refund(REST), minutes(2)], {
    cast: { rut: "41477310-9" },
  }),
  "the portal is down": scene([...TO_RECEIPT, minutes(2), ...settle, days(1), days(1)], {
    cast: { rut: "41339579-8" },
  }),
  "the portal is down, and all is refunded": scene([...TO_RECEIPT, minutes(2), refund(REST), minutes(2)], {
    cast: { rut: "41339579-8" },
  }),
  "the claim is lost on its way, and all is refunded meanwhile": scene([
    ...TO_RECEIPT,
    losing({ does: "pass", milliseconds: 5_000 }, "fileClaim", "lost_before"),
    refund(REST),
    ...settle,
    days(1),
  ]),
  "filed, refunded in full, and withdrawn at the insurer": scene(
    [...TO_RECEIPT, minutes(2), refund(REST), ...settle, days(1), operator("claim_withdrawn"), days(1)],
    { cast: { rut: NEVER_ANSWERED } },
  ),
  "a card is kept, its patient is back, recognised and pays, and removes it": scene(
    [
      ...TO_PAID,
      ...settle,
      ...goOn(BACK, 4),
      ...settle,
      wish({ to: "remove_cards" }),
      ...settle,
      ...goOn(BACK, 1),
      days(1),
    ],
    { cast: { keeps: true }, isBack: true },
  ),
  "a kept card is removed between the code and the payment, and its patient types another": scene(
    [...TO_PAID, ...settle, ...goOn(BACK, 2), wish({ to: "remove_cards" }), minutes(5), ...goOn(BACK, 4), ...settle],
    { cast: { keeps: true }, isBack: true },
  ),
  "the processor's answers about a kept card are lost": scene(
    [
      ...TO_PAID,
      losing(minutes(1), "keepCard"),
      ...settle,
      losing(wish({ to: "remove_cards" }), "forgetCard"),
      losing(minutes(1), "forgetCard"),
      ...settle,
    ],
    { cast: { keeps: true } },
  ),
  "the processor's answers about a card that was replaced are lost": scene(
    [
      ...toAnnouncement(ORDER),
      ...dayByDay(4),
      losing(wish({ to: "change_card", card: GOOD_CARD }), "removeCard"),
      losing(minutes(1), "removeCard"),
      days(1),
      days(1),
    ],
    { cast: { rut: NEVER_ANSWERED, cards: [LATER_DECLINED] } },
  ),
  "later charges are declined, and another card is given": scene(
    [...toAnnouncement(ORDER), ...dayByDay(4), wish({ to: "change_card", card: GOOD_CARD }), days(1), days(1)],
    { cast: { rut: NEVER_ANSWERED, cards: [LATER_DECLINED] } },
  ),
  "another card is given, and its patient does not confirm it to the issuer": scene(
    [...toAnnouncement(ORDER), ...dayByDay(4), wish({ to: "change_card", card: ASKS_LATER }), days(1), days(1)],
    { cast: { rut: NEVER_ANSWERED, cards: [LATER_DECLINED], presses: "reject" } },
  ),
  "all tries are declined, the rest is written off, and another card is given": scene(
    [...toAllTries, operator("write_off"), wish({ to: "change_card", card: GOOD_CARD }), days(1), days(1)],
    { cast: { rut: NEVER_ANSWERED, cards: [LATER_DECLINED] } },
  ),
  "all tries are declined, the rest is paid otherwise, and another card is given": scene(
    [...toAllTries, operator("paid_otherwise"), wish({ to: "change_card", card: GOOD_CARD }), days(1), days(1)],
    { cast: { rut: NEVER_ANSWERED, cards: [LATER_DECLINED] } },
  ),
  "the charge's answer is lost, and the processor forgets its key": scene(
    [...goOn(ORDER, 4), losing(pay, "charge"), standStill(2), ...settle, ...goOn(ORDER, 1), days(1)],
    { memory: FORGETFUL.keys },
  ),
  "the charge never arrives, and the processor forgets all keys": scene(
    [...goOn(ORDER, 4), losing(pay, "charge", "lost_before"), standStill(2), ...settle, ...goOn(ORDER, 1), days(1)],
    { memory: FORGETFUL.keys },
  ),
  "the charge's answer is lost, and the processor forgets it": scene(
    [...goOn(ORDER, 4), losing(pay, "charge"), standStill(8), ...settle, ...goOn(ORDER, 1), days(1)],
    { memory: FORGETFUL.answers },
  ),
  "the charge's answer is lost, and the processor forgets its key and lists nothing until an operator asks again":
    scene(
      [
        ...goOn(ORDER, 4),
        losing(pay, "charge"),
        standStill(2),
        losing(minutes(1), "listMovements"),
        operator("ask_again"),
        { does: "run_due" },
        ...settle,
        ...goOn(ORDER, 1),
      ],
      { memory: FORGETFUL.keys },
    ),
  "the loan's answer is lost, and the lender forgets its key": scene(
    [...goOn(ORDER, 4), losing(pay, "authoriseLoan"), standStill(2), ...settle, ...goOn(ORDER, 1), days(1)],
    { memory: FORGETFUL.keys },
  ),
  "a partial refund's answer is lost, and the lender forgets its key": scene(
    [...TO_PAID, losing(refund(PART), "reduceLoan"), standStill(2), ...settle, days(1)],
    { cast: { rut: NEVER_ANSWERED }, memory: FORGETFUL.keys },
  ),
  "a refund's answer is lost, and the processor forgets its key": scene(
    [...TO_RECEIPT, minutes(2), ...aWeek, losing(refund(REST), "returnCharge"), standStill(2), ...settle, days(1)],
    { memory: FORGETFUL.keys },
  ),
  "the answer of the deferred charge is lost, and the processor forgets its key": scene(
    [
      ...TO_RECEIPT,
      minutes(2),
      ...dayByDay(WEEK_DAYS).map((day) => unanswered(day, "charge", "inquireCharge")),
      standStill(2),
      ...settle,
      ...aWeek,
    ],
    { memory: FORGETFUL.keys },
  ),
  "the clinic is paid, the answer is lost, and the bank forgets its key": scene(
    // The bank is queried first, before each transfer.
    [
      ...TO_PAID,
      operator("confirm_account"),
      unanswered(days(1), "transfer", "inquireTransfer", 2),
      standStill(2),
      ...settle,
      days(1),
    ],
    { memory: FORGETFUL.keys },
  ),
  "the boleta's answer is lost, and its issuer forgets its key": scene(
    [
      ...TO_RECEIPT,
      minutes(2),
      ...dayByDay(WEEK_DAYS).map((day) => unanswered(day, "issueDocument", "inquireDocument")),
      standStill(2),
      ...settle,
      days(1),
    ],
    { memory: FORGETFUL.keys },
  ),
};
