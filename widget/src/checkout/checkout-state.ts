import type { ConsentPurpose, OrderStatus, SavedCardView, ShownPage } from "bff/contract/orders";
import { isRefusedAs, type Problem, type Refusal } from "../api/problem.ts";
import type { PaymentProgress } from "./payment-run.ts";
import { type AskedCode, NOT_RECOGNISED, offersRecognition, type Recognition } from "./recognition.ts";
import {
  type Facts,
  firstStep,
  isReachable,
  isStepDone,
  nextStep,
  previousStep,
  type StepName,
  stepInVisit,
  stepsOf,
} from "./steps.ts";

/**
 * A RUT that is registered under another e-mail, and the ways in which its owner may prove that it is theirs. Without
 * `ways`, it is the sign-up of this visit, which a code to its e-mail proves.
 */
export interface Collision {
  readonly rut: string;
  readonly emailHint: string;
  readonly ways: readonly ("email_code" | "identity")[];
}

/** A one-time code that was sent. */
export interface SentCode {
  readonly way: "email_code" | "identity";
  readonly sentTo: string;
  /** Server time, in milliseconds since 1970. */
  readonly resendAt: number;
}

/** `expires_at`: when it ends, by the server's time; another card can be used from then on. */
export type Challenge = ShownPage;

/** The screen that the patient is on. */
export type Place =
  | { readonly at: "step"; readonly step: StepName; readonly problem: Problem | null }
  | { readonly at: "unsupported_insurer" }
  /** A recognised patient has chosen another of their saved cards, which needs another code. */
  | { readonly at: "card_code"; readonly card: SavedCardView; readonly problem: Problem | null }
  | {
      readonly at: "recovery";
      readonly collision: Collision;
      readonly asking: "way" | "identity";
      readonly problem: Problem | null;
    }
  | {
      readonly at: "recovery_code";
      readonly collision: Collision;
      readonly sent: SentCode;
      readonly problem: Problem | null;
    }
  | { readonly at: "paying"; readonly doing: "sending" | PaymentProgress }
  | { readonly at: "challenge"; readonly challenge: Challenge }
  | { readonly at: "credit_refused"; readonly problem: Refusal }
  /** `linked`: the patient gave their isapre's password, in this visit. */
  | { readonly at: "done"; readonly kind: "payment" | "onboarding"; readonly linked?: boolean }
  /** Nothing more can be done with this token; `problem` says why. */
  | { readonly at: "ended"; readonly problem: Problem };

export interface CheckoutState {
  readonly steps: readonly StepName[];
  readonly place: Place;
  /** Consents that the patient has ticked so far in this visit. Never kept longer, never ticked by us. */
  readonly given: readonly ConsentPurpose[];
  /** The step that was open last. A fresh token returns the patient to it. */
  readonly lastStep: StepName | null;
  /** Counts how often consents were requested again, to reset the checkboxes. */
  readonly consentRound: number;
  /** The challenge that was left unfinished. The review screen mentions it once. */
  readonly challengeLeft: Challenge | null;
  /** Why the payment with the order's card was declined; null once the patient continues with that card or another. */
  readonly declined: Refusal | null;
  readonly recognition: Recognition;
}

