import { dayInWords } from "../../src/platform/day-in-words.ts";
import { type CalendarDay, santiagoDay } from "../../src/platform/santiago-time.ts";
import type { Facts } from "./facts.ts";
import { SKEW_MAX_MS } from "./life-plan.ts";

/*
 * Compares the promises about coming charges, in mails and on the page for another card, with the charges that the
 * processor received afterwards.
 */

/** A sentence about an order's coming charges. */
type ChargePromise = { readonly orderId: string; readonly notifiedAt: Date } & (
  | { readonly says: "no_more_charges" }
  /** The card of this attempt is not charged again. */
  | { readonly says: "not_again"; readonly attemptId: string }
  | {
      readonly says: "on_day";
      readonly day: CalendarDay;
      readonly amount: number;
      /** May be announced on the day of the charge. */
      readonly isSameDay: boolean;
      /** Another cause may make the charge earlier, or the charge has a condition. */
      readonly mayComeEarlier: boolean;
    }
);

const DAY = String.raw`(?<date>\d+) (?:de )?(?<month>\p{L}+) (?:de )?(?<year>\d{4})`;
const SUM = String.raw`\$(?<sum>[\d.]+)`;
const TABLE_SUM = new RegExp(`^(?:Segundo cobro|Second charge): ${SUM}$`, "m");

/** Sentences that name the day of a charge, and the position of its amount. */
const DATED = [
  {
    day: new RegExp(`(?:el segundo cobro el|make the second charge on) ${DAY}, (?:una|once)`, "u"),
    sum: TABLE_SUM,
  },
  {
    day: new RegExp(`(?:de nuevo el|again on) ${DAY}\\. (?:Si prefieres|If you prefer)`, "u"),
    sum: new RegExp(`(?:Intentaremos cobrar|We will try to charge) ${SUM}`),
  },
  {
    day: new RegExp(`(?:sigue bloqueado el|still blocked on) ${DAY},`, "u"),
    sum: new RegExp(`(?:ese día el segundo cobro, de|make the second charge that day,) ${SUM},`),
    isConditional: true,
  },
  {
    day: new RegExp(`(?:Hoy,|^El|Today,|^On) ${DAY},? (?:cobramos|we charge)`, "mu"),
    sum: TABLE_SUM,
    isSameDay: true,
  },
];
const EARLIER = /, (?:o antes si|or earlier if) /;
const NO_MORE =
  /no habrá más cobros|no cobraremos nada más en tu tarjeta|there will be no more charges|nothing more will be charged to/i;
const NOT_AGAIN = /No lo intentaremos de nuevo con esta tarjeta|We will not try again with this card/;

/** The maximum difference between two instances' clocks. */
const CLOCKS_APART_MS = 2 * SKEW_MAX_MS;

/** Mails about a charge by the mandate. */
const ANNOUNCING = ["charge_announced", "charge_declined", "claim_approved", "access_blocked"];

const MONTHS = (["es-CL", "en"] as const).map((locale) =>
  Array.from({ length: 12 }, (_, month) => dayInWords(`2027-${twoDigits(month + 1)}-01`, locale)),
);

function twoDigits(number: number): string {
  return String(number).padStart(2, "0");
}

function dayNamed({ date = "", month = "", year = "" }: Partial<Record<string, string>>): CalendarDay {
  const number = Math.max(...MONTHS.map((months) => months.findIndex((first) => first.includes(` ${month} `)))) + 1;
  return `${year}-${twoDigits(number)}-${date.padStart(2, "0")}`;
}

function mailed(facts: Facts): ChargePromise[] {
  return facts.notices.flatMap(({ id, order_id: orderId, cause, channel, created_at }) => {
    const text = facts.sandbox_notices.find(({ message_id }) => message_id === id)?.text;
    if (channel !== "email" || orderId === null || text == null) return [];
    const announced = { orderId, notifiedAt: new Date(created_at) };
    const [, attemptId = ""] = cause.split(":");
    return [
      ...(NO_MORE.test(text) ? [{ ...announced, says: "no_more_charges" } as const] : []),
      ...(NOT_AGAIN.test(text) ? [{ ...announced, says: "not_again", attemptId } as const] : []),
      ...DATED.flatMap(({ day, sum, isConditional = false, isSameDay = false }) => {
        const named = day.exec(text)?.groups;
        const amount = Number(sum.exec(text)?.groups?.sum?.replaceAll(".", ""));
        const mayComeEarlier = isConditional || EARLIER.test(text);
        return named === undefined
          ? []
          : [{ ...announced, says: "on_day", day: dayNamed(named), amount, isSameDay, mayComeEarlier } as const];
      }),
    ];
  });
}

