import type { PartyMemory } from "../../sandbox/calls/sandbox-call.ts";
import type { ConsentPurpose } from "../../src/contract/orders.ts";
import { RECEIVER_MODES, type ReceiverMode } from "./partner-receivers.ts";
import { type Random, randomOf } from "./random.ts";
import { CALL_TROUBLES, STATEMENT_TROUBLES, type Trouble } from "./trouble.ts";

/** Processes of ours that share the database. */
export const INSTANCES = 3;

export interface ProviderPlan {
  readonly captureFirst: boolean;
  readonly unpaidOrderExpiryMinutes: number | null;
  /** Whether its patients may save a card and be recognised; the default is no. */
  readonly knownPatients?: boolean;
  /** Whether its patients give their cards on the processor's own page; the default is no. */
  readonly cardPage?: boolean;
  /** Centres of a meta-provider, each with its first account. Other providers have none. */
  readonly centers: readonly CenterAccount[];
  /** The fee that is deducted from the provider's money. */
  readonly feePercentage: number;
}

/** The bank account of a centre: none, one that the bank refuses, or one that exists. */
export type CenterAccount = "none" | "refused" | "there";

export interface OrderPlan {
  readonly provider: number;
  /** The number of the provider's centre; null for the provider itself. */
  readonly center: number | null;
  readonly rut: string;
  readonly total: number;
  /** The cards that the patient tries, one after the other. */
  readonly cards: readonly [string, ...string[]];
  /** The button that the patient presses on the bank's page. */
  readonly presses: "approve" | "reject";
  /** Whether the patient gave access to the insurer, so that a claim can be filed. */
  readonly registers: boolean;
  /** Whether the partner submits the receipt before the payment. */
  readonly receiptFirst: boolean;
  /** Whether the patient asks to save the card. */
  readonly keeps?: boolean;
  /** An earlier order of the same patient, who tries to be recognised. */
  readonly returnsFrom?: number;
}

/** The events of one step, with its faults. Each step is self-contained, so that any step can be left out. */
export type Happening =
  /** The patient or the partner takes the next step for an order; `twice`: at two instances at once. */
  | { readonly does: "go_on"; readonly order: number; readonly twice: boolean }
  | { readonly does: "refund"; readonly order: number; readonly share: number; readonly key: "header" | "reference" }
  | { readonly does: "cancel"; readonly order: number }
  /** Takes back a charge of the first order from this one on that has a charge to take back. */
  | { readonly does: "charge_back"; readonly order: number }
  /** `document`: another file than the first. */
  | { readonly does: "receipt"; readonly order: number; readonly document?: string }
  /** The patient opens the checkout's page. */
  | { readonly does: "open_page"; readonly order: number }
  /** The patient acts on the first order from this one on that has the required mailed link or registration. */
  | { readonly does: "patient"; readonly order: number; readonly wish: PatientWish }
  /** An operator resolves the oldest exception that accepts this resolution. */
  | { readonly does: "operator"; readonly provider: number; readonly resolution: OperatorResolution }
  /** A centre gives another account. */
  | { readonly does: "account"; readonly provider: number; readonly center: number; readonly account: CenterAccount }
  /** Time passes until the charge of the order's deferred part has been announced, on day 42. */
  | { readonly does: "pass_to_announcement"; readonly order: number }
  /** Every instance runs its due work. */
  | { readonly does: "run_due" }
  | { readonly does: "pass"; readonly milliseconds: number }
  /** Time passes while no instance runs, as in an outage of ours. */
  | { readonly does: "stand_still"; readonly milliseconds: number }
  | { readonly does: "receiver"; readonly provider: number; readonly mode: ReceiverMode }
  | { readonly does: "kill" }
  | { readonly does: "skew"; readonly milliseconds: number }
  | { readonly does: "slow_answers"; readonly count: number }
  | { readonly does: "replay"; readonly provider: number };