export type CheckoutEvent =
  | { readonly type: "continued" }
  | { readonly type: "went_back" }
  | { readonly type: "opened"; readonly step: StepName }
  /** The texts of the consents differ from those shown before: another language, or a newer version. */
  | { readonly type: "texts_changed" }
  | { readonly type: "consent_changed"; readonly purpose: ConsentPurpose; readonly given: boolean }
  | { readonly type: "submitted" }
  | { readonly type: "failed"; readonly problem: Problem; readonly ofPayment?: boolean }
  | { readonly type: "collided"; readonly rut: string; readonly refusal: Refusal }
  | { readonly type: "proof_asked"; readonly rut: string; readonly sent: SentCode }
  | { readonly type: "recovery_chosen"; readonly asking: "way" | "identity" }
  | { readonly type: "code_sent"; readonly sent: SentCode }
  | { readonly type: "recognition_asked"; readonly asked: AskedCode }
  | { readonly type: "recognised"; readonly cards: readonly SavedCardView[] }
  | { readonly type: "saved_card_gone"; readonly id: string }
  | { readonly type: "disowned" }
  /** The code that was answered is for another saved card. */
  | { readonly type: "card_code_needed"; readonly card: SavedCardView }
  | { readonly type: "insurer_unsupported" }
  | { readonly type: "payment_started" }
  | { readonly type: "payment_progressed"; readonly doing: PaymentProgress }
  | { readonly type: "challenge_asked"; readonly challenge: Challenge }
  | { readonly type: "challenge_left" }
  | { readonly type: "finished"; readonly kind: "payment" | "onboarding"; readonly linked?: boolean }
  /** The token has expired. */
  | { readonly type: "expired" }
  /** The server's data has changed independently: another window, a webhook, a replaced token. */
  | { readonly type: "facts_changed" };

/** Statuses in which nothing is left to pay. */
export function isSettled(status: OrderStatus | null): boolean {
  return status === "paid" || status === "partially_paid" || status === "partially_refunded" || status === "refunded";
}

/** The first screen of a visit. */
export function openCheckout(facts: Facts): CheckoutState {
  return {
    steps: stepsOf(facts),
    place: openingPlace(facts),
    given: [],
    consentRound: 0,
    lastStep: null,
    challengeLeft: null,
    declined: null,
    recognition: NOT_RECOGNISED,
  };
}

/** The screen on which a visit begins. `useInquiry` finds a payment in progress afterwards. */
function openingPlace(facts: Facts): Place {
  if (isSettled(facts.orderStatus)) return { at: "done", kind: "payment" };
  if (facts.blockedBy) return endedBy(facts.blockedBy);
  if (facts.orderStatus === "cancelled") return endedBy("order_not_payable");
  if (!facts.hasOrder && !facts.isNewPatient) return { at: "done", kind: "onboarding" };
  return { at: "step", step: firstStep(facts), problem: null };
}

type EndedBy = "order_not_payable" | "widget_token_expired" | NonNullable<Facts["blockedBy"]>;

/** No request was refused: the session, or the clock, says it. */
function endedBy(code: EndedBy): Place {
  return { at: "ended", problem: { kind: "refused", code, status: 200, additions: {}, traceId: null } };
}

/** An expired token closes forms; a payment in progress continues, and an outcome stays on the screen. */
function expired(state: CheckoutState): CheckoutState {
  return isOpen(state.place) ? { ...state, place: endedBy("widget_token_expired") } : state;
}

/** Whether the patient is still filling in forms. */
function isOpen({ at }: Place): boolean {
  return at === "step" || at === "card_code" || at === "recovery" || at === "recovery_code";
}

/** The ticks were for texts other than those that would be sent, so requests every consent again. */
function withConsentsReset(state: CheckoutState): CheckoutState {
  return { ...state, given: [], consentRound: state.consentRound + 1 };
}

/** The screen to which a refusal sends the patient: the step that can fix it, with the problem to show there. */
function placeOfProblem({ place, steps }: CheckoutState, problem: Problem): Place {
  if (problem.kind === "refused") {
    switch (problem.code) {
      case "processor_customer_identity_not_validated":
        return { at: "step", step: stepInVisit("identity", steps), problem };
      case "processor_payment_method_not_found":
      case "sealed_card_refused":
      case "stored_card_refused":
      case "card_expires_too_soon":
      case "card_declined":
        return { at: "step", step: "card", problem };
      case "consents_missing":
        // Returns to the screen with the checkboxes, because the recovery code's screen has none.
        return place.at === "recovery_code" ? { at: "step", step: "patient", problem } : withProblem(place, problem);
      case "credit_declined":
        return { at: "credit_refused", problem };
      case "widget_token_expired":
      case "widget_token_revoked":
      case "widget_token_used":
      case "widget_token_not_found":
      case "order_not_found":
      case "order_not_payable":
      case "amount_too_small":
      case "amount_too_large":
      case "invalid_credential":
      case "invalid_public_key":
        return { at: "ended", problem };
      case "recovery_code_expired":
        return place.at === "recovery_code" && place.collision.ways.length > 0
          ? { at: "recovery", collision: place.collision, asking: "way", problem }
          : withProblem(place, problem);
      default:
        break;
    }
  }
  return withProblem(place, problem);
}

