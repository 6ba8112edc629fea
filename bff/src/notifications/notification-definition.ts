import type { OrderDocument } from "../contract/order-files.ts";
import type { Locale } from "../contract/widget-tokens.ts";
import type { CalendarDay } from "../platform/santiago-time.ts";

/** A label and its value. */
export type Row = readonly [string, string];

/** The text of a mail, before it is rendered as plain text and HTML. */
export interface MailWords {
  readonly subject: string;
  readonly paragraphs: readonly string[];
  /** A number to type, shown large. */
  readonly code?: string;
  /** The few amounts that matter, shown large. */
  readonly amounts?: readonly Row[];
  readonly table?: readonly Row[];
  readonly link?: { readonly label: string; readonly url: string };
  /** Below the button: what makes the request trustworthy, and the way without the button. */
  readonly safety?: readonly string[];
  /** Files, made when the mail is sent (`mail-documents.ts`). */
  readonly attached?: readonly OrderDocument[];
}

/** The payment that a notification is about. Every mail about a payment names it. */
export interface AboutPayment {
  /** The clinic that treated: in a network, the centre. */
  readonly clinic: string;
  readonly reference: string;
  /** Null before the payment. */
  readonly paidOn: CalendarDay | null;
  /** The card of the first payment; null before it. */
  readonly cardEnding: string | null;
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
  /** Sent instead of the mail, which is sent only if no message can be: a code awaited at a screen. */
  readonly isAlone?: true;
  /** A separate last line, for the telephone and not for its holder. */
  readonly lastLine?: (facts: Facts) => string;
}

/** One kind of notification: how its text is made from its facts, in each language. */
export interface NotificationDefinition<Facts> {
  /** A one-time code, awaited at a screen: it is sent even while mails are switched off. */
  readonly isOtp?: true;
  readonly mail: InEachLanguage<Facts, MailWords>;
  /**
   * Null for kinds that may only go to the confirmed address: codes that open a link or a record, requested links, and
   * notifications about the address or the data.
   */
  readonly message: ShortMessage<Facts> | null;
}