/** What the patient does with a mailed link, after answering its code. */
export type PatientWish =
  | { readonly to: "change_card"; readonly card: string }
  | { readonly to: "give_access" }
  /** `times`: how often they press *pay* again, whatever the answer. `twice`: on two phones at once. */
  | { readonly to: "pay_early"; readonly times: number; readonly twice: boolean }
  | { readonly to: "see_data" }
  | { readonly to: "remove_cards" }
  | { readonly to: "withdraw"; readonly purpose: ConsentPurpose }
  | { readonly to: "erase" };

export const OPERATOR_RESOLUTIONS = [
  "retry",
  "release",
  "write_off",
  "paid_otherwise",
  "chargeback_won",
  "chargeback_lost",
] as const;
/** The resolutions drawn at random for lives, and those that only scenes use. */
export type OperatorResolution =
  | (typeof OPERATOR_RESOLUTIONS)[number]
  | "claim_withdrawn"
  | "ask_again"
  | "confirm_account";

export interface Step {
  /** Its position in the whole life. It stays the same when other steps are left out. */
  readonly number: number;
  readonly happening: Happening;
  /** The instance that receives the request and has the faults. */
  readonly on: number;
  /** Whether another instance runs due work at the same time. */
  readonly alongside: boolean;
  readonly troubles: readonly Trouble[];
}

export interface LifePlan {
  readonly seed: number;
  readonly providers: readonly ProviderPlan[];
  readonly orders: readonly OrderPlan[];
  readonly steps: readonly Step[];
  /** How long the parties remember calls; for ever if absent. */
  readonly memory?: PartyMemory;
  /** When the service is deployed (`deploy.ts`); never if absent. */
  readonly deploy?: DeployPlan;
}

export interface DeployPlan {
  /** The number of the step before which it starts; one past the last means at rest. */
  readonly at: number;
  /** Whether every process is replaced at once, and not one after the other. */
  readonly isAtOnce: boolean;
}

export const GOOD_CARD = "4051885600446623";
/** Its issuer challenges the patient when the card replaces another or pays early, but not at the first payment. */
export const ASKS_LATER = "4051885600000115";
/** Charges get no answer: their answers or their calls are lost. */
const LOST_ANSWER = "4051885600000073";
const LOST_CALL = "4051885600000081";
export const UNANSWERED_CARDS: readonly string[] = [LOST_ANSWER, LOST_CALL];
const FIRST_CARDS = [
  GOOD_CARD,
  GOOD_CARD,
  ASKS_LATER,
  "5186059559590568",
  "4051885600000016",
  "4051885600000040",
  "4051885600000057",
  "4051885600000065",
  LOST_ANSWER,
  LOST_CALL,
  "5186059550000013",
  "5186059550000021",
  "4051884239937763",
] as const;
/** Replacement cards: good ones, one whose every later charge is declined, one whose issuer challenges, a lost one. */
const LATER_CARDS = [GOOD_CARD, "5186059559590568", ASKS_LATER, "4051885600000032", "4051884239937763"] as const;
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
const TOTALS = [0, 1, 2, 3, 10, 14_000, 28_000, 38_990, 45_952, 138_312, 350_000, 129_000_000] as const;

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Leases are valid for half a minute or a minute: larger clock differences make a living worker look dead. */
const SKEWS = [0, 0, -5 * SECOND_MS, 20 * SECOND_MS, 45 * SECOND_MS, 90 * SECOND_MS, -90 * SECOND_MS] as const;

/** The maximum difference between two machines' clocks. */
export const SKEW_MAX_MS = 200_000;

const STEPS_MIN = 12;
const STEPS_MORE = 26;
/** After these steps weeks pass: reviews end, cards are charged and clinics are paid, with all faults. */
const WEEKS_STEPS = 14;

