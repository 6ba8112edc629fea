import type { OrderDocument } from "../contract/order-files.ts";
import type { UpcomingCharge } from "../contract/orders.ts";
import type { Clp } from "../contract/vocabulary/clp.ts";
import type { Locale } from "../contract/widget-tokens.ts";
import type { MailAttachment } from "../gateways/messenger.ts";
import type { CalendarDay } from "../platform/santiago-time.ts";

/** A label and its value. */
export type Row = readonly [string, string];

/** The text of a mail, before it is rendered as plain text and HTML. */
export interface MailWords {
  readonly subject: string;
  readonly paragraphs: readonly string[];
  /** A number to type, shown large. */
  readonly code?: string;
  /** The most important amounts, shown large. */
  readonly amounts?: readonly Row[];
  readonly table?: readonly Row[];
  readonly link?: { readonly label: string; readonly url: string };
  /**
   * Whether the mail says how to pay the rest, because its card is never charged for it. The way depends on whether the
   * mail links to the payment's page.
   */
  readonly saysHowToPay?: boolean;
  /** Below the button: why the request is trustworthy, and how to do it without the button. */
  readonly safety?: readonly string[];
  /** Files that are made when the mail is sent (`MakeDocuments`). */
  readonly attached?: readonly OrderDocument[];
}

/** The payment that a notification is about. Every mail about a payment names it. */
export interface AboutPayment {
  /** The treating clinic: in a network, the centre. */
  readonly clinic: string;
  readonly reference: string;
  /** Null before the payment. */
  readonly paidOn: CalendarDay | null;
  /** The card of the first payment; null before it. */
  readonly cardEnding: string | null;
  /** The day of the consultation as the receipt names it; null if it is not known. */
  readonly consultationDay: CalendarDay | null;
}

export type InEachLanguage<Facts, Words> = Readonly<Record<Locale, (facts: Facts) => Words>>;

/** The values of a short message by name, formatted in its language. None is empty. */
export type MessageValues = Readonly<Record<string, string>>;

interface MessageParts<Facts> {
  /** `by_day`: a message that is due at night is sent in the morning. */
  readonly goes: "at_once" | "by_day";
  /**
   * Sent instead of the mail, because the patient awaits the code at a screen. The mail is only sent if no message can
   * be.
   */
  readonly isAlone?: true;
  /** A separate last line, meant for the telephone's software. */
  readonly lastLine?: (facts: Facts) => string;
}

export interface RenderedWords {
  /** The text after the clinic's name. */
  readonly words: string;
  readonly values: MessageValues;
}

/** The short message that is sent in addition to the mail. */
export interface ShortMessage<Facts> extends MessageParts<Facts> {
  readonly render: (facts: Facts, locale: Locale) => RenderedWords;
}

/** A short message that contains facts only as values, so that a gateway's own template can have the same text. */
export function shortMessage<Facts, Values extends MessageValues>({
  values,
  words,
  ...parts
}: MessageParts<Facts> & {
  readonly values: (facts: Facts, locale: Locale) => Values;
  /**
   * The text after the clinic's name. It may be visible on a locked screen, so it has no link, and only codes that are
   * valid in a single visit.
   */
  readonly words: InEachLanguage<Values, string>;
}): ShortMessage<Facts> {
  return {
    ...parts,
    render: (facts, locale) => {
      const valuesOfFacts = values(facts, locale);
      return { words: words[locale](valuesOfFacts), values: valuesOfFacts };
    },
  };
}

/** One kind of notification: how its text is made from its facts, in each language. */
export interface NotificationDefinition<Facts> {
  /** A one-time code that the patient awaits at a screen. It is sent even while mails are switched off. */
  readonly isOtp?: true;
  readonly mail: InEachLanguage<Facts, MailWords>;
  /**
   * Null for kinds that may only go to the confirmed address: codes that open a link or a record, requested links, and
   * notifications about the address or the data.
   */
  readonly message: ShortMessage<Facts> | null;
}

interface Amounts {
  readonly amount: Clp;
  /** The commission included in it. */
  readonly commission: Clp;
}

/**
 * The upcoming charge in notifications. The kinds are those of `UpcomingCharge` and `owed_on_hold`: a chargeback or
 * a refund holds the payment, and this card is never charged again.
 */
export type Upcoming =
  | { readonly kind: "none" }
  | UndatedCharge
  | ({ readonly kind: "on_day" | "by_day"; readonly day: CalendarDay } & Amounts);

/** The states of a second charge that is still owed and has no day. */
export type Undated = "in_flight" | "on_hold" | "owed_on_hold" | "card_needed";

/** A second charge that is still owed and has no day. */
export type UndatedCharge = { readonly kind: Undated } & Amounts;

/** The second charge if it has no day; null if it has one, or nothing is owed. */
export function undatedOf(upcoming: Upcoming | null): UndatedCharge | null {
  switch (upcoming?.kind) {
    case "in_flight":
    case "on_hold":
    case "owed_on_hold":
    case "card_needed":
      return upcoming;
    default:
      return null;
  }
}

/** A charge that is made now is announced with its day, because the patient may read the notification later. */
export function upcomingOf({ status, amount, commission, day }: UpcomingCharge): Upcoming {
  switch (status) {
    case "none":
      return { kind: "none" };
    case "in_flight":
    case "card_needed":
      return { kind: status, amount, commission };
    case "due_now":
    case "on_day":
      return day === null ? { kind: "on_hold", amount, commission } : { kind: "on_day", day, amount, commission };
    case "by_day":
      return day === null ? { kind: "on_hold", amount, commission } : { kind: status, day, amount, commission };
    case "on_hold":
      return { kind: status, amount, commission };
  }
}

/** Identifies the order and language of a mail's files. */
export interface DocumentsWanted {
  readonly providerId: string;
  readonly orderId: string;
  readonly locale: Locale;
}

/**
 * Makes the files of a mail when it is sent, so that they show the order at that time. Omits a file that the order no
 * longer has. Throws if a file cannot be made now.
 */
export type MakeDocuments = (
  documents: readonly OrderDocument[],
  wanted: DocumentsWanted,
) => Promise<readonly MailAttachment[]>;
