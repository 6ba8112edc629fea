import type { Clp } from "../../contract/vocabulary/clp.ts";
import type { OrderId } from "../../contract/vocabulary/identifiers.ts";
import { idFor } from "../../platform/ids.ts";
import type { Movement, RefundRecord } from "../order-record.ts";

/**
 * The id of a refund. The partner's own name for it, its reference or its key, is the same when it asks again after our
 * database has lost the refund. A refund without either is told apart by its place and amount.
 */
export function refundIdOf(
  orderId: OrderId,
  {
    refundReference,
    keyHash,
    number,
    amount,
  }: Pick<RefundRecord, "refundReference" | "keyHash"> & {
    readonly number: number;
    readonly amount: Clp;
  },
): string {
  if (refundReference !== null) return idFor(`${orderId}:refund:reference:${refundReference}`);
  return idFor(`${orderId}:refund:${keyHash === null ? `number:${number}:${amount}` : `key:${keyHash}`}`);
}

/** The id of a movement, from which the key of its call is made: a refund has at most one of a kind for each charge. */
export function movementId(refundId: string, movement: Movement): string {
  return idFor(
    `${refundId}:${movement.kind}:${movement.paymentId ?? (movement.kind === "loan_reduction" ? "loan" : "otherwise")}`,
  );
}
