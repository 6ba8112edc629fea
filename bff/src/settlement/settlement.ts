/** What the card processor has paid in for what it captured, and the fees that it kept. */

import { addClp, type Clp, subtractClp, ZERO } from "../contract/vocabulary/clp.ts";
import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import type { Settlement, SettlementLine } from "../gateways/card-processor.ts";

/** A settlement without its lines, as the books have it. */
export interface BookedSettlement {
  readonly id: string;
  /** What came into our bank account. */
  readonly amount: Clp;
  readonly fee: Clp;
  readonly feeVat: Clp;
  readonly paidAt: Date;
}

/** A line of a settlement, as the books have it. */
export interface BookedLine extends Pick<SettlementLine, "id" | "kind" | "amount" | "fee" | "feeVat"> {
  /** The id of the attempt, payment or movement for which the service asked, or the processor's own. */
  readonly source: string;
  readonly orderId: OrderId | null;
}

/** What was settled for one charge or return, in however many settlements. */
export interface SettledMovement {
  readonly source: string;
  readonly kind: "charge" | "return";
  readonly orderId: OrderId | null;
  readonly amount: Clp;
  /** When it was settled last. */
  readonly at: Date;
}

/** What the lines of a settlement say that it pays in: what came in and went back, less the fees. */
export function sumOfLines(lines: readonly SettlementLine[]): Clp {
  return addClp(...lines.map(({ kind, amount, fee, feeVat }) => subtractClp(gross(kind, amount), addClp(fee, feeVat))));
}

/** Charges and what was won back come in; returns and chargebacks go out. */
function gross(kind: SettlementLine["kind"], amount: Clp): Clp {
  return kind === "return" || kind === "chargeback" ? subtractClp(ZERO, amount) : amount;
}

/**
 * A settlement whose lines do not sum to its amount is not booked, since nobody can tell what of it is which order's.
 */
export function addsUp({ amount, lines }: Pick<Settlement, "amount" | "lines">): boolean {
  return sumOfLines(lines) === amount;
}

export function bookedSettlement({ id, amount, lines, at }: Settlement): BookedSettlement {
  const [fee, feeVat] = [addClp(...lines.map((line) => line.fee)), addClp(...lines.map((line) => line.feeVat))];
  return { id, amount, fee, feeVat, paidAt: at };
}

/** The idempotency key of a call begins with the id for which it was made. */
export function bookedLine({ id, kind, idempotencyKey, orderHash, amount, fee, feeVat }: SettlementLine): BookedLine {
  const source = idempotencyKey?.split(":")[0] ?? id;
  return { id, kind, source, orderId: orderHash, amount, fee, feeVat };
}
