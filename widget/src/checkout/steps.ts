import type { DeclinedCard, PatientOrder } from "bff/contract/orders";
import type { WidgetSession } from "bff/contract/widget-tokens";

/** The screens that require something of the patient, in order. */
export type StepName = "summary" | "patient" | "identity" | "card" | "review";

const ORDER_OF_STEPS: readonly StepName[] = ["summary", "patient", "identity", "card", "review"];

/** True for the tokens of a checkout or a sign-up; the others are self-service links. */
export function isVisit(purpose: WidgetSession["purpose"]): purpose is "checkout" | "onboarding" {
  return purpose === "checkout" || purpose === "onboarding";
}

/** The server's data about the patient's progress, as far as the checkout needs it to choose a screen. */
export interface Facts {
  readonly hasOrder: boolean;
  readonly isNewPatient: boolean;
  readonly identityValidated: boolean;
  readonly cardAdded: boolean;
  /** Whether the clinic lets its patients save their card, and offers a code to those who may have done so. */
  readonly keepsCards: boolean;
  readonly orderStatus: PatientOrder["status"] | null;
  /** Why the order can never be paid. */
  readonly blockedBy?: WidgetSession["blocked_by"];
}

/** The order's card if another try with it cannot succeed, so that it is not offered for the payment. */
export function declinedCardOf(order: PatientOrder | null): DeclinedCard | undefined {
  return order?.declined_cards?.find(({ id }) => id === order.payment_method?.id);
}

export function factsOf(session: WidgetSession, order: PatientOrder | null): Facts {
  return {
    hasOrder: order !== null,
    isNewPatient: session.event_type === "SPOT_USER_NEW",
    identityValidated: order?.readiness.identity_validated ?? false,
    cardAdded: (order?.readiness.payment_method_added ?? false) && declinedCardOf(order) === undefined,
    keepsCards: session.consents.some(({ purpose }) => purpose === "saved_card"),
    orderStatus: order?.status ?? null,
    blockedBy: session.blocked_by,
  };
}

export function isStepName(text: string): text is StepName {
  return ORDER_OF_STEPS.some((step) => step === text);
}

/**
 * True if, according to the server, nothing is left to do on this step. Reading and paying are never complete before
 * the end.
 */
export function isStepDone(step: StepName, facts: Facts): boolean {
  switch (step) {
    case "summary":
    case "review":
      return false;
    case "patient":
      return !facts.isNewPatient && (!facts.hasOrder || facts.identityValidated);
    case "identity":
      return facts.identityValidated;
    case "card":
      return facts.cardAdded;
  }
}

/** The steps of this visit. Fixed at its start, so that their number does not change while the patient reads it. */
export function stepsOf(facts: Facts): readonly StepName[] {
  if (!facts.hasOrder) return ["patient"];
  // A new patient enters the document together with the other data.
  return ORDER_OF_STEPS.filter((step) => step !== (facts.isNewPatient ? "identity" : "patient"));
}

/**
 * The step on which a visit starts: after everything that is complete, but at the top if only the patient's record
 * exists.
 */
export function firstStep(facts: Facts): StepName {
  if (!facts.hasOrder) return "patient";
  if (facts.identityValidated && !facts.isNewPatient) return facts.cardAdded ? "review" : "card";
  return "summary";
}

/** The next incomplete step; null after the last. */
export function nextStep(from: StepName, steps: readonly StepName[], facts: Facts): StepName | null {
  return steps.slice(steps.indexOf(from) + 1).find((step) => !isStepDone(step, facts)) ?? null;
}

/** The step to go back to. Skips completed steps that cannot be changed; the card can be changed. */
export function previousStep(from: StepName, steps: readonly StepName[], facts: Facts): StepName | null {
  const before = steps.slice(0, steps.indexOf(from));
  return before.reverse().find((step) => isStepOpen(step, facts)) ?? null;
}

/** Whether a step has something left to do or to change. */
function isStepOpen(step: StepName, facts: Facts): boolean {
  return step === "card" || !isStepDone(step, facts);
}

/**
 * Whether the patient may be on this step: no earlier one is incomplete. A remembered step is only trusted within this
 * limit.
 */
export function isReachable(step: StepName, steps: readonly StepName[], facts: Facts): boolean {
  const index = steps.indexOf(step);
  if (index === -1 || !isStepOpen(step, facts)) return false;
  return steps.slice(0, index).every((before) => before === "summary" || isStepDone(before, facts));
}

/** The document is entered in the sign-up or on a separate screen. Returns the one that this visit has. */
export function stepInVisit(step: StepName, steps: readonly StepName[]): StepName {
  if (step !== "patient" && step !== "identity") return step;
  return steps.includes("patient") ? "patient" : "identity";
}
