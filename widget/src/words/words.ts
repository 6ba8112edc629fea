import type { DeclineLimit, DeclineReason, PatientErrorCode, RefusedInstalment } from "bff/contract/errors";
import type { OrderDocument } from "bff/contract/order-files";
import type { ConsentPurpose } from "bff/contract/orders";
import type { CommissionRegime } from "bff/contract/vocabulary/commission-tax";
import type { LegalTextKind } from "bff/contract/vocabulary/legal-text";
import type { Locale } from "bff/contract/widget-tokens";
import type { PaymentProgress } from "../checkout/payment-run.ts";
import type { FieldFault } from "../form/field-fault.ts";
import type { LinkErrorCode } from "./link-problems.ts";

/** What went wrong, and what the patient can do next. */
export interface ProblemWords {
  readonly title: string;
  readonly text: string;
}

/** The texts around an external page, the bank's or the card processor's. */
export interface ChallengeWords {
  readonly title: string;
  readonly text: string;
  readonly leave: string;
  readonly unseen: string;
  readonly openTab: string;
  readonly inTab: string;
}

/** Why there was no readable answer. */
export type ConnectionFault = "offline" | "unreachable" | "timeout" | "unreadable";

/** The texts of the first screen and of the frame around every screen. They come with the page. */
export interface FirstWords {
  readonly locale: Locale;
  readonly date: (day: string) => string;
  readonly moment: (moment: string) => string;
  readonly percentage: (percentage: number) => string;
  readonly page: {
    readonly title: (screen: string) => string;
    readonly secure: string;
    readonly loading: string;
    readonly progress: (index: number, count: number) => string;
    readonly back: string;
    readonly retry: string;
    readonly close: string;
    readonly optional: string;
    readonly errorSummary: (count: number) => string;
    readonly working: string;
  };

  readonly help: {
    readonly question: string;
    readonly text: (provider: string) => string;
    readonly email: string;
    readonly phone: string;
  };

  readonly summary: {
    readonly title: string;
    /** Replaces `title` for a patient who may be known and pays on this screen. */
    readonly knownTitle: string;
    /** Opens the lines of the clinic's bill. */
    readonly items: string;
    readonly price: string;
    readonly today: string;
    readonly todayNote: string;
    readonly later: string;
    readonly laterNote: (date: string) => string;
    readonly commission: (percentage: string, regime?: CommissionRegime) => string;
    readonly total: string;
    /** Below the total: the part that is commission. */
    readonly included: (commission: string) => string;
    readonly when: (blockedDays: number) => string;
    readonly regardless: string;
    readonly action: string;
  };

  /** A one-time code: its field, and requesting another one. */
  readonly code: {
    readonly label: string;
    readonly missing: string;
    readonly malformed: string;
    readonly action: string;
    readonly resend: string;
    readonly resendIn: (seconds: number) => string;
  };

  /** The code with which a known patient pays. Nothing here reveals whether there is a record. */
  readonly recognition: {
    readonly title: string;
    readonly text: string;
    /** Under the field, before a code is requested. */
    readonly request: string;
    readonly requested: string;
    /** Replaces `requested` if another page has just requested one. */
    readonly earlier: string;
    readonly requestedAgain: string;
    /** Below the field, while a complete code is submitted automatically, and afterwards. */
    readonly autoHint: string;
    readonly hint: string;
    readonly send: string;
    readonly note: string;
    readonly skipQuestion: string;
    readonly skip: string;
  };

  /** Asked before the embedding page closes a dialog in which the patient has typed. */
  readonly leaving: { readonly title: string; readonly leave: string; readonly stay: string };
  readonly expiry: {
    readonly warning: (minutes: number) => string;
    readonly renew: string;
    readonly failed: string;
    /** What the patient can do without a fresh token: before it expires, and afterwards. */
    readonly finish: string;
    readonly reopen: string;
  };

  /** The code of the next screens could not be loaded. */
  readonly unloaded: ProblemWords;
  /** A bug in a screen: only reloading the page helps. */
  readonly fault: ProblemWords;
}

