import { createHash } from "node:crypto";
import type { Clp } from "../contract/vocabulary/clp.ts";
import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import { idFor } from "../platform/ids.ts";
import type { Movement, RefundRecord } from "./order-record.ts";

/*
 * The ids of an order's charges, from which the keys of their calls are made. Each kind is counted through the order's
 * whole life: a database that lost its last hours thus asks under every key that the processor already knows before it
 * comes to a new one, and the charge that was captured is found again instead of being made twice.
 */

export function firstChargeId(orderId: OrderId, number: number): string {
  return idFor(`${orderId}:first:${number}`);
}

/**
 * The asking of an issuer about a card that replaces another. A processor may name a card as before when it is given
 * again.
 */
export function cardAuthenticationId(orderId: OrderId, cardId: string, number: number): string {
  return idFor(`${orderId}:card-authentication:${cardId}:${number}`);
}

/** The asking of an issuer about an early payment. */
export function earlyAuthenticationId(orderId: OrderId, number: number): string {
  return idFor(`${orderId}:early-authentication:${number}`);
}

export function deferredChargeId(orderId: OrderId, number: number): string {
  return idFor(`${orderId}:deferred:${number}`);
}

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

/**
 * Hash by which a repeated `Idempotency-Key` is recognised. Only the hash is stored, because a partner may put anything
 * in a key.
 */
export function hashKey(key: string): string {
  return createHash("sha256").update(key, "utf8").digest("hex");
}