/**
 * The page was shown before the card was given. The card may then not have been used, so the page contradicts no other
 * sentence.
 */
function shownOnPage({ shown_charges }: Facts): ChargePromise[] {
  return shown_charges.map(({ orderId, amount, on, at: notifiedAt }) => {
    const day = on === "now" ? santiagoDay(notifiedAt) : on;
    return { orderId, notifiedAt, says: "on_day", day, amount, isSameDay: true, mayComeEarlier: true };
  });
}

/**
 * No charge contradicts an announcement. A charge by the mandate is announced with its day and at least its amount, on
 * an earlier day unless an approval or a new card causes it. No charge is made before the last announced day, with a
 * card that was not to be tried again, or after an announced end of charges.
 */
export function chargesMatchAnnouncements(facts: Facts): string[] {
  const promises = [...mailed(facts), ...shownOnPage(facts)];
  return facts.collection_attempts.flatMap((attempt) => {
    const { order_id, state } = attempt;
    return state === "not_made" || !isJudged(facts, order_id)
      ? []
      : faultsOf(
          facts,
          attempt,
          promises.filter(({ orderId }) => orderId === order_id),
        ).map((fault) => `order ${order_id} is charged ${fault}`);
  });
}

/**
 * Skips an order with a mail of the previous version, or with an undelivered mail about a charge. Also skips one whose
 * provider's clock was moved, because notifications have the service's time.
 */
function isJudged({ orders, notices, sandbox_notices, of_this_version_since: since }: Facts, orderId: string): boolean {
  if (orders.some(({ id, clock_offset_ms: offset }) => id === orderId && offset !== 0)) return false;
  return notices
    .filter((notice) => notice.order_id === orderId && notice.channel === "email")
    .every(
      ({ id, kind, created_at }) =>
        (since === null || new Date(created_at) > since) &&
        (!ANNOUNCING.includes(kind) || sandbox_notices.some(({ message_id }) => message_id === id)),
    );
}

function faultsOf(
  { now, order_payments, collection_attempts }: Facts,
  { id, card_id, initiator, called_at, settled_at }: Facts["collection_attempts"][number],
  promises: readonly ChargePromise[],
): string[] {
  const amount = order_payments.find((payment) => payment.id === id)?.amount ?? 0;
  const calledAt = new Date(called_at);
  const day = santiagoDay(calledAt);
  const isBefore = (moment: Date) => (announced: ChargePromise) =>
    moment.getTime() - announced.notifiedAt.getTime() > CLOCKS_APART_MS;
  const isOver = promises
    .filter(isBefore(settled_at === null ? now : new Date(settled_at)))
    .some(({ says }) => says === "no_more_charges");
  const overs = isOver ? ["although its patient was told of no more charges"] : [];
  if (initiator === "patient") return overs;
  const dated = promises.filter((announced) => announced.says === "on_day");
  const announced = dated.filter(
    (announced) =>
      announced.day === day &&
      amount <= announced.amount &&
      announced.notifiedAt.getTime() - calledAt.getTime() <= CLOCKS_APART_MS &&
      (announced.isSameDay || santiagoDay(announced.notifiedAt) < day),
  );
  const isGivenUp = promises
    .filter(isBefore(calledAt))
    .some(
      (announced) =>
        announced.says === "not_again" &&
        collection_attempts.some((other) => other.id === announced.attemptId && other.card_id === card_id),
    );
  // An announcement on the day itself replaces any other day.
  const named = announced.some(({ isSameDay }) => isSameDay)
    ? undefined
    : dated
        .filter(isBefore(calledAt))
        .toSorted((one, other) => one.notifiedAt.getTime() - other.notifiedAt.getTime())
        .at(-1);
  return [
    ...overs,
    ...(announced.length > 0 ? [] : [`${amount} on ${day}, which was not announced`]),
    ...(isGivenUp ? ["with a card that was not to be tried again"] : []),
    ...(named !== undefined && named.day > day && !named.mayComeEarlier ? [`before ${named.day}`] : []),
  ];
}