/** The life that belongs to a seed. */
export function planLife(seed: number): LifePlan {
  const random = randomOf(`life:${seed}`);
  const providers = Array.from(
    { length: 1 + random.below(2) },
    (): ProviderPlan => ({
      captureFirst: random.percent(30),
      unpaidOrderExpiryMinutes: random.percent(20) ? 30 + random.below(600) : null,
      centers: [],
      feePercentage: 0,
    }),
  );
  const orders = Array.from({ length: 1 + random.below(3) }, () => planOrder(random, providers.length));
  const count = STEPS_MIN + random.below(STEPS_MORE);
  const steps = Array.from({ length: count + WEEKS_STEPS }, (_, number) =>
    planStep(random, number, { orders: orders.length, providers: providers.length }, number >= count),
  );
  return withForgetfulParties(withCardPages(withReturning(withPatients({ seed, providers, orders, steps }))));
}

/** Parties that forget a call's key after a day, as card processors do, or its answer after a week. */
export const FORGETFUL = { keys: { keysMs: DAY_MS }, answers: { answersMs: 7 * DAY_MS } } as const;
/** Outages of ours. Some are longer than either memory. */
const STANDSTILLS = [2 * HOUR_MS, 26 * HOUR_MS, 26 * HOUR_MS, 3 * DAY_MS, 8 * DAY_MS] as const;

/**
 * The life with parties that forget keys, and with outages of ours that are long enough for that. Drawn separately, as
 * above.
 */
function withForgetfulParties(plan: LifePlan): LifePlan {
  const random = randomOf(`oblivion:${plan.seed}`);
  if (!random.percent(FORGETFUL_PERCENT)) return plan;
  const steps = plan.steps.flatMap((step) =>
    random.percent(STANDSTILL_PERCENT)
      ? [step, stepOf(random, { does: "stand_still", milliseconds: random.pick(STANDSTILLS) })]
      : [step],
  );
  return { ...plan, memory: FORGETFUL.keys, steps: steps.map((step, number) => ({ ...step, number })) };
}

/**
 * The life with clinics whose patients enter their cards on the processor's page. Drawn separately, like the following
 * parts.
 */
function withCardPages(plan: LifePlan): LifePlan {
  const random = randomOf(`card pages:${plan.seed}`);
  const providers = plan.providers.map((provider) => ({ ...provider, cardPage: random.percent(CARD_PAGE_PERCENT) }));
  return { ...plan, providers };
}

/**
 * The life with centres, and with actions of patients, centres and operators at any time. Drawn separately, so that an
 * addition here leaves the rest of a life unchanged.
 */
function withPatients(plan: LifePlan): LifePlan {
  const random = randomOf(`patients:${plan.seed}`);
  const providers = plan.providers.map((provider) => ({
    ...provider,
    centers: planCenters(random),
    feePercentage: random.pick([0, 0, 2.5, 10]),
  }));
  const orders = plan.orders.map((order) => {
    const centers = providers[order.provider]?.centers.length ?? 0;
    return { ...order, center: centers === 0 ? null : random.below(centers) };
  });
  const early = random.percent(STORY_PERCENT) ? [planStory(random, EARLY_STORIES, orders.length, providers)] : [];
  const number = orders.length + early.length;
  const late = random.percent(STORY_PERCENT) ? [planStory(random, LATE_STORIES, number, providers)] : [];
  const of = { orders: orders.length, providers };
  const between = plan.steps.flatMap((step) =>
    random.percent(PATIENTS_PERCENT) ? [step, stepOf(random, planPatientHappening(random, of))] : [step],
  );
  const inserted = early.flatMap(({ steps }) => steps);
  const steps = [
    ...between.toSpliced(random.below(between.length), 0, ...inserted),
    ...late.flatMap(({ steps }) => steps),
  ];
  return {
    ...plan,
    providers,
    orders: [...orders, ...[...early, ...late].map(({ order }) => order)],
    steps: steps.map((step, index) => ({ ...step, number: index })),
  };
}

/**
 * The life of a patient who saves a card and returns. Drawn separately and added at the end, as above. No other life
 * saves a card.
 */
