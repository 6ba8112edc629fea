import { beforeAll, expect, test } from "vitest";
import { type Moment, stepBetween } from "../sim/order-path.ts";
import { momentsOfTraces } from "./moments.ts";

/** Quint produces some traces within a second, but only a few on a busy machine. */
const TRACES_WITHIN_MS = 300_000;

type Pair = readonly [Moment, Moment];

/** The steps of some traces that change anything, each as the state before and after. */
let pairs: readonly Pair[] = [];
beforeAll(async () => {
  const traces = await momentsOfTraces(7, 24, 16);
  pairs = traces.flatMap((moments) =>
    moments.slice(1).flatMap((after, index): Pair[] => {
      const before = moments[index];
      return before === undefined || stepBetween(before, after) === "nothing_changes" ? [] : [[before, after]];
    }),
  );
}, TRACES_WITHIN_MS);

/** The model combines consecutive transactions of the service into one step. */
function between(before: Moment, after: Moment): readonly Moment[] {
  const isAnswered = (status: string | undefined) => status === "done" || status === "refused";
  const answered = before.refunds.map((refund, at) => ({
    ...refund,
    movements: refund.movements.map((movement, number) => {
      const status = after.refunds[at]?.movements[number]?.status;
      return { ...movement, status: status !== undefined && isAnswered(status) ? status : movement.status };
    }),
  }));
  const { disputes, openDisputes } = before;
  return [
    { ...before, refunds: answered },
    { ...after, collection: before.collection },
    { ...before, disputes: disputes + 1, openDisputes: openDisputes + 1, collection: after.collection },
  ];
}

function isAccepted(before: Moment, after: Moment, depth = 2): boolean {
  if (stepBetween(before, after) !== null) return true;
  if (depth === 0) return false;
  return between(before, after).some((middle) => {
    const step = stepBetween(before, middle);
    return step !== null && step !== "nothing_changes" && isAccepted(middle, after, depth - 1);
  });
}

test("the simulation's rule accepts each step of the model", () => {
  expect(pairs.length).toBeGreaterThan(100);
  expect(pairs.filter(([before, after]) => !isAccepted(before, after))).toEqual([]);
});

/** Changes that make a state unreachable by any step. */
const CHANGES: Readonly<Record<string, (after: Moment) => Moment | null>> = {
  "a peso more is claimed": (after) => ({ ...after, accepted: after.accepted + 1 }),
  "a peso more is refunded": (after) => ({ ...after, refunded: after.refunded + 1 }),
  "a peso less is cancelled": (after) => ({ ...after, cancelled: after.cancelled - 1 }),
  "a peso more is collected": (after) => ({ ...after, collected: after.collected + 1 }),
  "it is told as paid once more": (after) => ({ ...after, paidEvents: after.paidEvents + 1 }),
  "a chargeback is forgotten": (after) => (after.disputes === 0 ? null : { ...after, disputes: after.disputes - 1 }),
  "the last attempt is forgotten": (after) =>
    after.attempts.length === 0 ? null : { ...after, attempts: after.attempts.slice(1) },
  "a refund is forgotten": (after) =>
    after.refunds.length === 0 ? null : { ...after, refunds: after.refunds.slice(1) },
  "a charge is captured twice": (after) =>
    after.charges.length === 0 ? null : { ...after, charges: [...after.charges, ...after.charges.slice(-1)] },
  "the order is another": (after) => ({ ...after, order: after.order === "refunded" ? "paid" : "refunded" }),
};

test.each(Object.entries(CHANGES))("no step of the model reaches the state if %s", (_, change) => {
  const changed = pairs.flatMap(([before, after]): Pair[] => {
    const other = change(after);
    return other === null ? [] : [[before, other]];
  });
  expect(changed.length).toBeGreaterThan(0);
  expect(changed.filter(([before, after]) => isAccepted(before, after))).toEqual([]);
});
