import type { Clp } from "./clp.ts";

/** Both or neither: some processors do not report when a card expires. */
export interface CardExpiry {
  readonly expMonth?: number | undefined;
  readonly expYear?: number | undefined;
}

/** The maximum that the processor charges at once, and per patient and day; absent if it has no such limit. */
export interface ChargeLimits {
  readonly perCharge?: Clp | undefined;
  readonly perPatientDay?: Clp | undefined;
}

/** A page of the processor or the issuer, at the processor's origin. */
export interface ExternalPage {
  readonly url: string;
  /** From then on the page has no effect. */
  readonly expiresAt: Date;
  /** `window`: the page cannot be framed, so it is opened in its own window. Absent: it is framed. */
  readonly display?: PageDisplay | undefined;
}

export type PageDisplay = "frame" | "window";