function withReturning(plan: LifePlan): LifePlan {
  const random = randomOf(`returning:${plan.seed}`);
  const providers = plan.providers.map((provider) => ({ ...provider, knownPatients: random.percent(85) }));
  if (!random.percent(STORY_PERCENT)) return { ...plan, providers };
  const { orders, happenings } = planReturning(random, plan.orders.length, random.below(providers.length));
  const added = happenings.map((happening) => stepOf(random, happening));
  const steps = [...plan.steps, ...added].map((step, number) => ({ ...step, number }));
  return { ...plan, providers, orders: [...plan.orders, ...orders], steps };
}

/**
 * A patient pays and asks to save the card, and returns twice. What they ask for in between is carried out before a
 * second payment.
 */
function planReturning(random: Random, first: number, provider: number) {
  const saver: OrderPlan = {
    provider,
    center: null,
    rut: random.pick(["11111111-1", "12345678-5"]),
    total: 10_000 + random.below(300_000),
    cards: [random.pick([GOOD_CARD, GOOD_CARD, "4051885600000040", "4051884239937763"]), GOOD_CARD],
    presses: "approve",
    registers: true,
    receiptFirst: false,
    keeps: true,
  };
  const back: OrderPlan = { ...saver, registers: false, returnsFrom: first, keeps: random.percent(30) };
  const removal = wishes(
    first,
    random.pick([
      { to: "remove_cards" },
      { to: "remove_cards" },
      { to: "withdraw", purpose: "saved_card" },
      { to: "erase" },
      { to: "see_data" },
    ] as const),
  );
  const second = goOn(first + 1, 3);
  const isReadyBefore = random.percent(50);
  const third = goOn(first + 2, isReadyBefore ? 2 : 0);
  return {
    orders: [saver, back, back],
    happenings: [
      ...goOn(first, 6),
      minutes(2),
      minutes(15),
      ...(random.percent(70) ? second : []),
      minutes(2),
      ...third,
      removal,
      minutes(4),
      ...goOn(first + 2, 6),
      minutes(15),
    ],
  };
}

const PATIENTS_PERCENT = 10;
const STORY_PERCENT = 45;
const CARD_PAGE_PERCENT = 20;
const FORGETFUL_PERCENT = 20;
const STANDSTILL_PERCENT = 10;

function planCenters(random: Random): CenterAccount[] {
  if (random.percent(60)) return [];
  return Array.from({ length: 1 + random.below(2) }, () => random.pick(["there", "there", "none", "refused"] as const));
}

interface PatientsOf {
  readonly orders: number;
  readonly providers: readonly ProviderPlan[];
}

function stepOf(random: Random, happening: Happening): Step {
  return {
    number: 0,
    happening,
    on: random.below(INSTANCES),
    alongside: random.percent(25),
    troubles: random.percent(40) ? planTroubles(random) : [],
  };
}

/** Chains of events that rarely occur by chance, about an order created for them. */
type Story = (
  random: Random,
  about: { readonly order: number; readonly provider: number; readonly centers: number },
) => { readonly cast: Partial<OrderPlan>; readonly happenings: readonly Happening[] };

function planStory(
  random: Random,
  stories: readonly [Story, ...Story[]],
  number: number,
  providers: readonly ProviderPlan[],
): { readonly order: OrderPlan; readonly steps: readonly Step[] } {
  const provider = random.below(providers.length);
  const centers = providers[provider]?.centers.length ?? 0;
  const { cast, happenings } = random.pick(stories)(random, { order: number, provider, centers });
  const order: OrderPlan = {
    provider,
    center: centers === 0 ? null : random.below(centers),
    rut: random.pick(["40100000-3", "40008548-K", "40926386-0"]),
    total: 10_000 + random.below(300_000),
    cards: [GOOD_CARD],
    presses: "approve",
    registers: random.percent(50),
    receiptFirst: false,
    ...cast,
  };
  return { order, steps: happenings.map((happening) => stepOf(random, happening)) };
}

