import { checkDigitOf, formatRut, parseRut } from "bff/contract/vocabulary/rut";

/** Where the RUTs of people whom nobody has met are taken from: almost surely nobody's, and no test value's. */
const BODY_MIN = 43_000_000;
const BODY_COUNT = 6_000_000;

/** A RUT for a patient who is to be new to everybody. */
export function freshRut(): string {
  const [random = 0] = crypto.getRandomValues(new Uint32Array(1));
  const body = BODY_MIN + (random % BODY_COUNT);
  return formatRut(parseRut(`${body}-${checkDigitOf(body)}`));
}
