import type { TextBlock } from "../contract/agreement.ts";
import type { Locale } from "../contract/widget-tokens.ts";

/** The text of a mail, before it is rendered as plain text and HTML. */
export interface MailWords {
  readonly subject: string;
  readonly paragraphs: readonly string[];
  /** A number to type, shown large. */
  readonly code?: string;
  readonly table?: readonly (readonly [string, string])[];
  readonly link?: { readonly label: string; readonly url: string };
  /** Texts that the patient keeps, whole, below everything else. */
  readonly enclosed?: readonly EnclosedText[];
}

export interface EnclosedText {
  readonly title: string;
  readonly blocks: readonly TextBlock[];
}

export type InEachLanguage<Facts, Words> = Readonly<Record<Locale, (facts: Facts) => Words>>;

/** The short message that is sent in addition to the mail. */
export interface ShortMessage<Facts> {
  /** The text after the clinic's name. It may be seen on a locked screen, so it has neither a link nor a code. */
  readonly words: InEachLanguage<Facts, string>;
  /** `by_day`: a message that is due at night waits for the morning. */
  readonly goes: "at_once" | "by_day";
}

/** One kind of notification: how its text is made from its facts, in each language. */
export interface NotificationDefinition<Facts> {
  readonly mail: InEachLanguage<Facts, MailWords>;
  /**
   * Null for kinds that may only go to the confirmed address: codes, requested links, and notifications about the
   * address or the data.
   */
  readonly message: ShortMessage<Facts> | null;
}
