import { checkDigitOf, formatRut, parseRut } from "bff/contract/vocabulary/rut";

/** The range for RUTs of new patients. It almost certainly contains neither a real person's RUT nor a test value. */
const BODY_MIN = 43_000_000;
const BODY_COUNT = 6_000_000;

/** A random RUT for a patient whom no system knows. */
export function freshRut(): string {
  const [random = 0] = crypto.getRandomValues(new Uint32Array(1));
  const body = BODY_MIN + (random % BODY_COUNT);
  return formatRut(parseRut(`${body}-${checkDigitOf(body)}`));
}
