import { readFileSync } from "node:fs";

/** The content of the checkout's document at one moment. */
export interface Screen {
  readonly heading: string;
  readonly title: string;
  readonly isFocusLost: boolean;
  readonly isBusy: boolean;
  /** Alerts and field errors: their texts. */
  readonly alerts: string;
  /** Faults of accessibility and layout that are cheap to find. */
  readonly faults: readonly string[];
  /** Headings, sentences and values. */
  readonly text: string;
  /** The amounts in pesos, by label. */
  readonly amounts: Readonly<Record<string, string>>;
  /** Whether an enabled button pays. */
  readonly pays: boolean;
  /** How many buttons, links and fields can be used. */
  readonly ways: number;
  /** The names of the boxes that are ticked. */
  readonly ticked: readonly string[];
  /** The values of the fields, by name. */
  readonly typed: Readonly<Record<string, string>>;
}

/**
 * Evaluated in the document. It is a text and no function, because a compiler's additions to a function do not exist
 * there.
 */
export const LOOK_AT_SCREEN = readFileSync(new URL("./look-at-screen.js", import.meta.url), "utf8");
