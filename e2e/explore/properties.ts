import { en } from "../../widget/src/words/en.ts";
import { esCl } from "../../widget/src/words/es-cl.ts";
import type { Words } from "../../widget/src/words/words.ts";
import type { ActionKind } from "./actions.ts";
import type { Screen } from "./screen.ts";
import { always, eventually, given, next, now, type Properties, type Timed, unless, whenever } from "./temporal.ts";

/** The observed state of a checkout at one moment. */
export interface Observed extends Timed {
  /** The last action, which may still have effects; null before the first. */
  readonly action: ActionKind | null;
  /** Whether a button that pays was pressed just now. */
  readonly pressedPay: boolean;
  /** Whether the button of the other language was pressed just now. */
  readonly pressedLanguage: boolean;
  /** Null while the checkout is loading. */
  readonly screen: Screen | null;
  /** Whether the screen can be used, because nothing is in progress on it. */
  readonly isSettled: boolean;
  /** When the last action began or the last answer arrived. */
  readonly lastEventMs: number;
  /** Payments that pages have requested so far, by their idempotency keys. */
  readonly payments: number;
  /** Answers so far that reached this page and report the order as paid. */
  readonly paidAnswers: number;
  /** Whether the order's card was declined for good, and no other one was sent since. */
  readonly isCardDead: boolean;
  /** The last digits of the patient's saved card, until a page has sent its code; otherwise null. */
  readonly hiddenCard: string | null;
}

const inBoth = (text: (words: Words) => string): readonly string[] => [text(esCl), text(en)];
const amountIn = (screen: Screen | null, label: (words: Words) => string) =>
  inBoth(label)
    .map((name) => screen?.amounts[name]?.replaceAll(/\D/g, ""))
    .find((pesos) => pesos !== undefined);

export const DONE = inBoth(({ done }) => done.title);
/** The screens of a paid order, with a used token or an unused one. */
export const PAID: readonly string[] = [...DONE, ...inBoth(({ done }) => done.alreadyTitle)];
const REVIEW = inBoth(({ review }) => review.title);
/** Screens that come before a payment. */
const UNPAID: readonly string[] = [
  ...inBoth(({ summary }) => summary.title),
  ...inBoth(({ patient }) => patient.title),
  ...inBoth(({ identity }) => identity.title),
  ...inBoth(({ card }) => card.title),
  ...inBoth(({ declined }) => declined.title),
  ...REVIEW,
];
const PAYING: readonly string[] = [esCl, en].flatMap(({ paying }) =>
  Object.values(paying.states).map(({ title }) => title),
);
const NOT_CHARGED = /no se (?:te )?cobró nada|nothing was charged/i;
const TYPED_IS_KEPT = /Lo que escribiste sigue aquí|What you wrote is still here/;
/** The actions that touch a box, or return to a screen where it was ticked. */
const MAY_TICK: readonly (ActionKind | null)[] = ["fill", "press", "type", "reload", "back"];
/** The time that a page needs to render the last answer, on a busy machine. */
const RENDERED_MS = 1_000;
const SHOWN_WITHIN_MS = 30_000;

const heading = ({ screen }: Observed) => screen?.heading ?? "";
const isPaid = (state: Observed) => PAID.includes(heading(state));
const isPaying = (state: Observed) => PAYING.includes(heading(state));
const price = ({ screen }: Observed) => amountIn(screen, ({ summary }) => summary.price);
const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** Whether the screen was observed twice without an action or an answer in between. */
function isUndisturbed(before: Observed, after: Observed): boolean {
  const isRendered = before.atMs - before.lastEventMs >= RENDERED_MS;
  return (
    isRendered &&
    !after.pressedLanguage &&
    after.lastEventMs === before.lastEventMs &&
    heading(after) === heading(before)
  );
}

function ticksByItself(before: Observed, after: Observed): boolean {
  if (MAY_TICK.includes(after.action) || heading(after) !== heading(before)) return false;
  return after.screen?.ticked.some((name) => before.screen?.ticked.includes(name) === false) ?? false;
}

