import type { ModelState } from "./model-state.ts";
import type { Seen } from "./moment.ts";

/* What is compared after each step: the order with its payments, refunds and collection, and the processor's list. */

/** As `createReplayed` makes it. */
const SUMS = { total: 100_000, deferred: 70_000 };

export function seenInModel(state: ModelState): Seen {
  const { order, accepted, refunded, cancelled, collected, paidEvents, collection, world } = state;
  const { state: standing, failure, trigger, charges } = collection;
  const noted = state.chargebacks.filter((one) => one.noted);
  return {
    ...SUMS,
    order,
    accepted,
    refunded,
    cancelled,
    collected,
    paidEvents,
    attempts: state.attempts.map((attempt) => ({
      state: attempt.state,
      ending: attempt.ending,
      payment: paymentOf(attempt),
    })),
    refunds: state.refunds.map(({ amount, status, allocated, movements }) => ({
      amount,
      status,
      allocated,
      movements: movements.map((one) => ({
        kind: one.kind,
        amount: one.amount,
        commission: one.commission,
        status: one.status,
      })),
    })),
    collection: standing === "none" ? null : { state: standing, failure, trigger },
    charges: charges.map(({ status, price, commission }) => ({ status, price, commission })),
    disputes: noted.length,
    openDisputes: noted.filter(({ open }) => open).length,
    took: sum(world.took.map(([, amount]) => amount)),
    gave: sum(world.gave.map(([, amount]) => amount)),
  };
}

function paymentOf({ state, charge }: ModelState["attempts"][number]): string {
  const isEnded = state === "declined" || state === "failed";
  if (isEnded) return charge ? "undone" : state;
  return charge ? "captured" : "processing";
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}

/** The published states, where they are not the service's own. */
const PUBLISHED: Readonly<Record<string, string>> = {
  awaiting_payment: "pending",
  paying: "pending",
  payment_failed: "pending",
  first_captured: "partially_paid",
  expired: "cancelled",
  credit_refused: "cancelled",
  stopped: "failed",
};

/** What the order's partner is shown of it. */
export interface Shown {
  readonly status: string;
  readonly refunded_amount: number;
  readonly collection: string | null;
}

export function shownInModel({ order, refunded, collection: { state } }: ModelState): Shown {
  const collection = state === "none" ? null : (PUBLISHED[state] ?? state);
  return { status: PUBLISHED[order] ?? order, refunded_amount: refunded, collection };
}

/** The names of what differs, with both values. */
export function differences(model: object, product: object): readonly string[] {
  const names = [...new Set([...Object.keys(model), ...Object.keys(product)])];
  const value = (of: object, name: string) => JSON.stringify(sorted(Reflect.get(of, name)));
  return names
    .filter((name) => value(model, name) !== value(product, name))
    .map((name) => `${name}: the model has ${value(model, name)}, the product ${value(product, name)}`);
}

/** Objects with their names in one order, so that they can be compared as text. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => a.localeCompare(b))
      .map(([name, inner]) => [name, sorted(inner)]),
  );
}