export const NEVER_ANSWERED = "40000778-0";
export const LATER_DECLINED = "4051885600000065";

/** Stories that may occur at any step of a life. */
const EARLY_STORIES: readonly [Story, ...Story[]] = [
  // A consent that a claim requires is withdrawn, then the order is paid, and the receipt arrives.
  (random, { order }) => {
    const purpose = random.pick(["claim_mandate", "health_data"] as const);
    const withdraw = wishes(order, { to: "withdraw", purpose });
    const after: readonly Happening[] = [{ does: "receipt", order }, { does: "run_due" }, days(1)];
    return {
      cast: { registers: true, receiptFirst: false },
      happenings: [...goOn(order, 2), withdraw, ...goOn(order, 4), ...after],
    };
  },
  // A patient is erased while their clinics continue.
  (random, { order }) => {
    const erase = wishes(order, { to: "erase" });
    const before = goOn(order, 2 + random.below(5));
    const after: readonly Happening[] = [{ does: "receipt", order }, days(2), wishes(order, { to: "see_data" }), erase];
    return { cast: { registers: true }, happenings: [...before, { does: "receipt", order }, erase, ...after] };
  },
  // A centre's account is closed, and it sets another one days later.
  (random, { order, provider, centers }) => {
    const center = random.below(Math.max(1, centers));
    const tell = (account: CenterAccount): Happening => ({ does: "account", provider, center, account });
    const happenings = [tell("refused"), ...goOn(order, 6), days(2), tell("there"), days(2)];
    return { cast: centers === 0 ? {} : { center }, happenings };
  },
];

/** Stories that occur after weeks have passed. */
const LATE_STORIES: readonly [Story, ...Story[]] = [
  // The charge is announced, and the patient repeatedly tries to pay early.
  (random, { order }) => {
    const press = (times: number) => wishes(order, { to: "pay_early", times, twice: random.percent(25) });
    const first = random.pick([LATER_DECLINED, LATER_DECLINED, "5186059550000013", ASKS_LATER] as const);
    return {
      cast: { rut: NEVER_ANSWERED, cards: [first] },
      happenings: [...toAnnouncement(order), press(1), minutes(2), press(5), days(1), press(3), minutes(2), press(1)],
    };
  },
  // A charge is declined, and the patient gives another card, perhaps after all attempts are over and operators have
  // given up.
  (random, { order, provider }) => {
    const change = wishes(order, { to: "change_card", card: random.pick(LATER_CARDS) });
    const givenUp: readonly Happening[] = [
      ...dayByDay(12),
      { does: "operator", provider, resolution: random.pick(["write_off", "paid_otherwise"] as const) },
    ];
    const before = random.percent(70) ? givenUp : [];
    return {
      cast: { rut: NEVER_ANSWERED, cards: [LATER_DECLINED] },
      happenings: [...toAnnouncement(order), ...dayByDay(5), ...before, change, days(2), change, days(3)],
    };
  },
  // A bank takes a charge back; the patient pays, operators review it.
  (random, { order, provider }) => {
    const pay = wishes(order, { to: "pay_early", times: 1, twice: false });
    const end = random.pick(["chargeback_won", "chargeback_lost", "chargeback_lost"] as const);
    const operate = (resolution: OperatorResolution): Happening => ({ does: "operator", provider, resolution });
    return {
      cast: { rut: NEVER_ANSWERED, cards: [GOOD_CARD] },
      happenings: [
        ...toAnnouncement(order),
        { does: "charge_back", order },
        days(1),
        pay,
        operate(end),
        operate("release"),
        minutes(2),
        pay,
        days(1),
      ],
    };
  },
];

export function toAnnouncement(order: number): readonly Happening[] {
  return [...goOn(order, 7), { does: "pass_to_announcement", order }];
}

