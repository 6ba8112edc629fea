/**
 * The sandbox's test values that the scenarios use, each with the behaviour that the scenario counts on. They are the
 * clinic's own constants, as a partner's test code would have them; a browser test holds them against what the service
 * serves at `GET /sandbox/catalogue`.
 */

/** A card as the patient types it. */
export interface ScenarioCard {
  readonly number: string;
  readonly expiry: string;
  readonly cvc: string;
  readonly holder: string;
  /** What the catalogue says about this number. */
  readonly behaviour: string;
  readonly kind: "credit" | "debit" | "prepaid";
}

function card(number: string, behaviour: string, kind: ScenarioCard["kind"] = "credit"): ScenarioCard {
  return { number, behaviour, kind, expiry: "12/34", cvc: "123", holder: "MARIA J ORYAN" };
}

export const CARDS = {
  approved: card("4051 8856 0044 6623", "approved"),
  declined: card("5186 0595 5959 0568", "declined"),
  noFunds: card("4051 8856 0000 0016", "insufficient_funds"),
  expired: card("4051 8856 0000 0024", "expired"),
  stolen: card("4051 8856 0000 0032", "stolen"),
  challenge: card("4051 8856 0000 0040", "challenge"),
  challengeFailed: card("4051 8856 0000 0057", "challenge_failed"),
  laterDeclined: card("4051 8856 0000 0065", "later_declined"),
  answerLost: card("4051 8856 0000 0073", "answer_lost"),
  callLost: card("4051 8856 0000 0081", "call_lost"),
  securityCodeWrong: card("4051 8856 0000 0099", "security_code_wrong"),
  blocked: card("4051 8856 0000 0107", "blocked"),
  laterDeclinedTwice: card("5186 0595 5000 0013", "later_declined_twice"),
  laterStolen: card("5186 0595 5000 0021", "later_stolen"),
  debit: card("4051 8842 3993 7763", "approved", "debit"),
  prepaid: card("4051 8860 0005 6590", "approved", "prepaid"),
  luhnWrong: card("4511 3466 6003 7060", "approved", "debit"),
  amex: { ...card("3700 000000 02032", "approved"), cvc: "1234" },
} as const satisfies Record<string, ScenarioCard>;

/** The document number of an identity card. `matches` is any that the catalogue says nothing about. */
export const SERIALS = {
  matches: { serial: "123.456.789", behaviour: null },
  rejected: { serial: "100.000.001", behaviour: "no_match" },
  notValid: { serial: "100.000.002", behaviour: "document_not_valid" },
  registryDown: { serial: "100.000.003", behaviour: "unavailable" },
} as const;

/** RUTs by which the financing provider and the insurer of the sandbox decide. */
export const MAGIC_RUTS = {
  creditRefused: { rut: "40.237.731-3", credit: "refused" },
  creditReviewedThenGranted: { rut: "40.375.462-5", credit: "review_authorised" },
  creditReviewedThenRefused: { rut: "40.513.193-5", credit: "review_refused" },
  creditNotConfirmed: { rut: "40.650.924-9", credit: "confirmation_refused" },
  registeredElsewhere: { rut: "40.788.655-0", registeredEmail: "registrada@example.com" },
  claimRejected: { rut: "40.926.386-0", insurer: { kind: "rejected", afterDays: 5 } },
  claimHeld: { rut: "41.064.117-8", insurer: { kind: "held" } },
  blockedOnDay2: { rut: "41.201.848-6", insurer: { kind: "blocked", afterDays: 2 } },
  portalDown: { rut: "41.339.579-8", insurer: { kind: "portal_down", days: 2 } },
  accessNotAccepted: { rut: "40.006.217-K", insurer: { kind: "access_missing" } },
  approvedOnDay12: { rut: "40.008.548-K", insurer: { kind: "approved", afterDays: 12 } },
  neverAnswered: { rut: "40.000.778-0", insurer: { kind: "never" } },
  blockedAtOnce: { rut: "41.477.310-9", insurer: { kind: "blocked", afterDays: 0 } },
  approvedSameDay: { rut: "41.615.041-9", insurer: { kind: "approved", afterDays: 0 } },
} as const;
