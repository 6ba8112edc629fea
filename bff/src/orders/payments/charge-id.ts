import type { OrderId } from "../../contract/vocabulary/identifiers.ts";
import { idFor } from "../../platform/ids.ts";

/*
 * The ids of an order's charges, from which the keys of their calls are made. Each kind is counted through the order's
 * whole life: a database that lost its last hours thus asks under every key that the processor already knows before it
 * comes to a new one, and the charge that was captured is found again instead of being made twice.
 */

export function firstChargeId(orderId: OrderId, number: number): string {
  return idFor(`${orderId}:first:${number}`);
}

/** The asking of an issuer about a card that replaces another. A processor may name a card as before when it is given again. */
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
