import { readFileSync } from "node:fs";

/** The content of one look at the checkout's document. */
export interface Screen {
  readonly heading: string;
  readonly title: string;
  readonly isFocusLost: boolean;
  readonly isBusy: boolean;
  /** Alerts and faults at fields: their texts. */
  readonly alerts: string;
  /** Faults of accessibility and layout that are cheap to look for. */
  readonly faults: readonly string[];
  /** Headings, sentences and values. */
  readonly text: string;
  /** The amounts in pesos, by label. */
  readonly amounts: Readonly<Record<string, string>>;
  /** Whether a button that can be pressed pays. */
  readonly pays: boolean;
  /** How many buttons, links and fields can be used. */
  readonly ways: number;
  /** The names of the boxes that are ticked. */
  readonly ticked: readonly string[];
  /** What the fields hold, by their names. */
  readonly typed: Readonly<Record<string, string>>;
}

/**
 * Looks, in the document in which it is evaluated. It is no function, since what a compiler adds to one is not there.
 */
export const LOOK_AT_SCREEN = readFileSync(new URL("./look-at-screen.js", import.meta.url), "utf8");
