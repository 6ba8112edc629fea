import { createHash } from "node:crypto";
import type { Clp } from "../contract/vocabulary/clp.ts";
import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import { idFor } from "../platform/ids.ts";
import type { Movement, RefundRecord } from "./order-record.ts";

/*
 * The ids of an order's charges; the keys of their calls are derived from them. Each kind is numbered through the
 * order's whole life. After a restore that lost the last hours, the service tries every key that the processor knows
 * first, and so finds a captured charge instead of repeating it.
 */

export function firstChargeId(orderId: OrderId, number: number): string {
  return idFor(`${orderId}:first:${number}`);
}

export function deferredChargeId(orderId: OrderId, number: number): string {
  return idFor(`${orderId}:deferred:${number}`);
}

/**
 * The id of a refund. It derives from the partner's reference or key, so a repeat gets the same id even if our database
 * has lost the refund. A refund with neither is identified by its number and amount.
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

/**
 * The id of a movement; its call's key derives from it. A refund has at most one movement of a kind for each charge.
 */
export function movementId(refundId: string, movement: Movement): string {
  return idFor(
    `${refundId}:${movement.kind}:${movement.paymentId ?? (movement.kind === "loan_reduction" ? "loan" : "otherwise")}`,
  );
}

/**
 * Hash that identifies a repeated `Idempotency-Key`; null if the request has none. Only the hash is stored, because a
 * partner may put anything in a key.
 */
export function hashKey(key: string | undefined): string | null {
  return key === undefined ? null : createHash("sha256").update(key, "utf8").digest("hex");
}