function failed(state: CheckoutState, problem: Problem): CheckoutState {
  const there = { ...state, place: placeOfProblem(state, problem) };
  return isRefusedAs(problem, "consents_missing", "quote_changed") ? withConsentsReset(there) : there;
}

function withProblem(place: Place, problem: Problem | null): Place {
  switch (place.at) {
    case "step":
    case "card_code":
    case "recovery":
    case "recovery_code":
      return { ...place, problem };
    case "paying":
    case "challenge":
      return { at: "step", step: "review", problem };
    default:
      return place;
  }
}

function stepTo(state: CheckoutState, step: StepName | null): CheckoutState {
  return step === null ? state : { ...state, place: { at: "step", step, problem: null }, challengeLeft: null };
}

function currentStep(place: Place): StepName {
  switch (place.at) {
    case "step":
      return place.step;
    case "unsupported_insurer":
    case "recovery":
    case "recovery_code":
      return "patient";
    case "card_code":
      return "card";
    default:
      return "review";
  }
}

/**
 * The part below the charges on a known patient's payment screen: the code, or the payment. Null on every other screen.
 */
export function knownPart({ place, recognition, steps }: CheckoutState, facts: Facts): "code" | "payment" | null {
  if (place.at === "card_code") return "code";
  if (place.at !== "step") return null;
  if (place.step === "summary" && offersRecognition(recognition, steps, facts)) return "code";
  return place.step === "review" && recognition.is === "recognised" ? "payment" : null;
}

function wentBack(state: CheckoutState, facts: Facts): CheckoutState {
  const { place } = state;
  if (place.at !== "step") {
    const step = currentStep(place);
    // This visit had no form, so returns to the step on which the payment was pressed.
    return stepTo(state, step === "patient" && !state.steps.includes(step) ? "review" : step);
  }
  return stepTo(state, previousStep(place.step, state.steps, facts));
}

/** Opens a remembered or requested step, if the server's data allows it. */
function opened(state: CheckoutState, remembered: StepName, facts: Facts): CheckoutState {
  const step = stepInVisit(remembered, state.steps);
  return isReachable(step, state.steps, facts) ? stepTo(state, step) : state;
}

function collided(state: CheckoutState, rut: string, refusal: Refusal): CheckoutState {
  const collision: Collision = {
    rut,
    emailHint: refusal.additions.email_hint ?? "",
    ways: refusal.additions.recovery ?? [],
  };
  return { ...state, place: { at: "recovery", collision, asking: "way", problem: null } };
}

function ownSignUp(rut: string): Collision {
  return { rut, emailHint: "", ways: [] };
}

function continued(state: CheckoutState, facts: Facts): CheckoutState {
  const { place } = state;
  // A known patient whose conflict appears only at the payment has no sign-up step to return to.
  const from = state.steps.includes(currentStep(place)) ? currentStep(place) : "summary";
  // Registered by a recovery, so the document is still missing.
  if (from === "patient" && !isStepDone(from, facts)) return stepTo(state, from);
  const next = nextStep(from, state.steps, facts);
  return next === null && !facts.hasOrder
    ? { ...state, place: { at: "done", kind: "onboarding" } }
    : stepTo(state, next);
}

function consentChanged(state: CheckoutState, purpose: ConsentPurpose, given: boolean): CheckoutState {
  const others = state.given.filter((each) => each !== purpose);
  return { ...state, given: given ? [...others, purpose] : others };
}

