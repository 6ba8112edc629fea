/** Settlements: the card processor's payments for what it captured, and the fees that it kept. */

import { addClp, type Clp, subtractClp, ZERO } from "../contract/vocabulary/clp.ts";
import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import type { Settlement, SettlementLine } from "../gateways/card-processor.ts";

/** A booked settlement without its lines. */
export interface BookedSettlement {
  readonly id: string;
  /** The amount that arrived in our bank account. */
  readonly amount: Clp;
  readonly fee: Clp;
  readonly feeVat: Clp;
  readonly paidAt: Date;
}

/** A booked line of a settlement. */
export interface BookedLine extends Pick<SettlementLine, "id" | "kind" | "amount" | "fee" | "feeVat"> {
  /** The id of the attempt, payment or movement that the service requested, or the processor's own id. */
  readonly source: string;
  readonly orderId: OrderId | null;
}

/** The settled amount of one charge or return, over any number of settlements. */
export interface SettledMovement {
  readonly source: string;
  readonly kind: "charge" | "return";
  readonly orderId: OrderId | null;
  readonly amount: Clp;
  /** When it was settled last. */
  readonly at: Date;
}

/** The amount that the lines of a settlement add up to: charges less returns and fees. */
export function sumOfLines(lines: readonly SettlementLine[]): Clp {
  return addClp(...lines.map(({ kind, amount, fee, feeVat }) => subtractClp(gross(kind, amount), addClp(fee, feeVat))));
}

/** Charges and won disputes are credits; returns and chargebacks are debits. */
function gross(kind: SettlementLine["kind"], amount: Clp): Clp {
  return kind === "return" || kind === "chargeback" ? subtractClp(ZERO, amount) : amount;
}

/** A settlement whose lines do not sum to its amount is not booked, because it cannot be split by order. */
export function addsUp({ amount, lines }: Pick<Settlement, "amount" | "lines">): boolean {
  return sumOfLines(lines) === amount;
}

export function bookedSettlement({ id, amount, lines, at }: Settlement): BookedSettlement {
  const [fee, feeVat] = [addClp(...lines.map((line) => line.fee)), addClp(...lines.map((line) => line.feeVat))];
  return { id, amount, fee, feeVat, paidAt: at };
}

/** The idempotency key of a call begins with the id of its attempt, payment or movement. */
export function bookedLine({ id, kind, idempotencyKey, orderHash, amount, fee, feeVat }: SettlementLine): BookedLine {
  const source = idempotencyKey?.split(":")[0] ?? id;
  return { id, kind, source, orderId: orderHash, amount, fee, feeVat };
}
