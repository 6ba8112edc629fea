import { RECEIVER_MODES, type ReceiverMode } from "./partner-receivers.ts";
import { type Random, randomOf } from "./random.ts";
import { CALL_TROUBLES, STATEMENT_TROUBLES, type Trouble } from "./trouble.ts";

/** Processes of ours that share the database. */
export const INSTANCES = 3;

export interface ProviderPlan {
  readonly captureFirst: boolean;
  readonly unpaidOrderExpiryMinutes: number | null;
}

export interface OrderPlan {
  readonly provider: number;
  readonly rut: string;
  readonly total: number;
  /** The cards that the patient tries, one after the other. */
  readonly cards: readonly [string, ...string[]];
  /** What the patient presses on the bank's page. */
  readonly presses: "approve" | "reject";
  /** Whether the patient's access to the insurer is there, so that a claim can be filed. */
  readonly registers: boolean;
  /** Whether the partner submits the receipt before the payment. */
  readonly receiptFirst: boolean;
}

/** What happens in one step, with what goes wrong in it. Each step says all that it needs, so that any can be left out. */
export type Happening =
  /** The patient, or the partner, does what comes next for an order; `twice`: at two instances at once. */
  | { readonly does: "go_on"; readonly order: number; readonly twice: boolean }
  | { readonly does: "refund"; readonly order: number; readonly share: number; readonly key: "header" | "reference" }
  | { readonly does: "cancel"; readonly order: number }
  /** Of the first order, from this one on, of which there is anything to be taken back. */
  | { readonly does: "charge_back"; readonly order: number }
  | { readonly does: "receipt"; readonly order: number }
  /** Every instance does what is due. */
  | { readonly does: "run_due" }
  | { readonly does: "pass"; readonly milliseconds: number }
  | { readonly does: "receiver"; readonly provider: number; readonly mode: ReceiverMode }
  | { readonly does: "kill" }
  | { readonly does: "skew"; readonly milliseconds: number }
  | { readonly does: "slow_answers"; readonly count: number }
  | { readonly does: "replay"; readonly provider: number };

export interface Step {
  /** Its place in the whole life, which stays when other steps are left out. */
  readonly number: number;
  readonly happening: Happening;
  /** The instance that is asked, and has the troubles. */
  readonly on: number;
  /** Whether another does what is due at the same time. */
  readonly alongside: boolean;
  readonly troubles: readonly Trouble[];
}

export interface LifePlan {
  readonly seed: number;
  readonly providers: readonly ProviderPlan[];
  readonly orders: readonly OrderPlan[];
  readonly steps: readonly Step[];
}

const GOOD_CARD = "4051885600446623";
const FIRST_CARDS = [
  GOOD_CARD,
  GOOD_CARD,
  GOOD_CARD,
  "5186059559590568",
  "4051885600000016",
  "4051885600000040",
  "4051885600000057",
  "4051885600000065",
  "4051885600000073",
  "4051885600000081",
  "5186059550000013",
  "5186059550000021",
  "4051884239937763",
] as const;
const RUTS = [
  "40100000-3",
  "40100000-3",
  "40237731-3",
  "40375462-5",
  "40513193-5",
  "40650924-9",
  "40926386-0",
  "41064117-8",
  "41201848-6",
  "41339579-8",
  "40008548-K",
  "40000778-0",
  "41477310-9",
  "41615041-9",
  "41752772-9",
] as const;
const TOTALS = [0, 1, 2, 3, 10, 14_000, 28_000, 38_990, 45_952, 138_312, 350_000, 999_999_999] as const;

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Leases are believed for half a minute or a minute: skews beyond that make a living worker look dead. */
const SKEWS = [0, 0, -5 * SECOND_MS, 20 * SECOND_MS, 45 * SECOND_MS, 90 * SECOND_MS, -90 * SECOND_MS] as const;

const STEPS_MIN = 12;
const STEPS_MORE = 26;
/** Then weeks pass: reviews end, cards are charged, clinics are paid, with everything that can go wrong in it. */
const WEEKS_STEPS = 14;

/** The life of a seed. */
export function planLife(seed: number): LifePlan {
  const random = randomOf(`life:${seed}`);
  const providers = Array.from(
    { length: 1 + random.below(2) },
    (): ProviderPlan => ({
      captureFirst: random.percent(30),
      unpaidOrderExpiryMinutes: random.percent(20) ? 30 + random.below(600) : null,
    }),
  );
  const orders = Array.from({ length: 1 + random.below(3) }, () => planOrder(random, providers.length));
  const count = STEPS_MIN + random.below(STEPS_MORE);
  const steps = Array.from({ length: count + WEEKS_STEPS }, (_, number) =>
    planStep(random, number, { orders: orders.length, providers: providers.length }, number >= count),
  );
  return { seed, providers, orders, steps };
}