/** The server's data has changed. A decision replaces the screen; a mere completion leaves it unchanged. */
function factsChanged(state: CheckoutState, facts: Facts): CheckoutState {
  if (state.place.at === "done" || state.place.at === "credit_refused") return state;
  if (isSettled(facts.orderStatus)) return { ...state, place: { at: "done", kind: "payment" } };
  if (facts.orderStatus === "cancelled") return { ...state, place: endedBy("order_not_payable") };
  if (state.place.at !== "ended") return state;
  // A fresh token reopens what the expired one had closed.
  const reopened = { ...state, place: openingPlace(facts) };
  return state.lastStep === null ? reopened : opened(reopened, state.lastStep, facts);
}

/** Every transition between screens. Pure: the server's data is passed in as facts. */
export function reduceCheckout(state: CheckoutState, event: CheckoutEvent, facts: Facts): CheckoutState {
  const next = reducePlace(state, event, facts);
  return next.place.at === "step" ? { ...next, lastStep: next.place.step } : next;
}

function reducePlace(state: CheckoutState, event: CheckoutEvent, facts: Facts): CheckoutState {
  const { place } = state;
  switch (event.type) {
    case "continued":
      return continued({ ...state, declined: null }, facts);
    case "went_back":
      return wentBack(state, facts);
    case "recognition_asked":
      return { ...state, recognition: { ...state.recognition, asked: event.asked } };
    case "recognised":
      return stepTo(
        { ...state, declined: null, recognition: { ...state.recognition, is: "recognised", cards: event.cards } },
        nextStep("summary", state.steps, facts),
      );
    case "saved_card_gone": {
      const { recognition } = state;
      return {
        ...state,
        recognition: { ...recognition, cards: recognition.cards.filter(({ id }) => id !== event.id) },
      };
    }
    case "disowned":
      return stepTo(
        { ...state, recognition: { ...NOT_RECOGNISED, is: "disowned" } },
        nextStep("summary", state.steps, facts),
      );
    case "card_code_needed":
      return { ...state, place: { at: "card_code", card: event.card, problem: null } };
    case "opened":
      return opened(state, event.step, facts);
    case "texts_changed":
      return isOpen(state.place) ? withConsentsReset(state) : state;
    case "consent_changed":
      return consentChanged(state, event.purpose, event.given);
    case "submitted":
      return { ...state, place: withProblem(place, null), challengeLeft: null };
    case "failed": {
      const { problem, ofPayment } = event;
      const isDeclined = ofPayment === true && isRefusedAs(problem, "card_declined");
      return failed(isDeclined ? { ...state, declined: problem } : state, problem);
    }
    case "collided":
      return collided(state, event.rut, event.refusal);
    case "proof_asked":
      return {
        ...state,
        place: { at: "recovery_code", collision: ownSignUp(event.rut), sent: event.sent, problem: null },
      };
    case "recovery_chosen":
      return place.at === "recovery" || place.at === "recovery_code"
        ? { ...state, place: { at: "recovery", collision: place.collision, asking: event.asking, problem: null } }
        : state;
    case "code_sent":
      return place.at === "recovery" || place.at === "recovery_code"
        ? { ...state, place: { at: "recovery_code", collision: place.collision, sent: event.sent, problem: null } }
        : state;
    case "insurer_unsupported":
      return { ...state, place: { at: "unsupported_insurer" } };
    case "payment_started":
      return { ...state, place: { at: "paying", doing: "sending" }, challengeLeft: null, declined: null };
    case "payment_progressed":
      return place.at === "paying" || place.at === "challenge"
        ? { ...state, place: { at: "paying", doing: event.doing } }
        : state;
    case "challenge_asked":
      return { ...state, place: { at: "challenge", challenge: event.challenge } };
    case "challenge_left":
      return {
        ...state,
        place: { at: "step", step: "review", problem: null },
        challengeLeft: place.at === "challenge" ? place.challenge : state.challengeLeft,
      };
    case "finished":
      return { ...state, place: { at: "done", kind: event.kind, linked: event.linked ?? false } };
    case "expired":
      return expired(state);
    case "facts_changed":
      return factsChanged(state, facts);
  }
}
