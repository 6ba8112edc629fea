import type { Clp } from "./clp.ts";

/** Both or neither: some processors do not report when a card expires. */
export interface CardExpiry {
  readonly expMonth?: number | undefined;
  readonly expYear?: number | undefined;
}

/** The most that the processor charges at once, and one patient in a day; absent where it has no such limit. */
export interface ChargeLimits {
  readonly perCharge?: Clp | undefined;
  readonly perPatientDay?: Clp | undefined;
}
