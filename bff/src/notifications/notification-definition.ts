import type { Locale } from "../contract/widget-tokens.ts";

/** The words of a mail, before they become text and HTML. */
export interface MailWords {
  readonly subject: string;
  readonly paragraphs: readonly string[];
  /** A number to type, shown large. */
  readonly code?: string;
  readonly table?: readonly (readonly [string, string])[];
  readonly link?: { readonly label: string; readonly url: string };
}

export type InEachLanguage<Facts, Words> = Readonly<Record<Locale, (facts: Facts) => Words>>;

/** What goes to the telephone beside the mail. */
export interface ShortMessage<Facts> {
  /** What follows the clinic's name, no more than a locked screen may show: neither a link nor a code. */
  readonly words: InEachLanguage<Facts, string>;
  /** `by_day`: what is due at night waits for the morning. */
  readonly goes: "at_once" | "by_day";
}

/** One kind of notification: its words, made of its facts, in each language. */
export interface NotificationDefinition<Facts> {
  readonly mail: InEachLanguage<Facts, MailWords>;
  /** Null for what goes to the confirmed address alone: codes, links that were asked for, and news of the address or the data. */
  readonly message: ShortMessage<Facts> | null;
}
