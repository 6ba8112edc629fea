/*
 * The cards of the sandbox, each under a name. `bff/sandbox/e2e-catalogue.test.ts` compares them with the sandbox's own
 * catalogue.
 */

/** A card, as a patient types it. */
export interface TestCard {
  readonly number: string;
  readonly expiry: string;
  readonly cvc: string;
  readonly holder: string;
}

/** A card of the sandbox's catalogue. */
export interface CatalogueCard extends TestCard {
  readonly brand: "visa" | "mastercard" | "amex";
  readonly kind: "credit" | "debit" | "prepaid";
  /** Its effect. */
  readonly causes: string;
}

/** The sandbox accepts any expiry at least two months ahead, any security code and any name. */
const FIELDS = { expiry: "12/34", cvc: "123", holder: "MARIA J ORYAN" } as const;

export const CARDS = {
  approved: {
    ...FIELDS,
    number: "4051 8856 0044 6623",
    brand: "visa",
    kind: "credit",
    causes: "Every charge is captured.",
  },
  declined: {
    ...FIELDS,
    number: "5186 0595 5959 0568",
    brand: "mastercard",
    kind: "credit",
    causes: "Every charge is declined: `declined`. Another card may be tried.",
  },
  insufficientFunds: {
    ...FIELDS,
    number: "4051 8856 0000 0016",
    brand: "visa",
    kind: "credit",
    causes: "Every charge is declined: `insufficient_funds`.",
  },
  expired: {
    ...FIELDS,
    number: "4051 8856 0000 0024",
    brand: "visa",
    kind: "credit",
    causes: "Declined when it is added: `card_expired`.",
  },
  stolen: {
    ...FIELDS,
    number: "4051 8856 0000 0032",
    brand: "visa",
    kind: "credit",
    causes: "Every charge is declined for ever: `card_lost_or_stolen`.",
  },
  challenge: {
    ...FIELDS,
    number: "4051 8856 0000 0040",
    brand: "visa",
    kind: "credit",
    causes: "Strong authentication is asked for; the bank's page approves or rejects.",
  },
  challengeFailed: {
    ...FIELDS,
    number: "4051 8856 0000 0057",
    brand: "visa",
    kind: "credit",
    causes: "Strong authentication is asked for, and fails whatever is pressed.",
  },
  challengeLater: {
    ...FIELDS,
    number: "4051 8856 0000 0115",
    brand: "visa",
    kind: "credit",
    causes:
      "Strong authentication is asked for when it replaces another card or pays the rest early, not at the first payment.",
  },
  confirmedOnPage: {
    ...FIELDS,
    number: "4051 8856 0000 0123",
    brand: "visa",
    kind: "credit",
    causes:
      "Typed in the checkout, the processor asks to confirm it on its own page before it registers it; every charge is captured.",
  },
  enrolledInWindow: {
    ...FIELDS,
    number: "4051 8856 0000 0255",
    brand: "visa",
    kind: "credit",
    causes:
      "Enrolled on the processor's own page, which opens in its own window and authenticates the holder. The processor reports neither expiry nor holder; every charge is captured.",
  },
  laterDeclined: {
    ...FIELDS,
    number: "4051 8856 0000 0065",
    brand: "visa",
    kind: "credit",
    causes: "The first charge is captured, every later one declined: `declined`.",
  },
  answerLost: {
    ...FIELDS,
    number: "4051 8856 0000 0073",
    brand: "visa",
    kind: "credit",
    causes: "Charges are captured, but the answer is lost; an inquiry tells.",
  },
  callLost: {
    ...FIELDS,
    number: "4051 8856 0000 0081",
    brand: "visa",
    kind: "credit",
    causes: "The first charge is lost on its way, nothing is captured; the next arrives.",
  },
  amountLimited: {
    ...FIELDS,
    number: "4051 8856 0000 0230",
    brand: "visa",
    kind: "credit",
    causes:
      "A charge of more than $25.000 is declined for the card's limit: `declined`, with `decline_limit` `amount`. Less is captured.",
  },
  usesLimited: {
    ...FIELDS,
    number: "4051 8856 0000 0248",
    brand: "visa",
    kind: "credit",
    causes:
      "The first charge is captured, every later one declined for the card's limit: `declined`, with `decline_limit` `uses`.",
  },
  returnPending: {
    ...FIELDS,
    number: "4051 8856 0000 0206",
    brand: "visa",
    kind: "credit",
    causes: "Every charge is captured. Money that goes back to it is under way for 2 days, and then returned.",
  },
  returnPendingRefused: {
    ...FIELDS,
    number: "4051 8856 0000 0214",
    brand: "visa",
    kind: "credit",
    causes: "Every charge is captured. Money that goes back to it is under way for 2 days, and then refused.",
  },
  returnTooOld: {
    ...FIELDS,
    number: "4051 8856 0000 0222",
    brand: "visa",
    kind: "credit",
    causes: "Every charge is captured, and none is returned: the processor says that it is too old.",
  },
  securityCodeWrong: {
    ...FIELDS,
    number: "4051 8856 0000 0099",
    brand: "visa",
    kind: "credit",
    causes: "Declined when it is added: `security_code_wrong`.",
  },
  blocked: {
    ...FIELDS,
    number: "4051 8856 0000 0107",
    brand: "visa",
    kind: "credit",
    causes: "Every charge is declined for ever: `card_blocked`.",
  },
  laterDeclinedTwice: {
    ...FIELDS,
    number: "5186 0595 5000 0013",
    brand: "mastercard",
    kind: "credit",
    causes: "The first charge is captured, the two after it declined (`insufficient_funds`), the next captured.",
  },
  laterStolen: {
    ...FIELDS,
    number: "5186 0595 5000 0021",
    brand: "mastercard",
    kind: "credit",
    causes: "The first charge is captured, every later one declined for ever: `card_lost_or_stolen`.",
  },
  debit: {
    ...FIELDS,
    number: "4051 8842 3993 7763",
    brand: "visa",
    kind: "debit",
    causes: "A debit card: every charge is captured, and is returned only in full.",
  },
  prepaid: {
    ...FIELDS,
    number: "4051 8860 0005 6590",
    brand: "visa",
    kind: "prepaid",
    causes: "A prepaid card: every charge is captured, and is returned only in full.",
  },
  debitFailingLuhn: {
    ...FIELDS,
    number: "4511 3466 6003 7060",
    brand: "visa",
    kind: "debit",
    causes: "Fails the Luhn check and is captured all the same: Luhn may warn and never block.",
  },
  amex: {
    ...FIELDS,
    number: "3700 000000 02032",
    cvc: "1234",
    brand: "amex",
    kind: "credit",
    causes: "American Express, 15 digits, a security code of four: every charge is captured.",
  },
} as const satisfies Record<string, CatalogueCard>;