/** The texts of every screen after the first. They come with the screens' code. */
export interface StepWords {
  readonly patient: {
    readonly title: string;
    readonly rut: string;
    readonly rutHint: string;
    readonly rutFixed: (provider: string) => string;
    readonly name: string;
    readonly edit: string;
    readonly firstName: string;
    readonly lastName: string;
    readonly lastNameHint: string;
    readonly email: string;
    readonly emailHint: string;
    readonly phone: string;
    readonly phoneHint: string;
    readonly insurer: string;
    readonly insurerChoose: string;
    readonly insurerOpen: string;
    readonly insurerClosed: string;
    readonly insurerOther: string;
    readonly insurerFonasa: string;
    readonly insurerNone: string;
    /** Opens the field for the isapre's password. */
    readonly accessFold: string;
    readonly accessText: string;
    /** Replaces the text and the field while the password cannot be sealed. */
    readonly accessLater: string;
    readonly access: string;
    readonly show: string;
    readonly hide: string;
    readonly unsupportedTitle: string;
    readonly unsupportedText: (provider: string) => string;
    readonly unsupportedAction: string;
    readonly action: string;
  };

  readonly agreement: {
    readonly title: string;
    readonly kinds: Readonly<Record<LegalTextKind, string>>;
  };

  readonly consents: {
    readonly title: string;
    readonly optional: string;
    readonly missing: string;
    readonly purposes: Readonly<Record<ConsentPurpose, string>>;
  };

  /** Shown once the code is right. */
  readonly recognised: {
    readonly title: string;
    readonly notMe: string;
    readonly codeOver: ProblemWords;
    /** Shown if the patient still has to enter a card. */
    readonly cardMissing: string;
    /** Leads from the card step to the code. */
    readonly open: string;
    /** Shown if the patient chose another saved card. */
    readonly cardCode: { readonly title: (card: string) => string; readonly text: string };
  };

  readonly identity: {
    readonly title: string;
    readonly intro: string;
    readonly forRut: (rut: string) => string;
    readonly document: string;
    readonly cedula: string;
    readonly cedulaForeign: string;
    readonly serial: string;
    readonly serialHint: string;
    readonly whereTitle: string;
    /** The identity cards, by date of issue. */
    readonly cards: Readonly<Record<"old" | "new", string>>;
    readonly showCard: Readonly<Record<"old" | "new", string>>;
    readonly where: string;
    readonly privacy: string;
    readonly action: string;
    readonly attemptsLeft: (attempts: number) => string;
    readonly retryIn: (minutes: number) => string;
  };

  /** The card processor's own page, on which a card is entered. */
  readonly cardPage: {
    readonly intro: string;
    readonly action: string;
    readonly privacy: string;
    /** Shown after it, if no charge can follow at once. */
    readonly notCharged: string;
    readonly dialog: ChallengeWords;
    /** The page was closed, or is in a tab, and its outcome is unknown. */
    readonly left: ProblemWords;
    readonly processing: ProblemWords;
  };

  readonly card: {
    readonly title: string;
    readonly intro: string;
    readonly number: string;
    readonly numberDoubt: string;
    readonly expiry: string;
    readonly expiryHint: string;
    readonly cvc: string;
    readonly cvcHint: (digits: number) => string;
    readonly holder: string;
    readonly sealed: string;
    readonly action: string;
    readonly knownTitle: string;
    readonly newTitle: string;
    /** Precedes the marks of the accepted brands. */
    readonly accepted: string;
  };

  readonly review: {
    readonly title: string;
    readonly change: string;
    readonly card: string;
    readonly cardEnds: (brand: string, last4: string) => string;
    readonly cardExpires: (expiry: string) => string;
    readonly otherCard: string;
    readonly lender: string;
    readonly annualCost: string;
    /** The meaning of the annual cost in pesos. */
    readonly annualCostNote: (commission: string) => string;
    readonly annualCostDay: (date: string) => string;
    readonly financed: string;
    readonly termsTitle: string;
    readonly earlyPayment: string;
    readonly latePayment: string;
    /** For an isapre that blocks the access. */
    readonly blocked: string;
    readonly pay: (amount: string) => string;
  };

  readonly paying: {
    /** `asking`: inquires about the payment of an earlier visit; no answer was lost. */
    readonly states: Readonly<Record<"sending" | "asking" | PaymentProgress, ProblemWords>>;
    readonly challenge: ChallengeWords;
    readonly challengeLeft: ProblemWords;
    /** When another card can be used: `14:36`. */
    readonly otherCardFrom: (time: string) => string;
  };

  /** The card step after the payment with the order's card was declined. */
  readonly declined: {
    readonly title: string;
    readonly intro: string;
    readonly action: string;
    readonly retry: (card: string) => string;
    readonly byBank: (card: string, amount: string) => string;
    readonly notCharged: (card: string, amount: string) => string;
  };

