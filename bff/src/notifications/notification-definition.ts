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
  /**
   * The text after the clinic's name. It may be seen on a locked screen, so it has no link, and no code but one that
   * counts in a single visit.
   */
  readonly words: InEachLanguage<Facts, string>;
  /** `by_day`: a message that is due at night waits for the morning. */
  readonly goes: "at_once" | "by_day";
  /**
   * It goes instead of the mail, which is sent only where no message can be: a code that somebody waits for at a
   * screen.
   */
  readonly isAlone?: true;
  /** A last line of its own, for the telephone and not for its holder. */
  readonly lastLine?: (facts: Facts) => string;
}

/** One kind of notification: how its text is made from its facts, in each language. */
export interface NotificationDefinition<Facts> {
  /** A one-time code: somebody waits for it at a screen, so that it goes out also while mails are switched off. */
  readonly isOtp?: true;
  readonly mail: InEachLanguage<Facts, MailWords>;
  /**
   * Null for kinds that may only go to the confirmed address: codes that open a link or a record, requested links, and
   * notifications about the address or the data.
   */
  readonly message: ShortMessage<Facts> | null;
}
