import type { DifferenceKind, ReconciledParty } from "../contract/reconciliation.ts";
import { addClp, type Clp } from "../contract/vocabulary/clp.ts";
import type { OrderId } from "../contract/vocabulary/identifiers.ts";

export interface Difference {
  readonly kind: DifferenceKind;
  readonly party: ReconciledParty;
  readonly orderId: OrderId | null;
  readonly reference: string;
  readonly expected: Clp | null;
  readonly found: Clp | null;
  readonly at: Date;
}

/** The id that an idempotency key or a ledger cause contains: the id of the attempt, movement or payout. */
export function sourceOf(keyOrCause: string, part: 0 | 1): string {
  return keyOrCause.split(":")[part] ?? keyOrCause;
}

/**
 * A line of one party. The party is included because attempts have the same id at the card processor and at the lender.
 */
export function lineName(party: ReconciledParty, reference: string): string {
  return `${party} ${reference}`;
}

export interface Line {
  readonly orderId: OrderId | null;
  readonly amount: Clp;
  readonly at: Date;
}

/** Adds up the lines that have the same id. */
export function sumBy<Item>(
  items: readonly Item[],
  read: (item: Item) => Line & { readonly id: string },
): Map<string, Line> {
  const lines = new Map<string, Line>();
  for (const item of items) {
    const { id, orderId, amount, at } = read(item);
    const before = lines.get(id);
    lines.set(
      id,
      before === undefined ? { orderId, amount, at } : { ...before, amount: addClp(before.amount, amount) },
    );
  }
  return lines;
}

export interface Kinds {
  readonly party: ReconciledParty;
  readonly missing: DifferenceKind;
  readonly notBooked: DifferenceKind;
  readonly amountDiffers: DifferenceKind;
}

/** The lines that are missing on either side or differ in amount. */
export function compareLines(booked: Map<string, Line>, listed: Map<string, Line>, kinds: Kinds): Difference[] {
  const { party } = kinds;
  const ours = [...booked].flatMap(([reference, { orderId, amount, at }]): Difference[] => {
    const found = listed.get(reference)?.amount ?? null;
    if (found === amount) return [];
    const kind = found === null ? kinds.missing : kinds.amountDiffers;
    return [{ kind, party, orderId, reference, expected: amount, found, at }];
  });
  const theirs = [...listed]
    .filter(([reference]) => !booked.has(reference))
    .map(
      ([reference, { orderId, amount, at }]): Difference => ({
        kind: kinds.notBooked,
        party,
        orderId,
        reference,
        expected: null,
        found: amount,
        at,
      }),
    );
  return [...ours, ...theirs];
}
