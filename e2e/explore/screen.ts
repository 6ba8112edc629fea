import { readFileSync } from "node:fs";

/** The content of the checkout's document at one moment. */
export interface Screen {
  /** The language of the page. */
  readonly locale: string;
  readonly heading: string;
  readonly title: string;
  readonly isFocusLost: boolean;
  readonly isBusy: boolean;
  /** The texts of alerts and field errors. */
  readonly alerts: string;
  /** Accessibility and layout faults that are cheap to detect. */
  readonly faults: readonly string[];
  /** Headings, labels, sentences and values. */
  readonly text: string;
  /** The amounts in pesos, by label. */
  readonly amounts: Readonly<Record<string, string>>;
  /** Whether an enabled button pays. */
  readonly pays: boolean;
  /** The number of usable buttons, links and fields. */
  readonly ways: number;
  /** The names of the boxes that are ticked. */
  readonly ticked: readonly string[];
  /** The values of the fields, by name. */
  readonly typed: Readonly<Record<string, string>>;
}

/** Evaluated in the document. It is text instead of a function, because the compiler's helpers do not exist there. */
export const LOOK_AT_SCREEN = readFileSync(new URL("./look-at-screen.js", import.meta.url), "utf8");
