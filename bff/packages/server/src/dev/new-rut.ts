import { randomInt } from "node:crypto";
import { checkDigitOf } from "../../../../src/contract/vocabulary/rut.ts";

/** A random RUT from a range that is almost certainly unassigned. */
export function newRut(): string {
  const body = randomInt(42_100_000, 49_000_000);
  return `${body}-${checkDigitOf(body)}`;
}