export function wishes(order: number, wish: PatientWish): Happening {
  return { does: "patient", order, wish };
}

export function goOn(order: number, times: number): readonly Happening[] {
  return Array.from({ length: times }, () => ({ does: "go_on", order, twice: false }));
}

/** The pause between two codes for one patient. */
export function minutes(count: number): Happening {
  return { does: "pass", milliseconds: count * MINUTE_MS };
}

export function days(count: number): Happening {
  return { does: "pass", milliseconds: count * DAY_MS };
}

/** An outage of ours. */
export function standStill(days: number): Happening {
  return { does: "stand_still", milliseconds: days * DAY_MS };
}

/** Days without an outage: a charge that is announced for one of them is made on it. */
export function dayByDay(count: number): readonly Happening[] {
  return Array.from({ length: count }, () => days(1));
}

function planPatientHappening(random: Random, { orders, providers }: PatientsOf): Happening {
  const order = random.below(orders);
  const provider = random.below(providers.length);
  const centers = providers[provider]?.centers.length ?? 0;
  const dice = random.below(100);
  if (dice < 12 && centers > 0) {
    const account = random.pick(["there", "there", "there", "refused"] as const);
    return { does: "account", provider, center: random.below(centers), account };
  }
  if (dice < 30) return { does: "operator", provider, resolution: random.pick(OPERATOR_RESOLUTIONS) };
  return { does: "patient", order, wish: planWish(random) };
}

function planWish(random: Random): PatientWish {
  const dice = random.below(100);
  if (dice < 20) return { to: "pay_early", times: random.percent(70) ? 1 : 5, twice: random.percent(20) };
  if (dice < 40) return { to: "change_card", card: random.pick(LATER_CARDS) };
  if (dice < 58) return { to: "give_access" };
  if (dice < 70) return { to: "see_data" };
  if (dice < 90) return { to: "withdraw", purpose: random.pick(WITHDRAWN) };
  return { to: "erase" };
}

const WITHDRAWN = [
  "claim_mandate",
  "claim_mandate",
  "health_data",
  "insurer_access",
  "later_charge",
  "terms_and_credit",
  "marketing",
] as const;

function planOrder(random: Random, providers: number): OrderPlan {
  return {
    provider: random.below(providers),
    center: null,
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
    if (dice < 80) return { ...troubleAtCall(random, 1 + random.below(2)), of: random.pick(CALLS_WITH_EFFECT) };
    return troubleAtCall(random, 1 + random.below(random.pick([1, 3, 6])));
  });
}

function troubleAtStatement(random: Random, number: number): Trouble & { readonly at: "statement" } {
  return { at: "statement", kind: random.pick(STATEMENT_TROUBLES), number };
}

/** Faults at the most dangerous moments: after a write, before its outcome is known. */
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

/** Calls that move money or a claim. */
const CALLS_WITH_EFFECT = [
  "charge",
  "returnCharge",
  "authoriseLoan",
  "confirmLoan",
  "reduceLoan",
  "transfer",
  "fileClaim",
  "sendEmail",
] as const;

/** Over days there are few calls, and each one matters: charges, transfers, claims. */
function planLateTroubles(random: Random): Trouble[] {
  const dice = random.below(100);
  if (dice < 20) return planTroubles(random);
  if (dice < 35) return [troubleAtCall(random, 1 + random.below(8))];
  // If the step makes no such call, its fault has no effect.
  return Array.from({ length: 3 }, () => ({ ...troubleAtCall(random, 1), of: random.pick(LATE_CALLS) }));
}

/** A refund whose answer is lost is requested again once it is recorded. */
function planRefundTroubles(random: Random): Trouble[] {
  if (random.percent(40)) return planTroubles(random);
  return [troubleAtCommit(random, 1 + random.below(4))];
}

const LATE_CALLS = ["transfer", "transfer", "charge", "charge", "returnCharge", "reduceLoan", "fileClaim"] as const;