function planOrder(random: Random, providers: number): OrderPlan {
  return {
    provider: random.below(providers),
    rut: random.pick(RUTS),
    total: random.percent(70) ? random.pick(TOTALS) : 1 + random.below(500_000),
    cards: [random.pick(FIRST_CARDS), random.pick(FIRST_CARDS), GOOD_CARD],
    presses: random.percent(70) ? "approve" : "reject",
    registers: random.percent(70),
    receiptFirst: random.percent(30),
  };
}

function planStep(
  random: Random,
  number: number,
  of: { readonly orders: number; readonly providers: number },
  isLater: boolean,
): Step {
  const isWeek = isLater && random.percent(70);
  const isRefund = isLater && !isWeek && random.percent(50);
  return {
    number,
    happening: isWeek
      ? { does: "pass", milliseconds: (12 + random.below(120)) * HOUR_MS }
      : isRefund
        ? planRefund(random, random.below(of.orders))
        : isLater && random.percent(40)
          ? { does: "charge_back", order: random.below(of.orders) }
          : planHappening(random, of),
    on: random.below(INSTANCES),
    alongside: random.percent(25),
    troubles: isWeek ? planLateTroubles(random) : isRefund ? planRefundTroubles(random) : planTroubles(random),
  };
}

function planHappening(random: Random, of: { readonly orders: number; readonly providers: number }): Happening {
  const order = random.below(of.orders);
  const provider = random.below(of.providers);
  const dice = random.below(100);
  if (dice < 46) return { does: "go_on", order, twice: random.percent(15) };
  if (dice < 55) return planRefund(random, order);
  if (dice < 57) return { does: "cancel", order };
  if (dice < 61) return { does: "receipt", order };
  if (dice < 71) return { does: "run_due" };
  if (dice < 85) return { does: "pass", milliseconds: planPause(random) };
  if (dice < 91) return { does: "receiver", provider, mode: random.pick([...RECEIVER_MODES, "up"]) };
  if (dice < 93) return { does: "kill" };
  if (dice < 95) return { does: "skew", milliseconds: random.pick(SKEWS) };
  if (dice < 99) return { does: "slow_answers", count: 1 + random.below(2) };
  return { does: "replay", provider };
}

function planRefund(random: Random, order: number): Happening {
  return { does: "refund", order, share: random.below(4), key: random.percent(50) ? "header" : "reference" };
}

function planPause(random: Random): number {
  const dice = random.below(10);
  if (dice < 3) return (1 + random.below(90)) * SECOND_MS;
  if (dice < 6) return (1 + random.below(90)) * MINUTE_MS;
  if (dice < 9) return (1 + random.below(48)) * HOUR_MS;
  return (1 + random.below(20)) * DAY_MS;
}

function planTroubles(random: Random): Trouble[] {
  const count = random.percent(55) ? 1 + random.below(2) : 0;
  return Array.from({ length: count }, () => {
    const dice = random.below(100);
    if (dice < 25) return troubleAtStatement(random, 1 + random.below(random.pick([6, 20, 45])));
    if (dice < 60) return troubleAtCommit(random, 1 + random.below(random.pick([2, 5])));
    if (dice < 80) return { ...troubleAtCall(random, 1 + random.below(2)), of: random.pick(CALLS_THAT_MATTER) };
    return troubleAtCall(random, 1 + random.below(random.pick([1, 3, 6])));
  });
}

function troubleAtStatement(random: Random, number: number): Trouble & { readonly at: "statement" } {
  return { at: "statement", kind: random.pick(STATEMENT_TROUBLES), number };
}

/** Where most is to be lost: between what is written and what is known of it. */
function troubleAtCommit(random: Random, number: number): Trouble {
  const kind = random.pick([
    "dies_before",
    "dies_after",
    "dies_after",
    "lost_before",
    "lost_after",
    "refused",
  ] as const);
  return { at: "statement", kind, number, of: "commit" };
}

function troubleAtCall(random: Random, number: number): Trouble & { readonly at: "call" } {
  return { at: "call", kind: random.pick(CALL_TROUBLES), number };
}

/** Calls after which money, or a claim, is somewhere else. */
const CALLS_THAT_MATTER = [
  "charge",
  "returnCharge",
  "authoriseLoan",
  "confirmLoan",
  "reduceLoan",
  "transfer",
  "fileClaim",
  "sendEmail",
] as const;

/** In a pause of days there are few calls, each of which matters: charges, transfers, claims. */
function planLateTroubles(random: Random): Trouble[] {
  const dice = random.below(100);
  if (dice < 20) return planTroubles(random);
  if (dice < 35) return [troubleAtCall(random, 1 + random.below(8))];
  // Most of them meet no such call, and then nothing goes wrong.
  return Array.from({ length: 3 }, () => ({ ...troubleAtCall(random, 1), of: random.pick(LATE_CALLS) }));
}

/** A refund is asked for again where its answer is lost, once it is written. */
function planRefundTroubles(random: Random): Trouble[] {
  if (random.percent(40)) return planTroubles(random);
  return [troubleAtCommit(random, 1 + random.below(4))];
}

const LATE_CALLS = ["transfer", "transfer", "charge", "charge", "returnCharge", "reduceLoan", "fileClaim"] as const;
