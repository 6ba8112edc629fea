/**
 * The sandbox's test values that the scenarios use, with their effects. They are constants of the clinic, as in a
 * partner's test code; a browser test compares them with `GET /sandbox/catalogue`.
 */

/** A card as the patient types it. */
export interface ScenarioCard {
  readonly number: string;
  readonly expiry: string;
  readonly cvc: string;
  readonly holder: string;
  /** Words from the sandbox's catalogue about the effect of this number. */
  readonly causes: string;
  readonly kind: "credit" | "debit" | "prepaid";
}

function card(number: string, causes: string, kind: ScenarioCard["kind"] = "credit"): ScenarioCard {
  return { number, causes, kind, expiry: "12/34", cvc: "123", holder: "MARIA J ORYAN" };
}

export const CARDS = {
  approved: card("4051 8856 0044 6623", "Every charge is captured"),
  declined: card("5186 0595 5959 0568", "`declined`"),
  noFunds: card("4051 8856 0000 0016", "`insufficient_funds`"),
  expired: card("4051 8856 0000 0024", "`card_expired`"),
  stolen: card("4051 8856 0000 0032", "`card_lost_or_stolen`"),
  challenge: card("4051 8856 0000 0040", "the bank's page approves or rejects"),
  challengeFailed: card("4051 8856 0000 0057", "fails whatever is pressed"),
  challengeLater: card("4051 8856 0000 0115", "when it replaces another card or pays the rest early"),
  confirmedOnPage: card("4051 8856 0000 0123", "confirm it on its own page"),
  laterDeclined: card("4051 8856 0000 0065", "every later one declined"),
  answerLost: card("4051 8856 0000 0073", "the answer is lost"),
  callLost: card("4051 8856 0000 0081", "lost on its way"),
  securityCodeWrong: card("4051 8856 0000 0099", "`security_code_wrong`"),
  blocked: card("4051 8856 0000 0107", "`card_blocked`"),
  laterDeclinedTwice: card("5186 0595 5000 0013", "the two after it declined"),
  laterStolen: card("5186 0595 5000 0021", "every later one declined for ever"),
  debit: card("4051 8842 3993 7763", "captured", "debit"),
  prepaid: card("4051 8860 0005 6590", "A prepaid card", "prepaid"),
  luhnWrong: card("4511 3466 6003 7060", "captured", "debit"),
  amex: { ...card("3700 000000 02032", "American Express"), cvc: "1234" },
} as const satisfies Record<string, ScenarioCard>;

/** The document number of an identity card. `matches` can be any number that is not in the catalogue. */
export const SERIALS = {
  matches: { serial: "123.456.789", causes: "" },
  rejected: { serial: "100.000.001", causes: "does not match" },
  notValid: { serial: "100.000.002", causes: "expired or blocked" },
  registryDown: { serial: "100.000.003", causes: "registry is down" },
} as const;

/** RUTs that determine what the sandbox's financing provider and insurer decide. */
export const MAGIC_RUTS = {
  creditRefused: { rut: "40.237.731-3", causes: "credit is refused" },
  creditReviewedThenGranted: { rut: "40.375.462-5", causes: "20 seconds, then authorised" },
  creditReviewedThenRefused: { rut: "40.513.193-5", causes: "20 seconds, then refused" },
  creditNotConfirmed: { rut: "40.650.924-9", causes: "confirmation is refused" },
  registeredElsewhere: { rut: "40.788.655-0", causes: "registrada@example.com" },
  claimRejected: { rut: "40.926.386-0", causes: "rejected after 5 days" },
  claimHeld: { rut: "41.064.117-8", causes: "held until a second document" },
  blockedOnDay2: { rut: "41.201.848-6", causes: "blocked on day 2" },
  portalDown: { rut: "41.339.579-8", causes: "down for 2 days" },
  accessNotAccepted: { rut: "40.006.217-K", causes: "not accepted" },
  approvedOnDay12: { rut: "40.008.548-K", causes: "approved on day 12" },
  neverAnswered: { rut: "40.000.778-0", causes: "never answers" },
  blockedAtOnce: { rut: "41.477.310-9", causes: "blocked from the start" },
  approvedSameDay: { rut: "41.615.041-9", causes: "approved on the day itself" },
} as const;