/** Whether typed values are missing. */
function losesTyped(before: Observed, { action, screen }: Observed): boolean {
  if (action !== "submit" && action !== "offline") return false;
  if (screen?.heading !== before.screen?.heading || !TYPED_IS_KEPT.test(screen?.alerts ?? "")) return false;
  return Object.entries(before.screen?.typed ?? {}).some(([name, value]) => screen?.typed[name] !== value);
}

/** The two amounts of a receipt, with the review's own labels. The review of a known patient has no price at first. */
function asReviewed(review: Observed, receipt: Observed): boolean {
  const today = amountIn(review.screen, ({ summary }) => summary.today);
  const paid =
    amountIn(receipt.screen, ({ done }) => done.paidToday) ?? amountIn(receipt.screen, ({ done }) => done.paid);
  return today === paid && [undefined, price(receipt)].includes(price(review));
}

export const PROPERTIES: Properties<Observed> = {
  "after Listo no screen says that nothing was charged": always(
    whenever(isPaid, always(now(({ screen }) => !NOT_CHARGED.test(screen?.text ?? "")))),
  ),
  "money taken is shown within 30 s of the answer": always(
    given(({ paidAnswers: before }) =>
      next(whenever(({ paidAnswers }) => paidAnswers > before, eventually(SHOWN_WITHIN_MS, now(isPaid)))),
    ),
  ),
  "no number changes by itself": always(
    given((before) =>
      next(now((after) => !isUndisturbed(before, after) || isSame(after.screen?.amounts, before.screen?.amounts))),
    ),
  ),
  "only a press of Pagar pays, never Back, a reload or time": always(
    whenever(
      (before) => before.isSettled && !before.pressedPay && !isPaying(before),
      given(({ payments: before }) =>
        unless(
          now(({ payments }) => payments === before),
          now(({ pressedPay }) => pressedPay),
        ),
      ),
    ),
  ),
  "an order shown as paid never offers to pay": always(
    whenever(isPaid, always(now(({ screen }) => screen?.pays !== true))),
  ),
  "an order shown as paid is never shown as unpaid": always(
    whenever(isPaid, always(now((later) => !UNPAID.includes(heading(later))))),
  ),
  "an error leaves a way on": always(
    now(({ isSettled, screen }) => !isSettled || !screen || screen.alerts === "" || screen.ways > 0),
  ),
  "the receipt has the amounts of the review": always(
    whenever(
      (state) => state.isSettled && REVIEW.includes(heading(state)),
      given((review) => always(now((later) => !later.isSettled || !isPaid(later) || asReviewed(review, later)))),
    ),
  ),
  "the price is the same on every screen": always(
    whenever(
      (state) => price(state) !== undefined,
      given((before) => always(now((later) => price(later) === undefined || price(later) === price(before)))),
    ),
  ),
  "a consent is never ticked by itself": always(given((before) => next(now((after) => !ticksByItself(before, after))))),
  "a lost connection keeps what was typed": always(
    whenever(
      ({ isSettled }) => isSettled,
      given((before) =>
        next(
          unless(
            now(({ isSettled }) => !isSettled),
            now((after) => after.isSettled && !losesTyped(before, after)),
          ),
        ),
      ),
    ),
  ),
  "a card declined for good is not charged again": always(
    whenever(
      ({ isCardDead }) => isCardDead,
      given(({ payments: before }) =>
        unless(
          now(({ payments }) => payments === before),
          now(({ isCardDead }) => !isCardDead),
        ),
      ),
    ),
  ),
  "a saved card is shown only after its code": always(
    now(({ hiddenCard, screen }) => hiddenCard === null || screen?.text.includes(hiddenCard) !== true),
  ),
  "the language changes only when the patient changes it": always(
    given(({ screen: before }) =>
      next(
        now(
          ({ pressedLanguage, screen }) =>
            pressedLanguage || before === null || screen === null || screen.locale === before.locale,
        ),
      ),
    ),
  ),
};
