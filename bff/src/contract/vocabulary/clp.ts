import * as z from "zod/mini";
import type { Brand } from "./brand.ts";

/** An amount in Chilean pesos, always an integer. Only differences may be negative. */
export type Clp = Brand<number, "Clp">;

export const ORDER_TOTAL_CLP_MAX = 999_999_999;

export function isClp(value: unknown): value is Clp {
  return typeof value === "number" && Number.isSafeInteger(value);
}

/** Thrown when a number that must be an amount of pesos is not a safe integer. */
export class NotAnAmount extends Error {
  override name = "NotAnAmount";
}

export function clp(value: number): Clp {
  const amount = Object.is(value, -0) ? 0 : value;
  if (!isClp(amount)) throw new NotAnAmount("an amount of pesos must be an integer");
  return amount;
}

export const ZERO = clp(0);

export function addClp(...amounts: readonly Clp[]): Clp {
  return clp(amounts.reduce((sum, amount) => sum + amount, 0));
}

export function subtractClp(from: Clp, amount: Clp): Clp {
  return clp(from - amount);
}

export function minClp(a: Clp, b: Clp): Clp {
  return a <= b ? a : b;
}

/**
 * The share of an amount, rounded half up. The share is an integer in basis points (30 % is 3000), so that no binary
 * fraction affects the result.
 */
export function shareRoundedHalfUp(amount: Clp, basisPoints: number): Clp {
  return clp(Number((BigInt(amount) * BigInt(basisPoints) + 5_000n) / 10_000n));
}

/** `12345` → `$12.345`, as it is written in Chile. */
export function formatClp(amount: Clp): string {
  return pesos.format(amount);
}

// Marked as pure so that bundles without `formatClp` leave it out.
const pesos = /* @__PURE__ */ new Intl.NumberFormat("es-CL", { style: "currency", currency: "CLP" });

/** An amount in our responses. */
export const clpSchema = z.pipe(
  z.int(),
  z.transform((value: number): Clp => clp(value)),
);