  readonly refused: {
    readonly title: string;
    /** The outcome of the first instalment. */
    readonly texts: Readonly<Record<RefusedInstalment, string>>;
    readonly reasons: string;
    readonly next: (provider: string) => string;
    readonly review: string;
    readonly reviewSent: ProblemWords;
  };

  readonly done: {
    readonly title: string;
    readonly text: (amount: string, provider: string) => string;
    readonly receipt: string;
    readonly paidToday: string;
    readonly paid: string;
    /** For a refund: the reduction of the upcoming charge, and the amount returned to the card. */
    readonly cut: string;
    readonly cutText: string;
    readonly returned: string;
    readonly returnedText: (amount: string) => string;
    readonly transferredText: (amount: string) => string;
    readonly bankReturnedText: (amount: string) => string;
    readonly refundTitles: Readonly<Record<"partially_refunded" | "refunded", string>>;
    readonly reference: string;
    readonly clinic: string;
    readonly patient: string;
    readonly rut: string;
    readonly card: string;
    readonly service: string;
    readonly financed: string;
    /** Opens all lines of the receipt. */
    readonly details: string;
    readonly nextTitle: string;
    readonly nextClaim: string;
    /** The claim needs the receipt, and `lacksAccess` the patient's access too; `until` is the last day to claim. */
    readonly nextClaimText: (lacksAccess: boolean, until: string) => string;
    readonly missingAccess: ProblemWords & { readonly action: string };
    /** On a page that cannot request the access itself: refers to the mail that was sent. */
    readonly missingAccessSent: string;
    readonly accessGiven: ProblemWords;
    readonly nextNotice: string;
    readonly nextNoticeText: string;
    readonly nextCharge: (amount: string, date: string) => string;
    readonly nextChargeText: string;
    /** Replaces both according to the state of the charge: on its day, in flight, or not for now. */
    readonly nextChargeOn: (amount: string, date: string) => string;
    readonly nextChargeOnText: string;
    readonly nextChargeInFlight: (amount: string) => string;
    readonly nextChargeInFlightText: string;
    readonly nextChargeOnHold: string;
    readonly nextChargeOnHoldText: string;
    /** Replaces the upcoming charge if the card is no longer charged. */
    readonly nextOwed: (amount: string, date: string) => string;
    readonly nextOwedText: string;
    readonly files: Readonly<Record<OrderDocument, string>>;
    readonly return: (provider: string) => string;
    /** On a top-level page without a way back. */
    readonly closable: string;
    /** The same while a missing step may be done here. */
    readonly closableLater: string;
    readonly onboardedTitle: string;
    readonly onboardedText: string;
    /** Replaces `onboardedText` for a patient who gave their isapre's password. */
    readonly onboardedLinked: string;
    readonly alreadyTitle: string;
    /** The outcome of the second charge, once it is not upcoming any more. */
    readonly collected: string;
    readonly noLater: string;
    readonly failedTitle: string;
    readonly failed: (charge: string) => string;
    /** Replaces both for a patient who has withdrawn consent to it. */
    readonly owedTitle: string;
    readonly owed: (amount: string) => string;
    /** Texts for an order that is not paid. */
    readonly statuses: Readonly<Record<"pending" | "partially_paid" | "cancelled", ProblemWords>>;
  };

  /** The form that only requests the isapre's password. */
  readonly accessForm: {
    readonly title: string;
    readonly intro: string;
    readonly passwordHint: string;
    readonly action: string;
    readonly note: string;
  };

  /** The link to the patient's own data. */
  readonly myData: ProblemWords & { readonly action: string; readonly sent: ProblemWords };

  readonly problems: Readonly<Record<Exclude<PatientErrorCode, LinkErrorCode>, ProblemWords>>;
  /** For a code that only partners receive. */
  readonly otherProblem: ProblemWords;
  readonly connection: Readonly<Record<ConnectionFault, ProblemWords>>;
  readonly declines: Readonly<Record<DeclineReason, ProblemWords>>;
  /** Replaces the reason's text if the issuer says which limit of the card was exceeded. */
  readonly declineLimits: Readonly<Record<DeclineLimit, ProblemWords>>;
  readonly faults: Readonly<Record<FieldFault, string>>;
}

/**
 * All of the checkout's texts for patients, in one language. Every error code, reason and fault of the contract has its
 * words here, or the language does not compile. Patients are *tú*; "reembolso" is the isapre's, "devolución" is ours.
 */
export type Words = FirstWords & StepWords;
