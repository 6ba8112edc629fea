import { readFileSync } from "node:fs";

/** What one look at the checkout's document tells. */
export interface Screen {
  readonly heading: string;
  readonly title: string;
  readonly isFocusLost: boolean;
  readonly isBusy: boolean;
  /** Alerts and faults at fields: their texts. */
  readonly alerts: string;
  /** Faults of accessibility and layout that are cheap to look for. */
  readonly faults: readonly string[];
}

/**
 * Looks, in the document in which it is evaluated. It is no function, since what a compiler adds to one is not there.
 */
export const LOOK_AT_SCREEN = readFileSync(new URL("./look-at-screen.js", import.meta.url), "utf8");
