import type { PaymentMethod, SavedCardView } from "bff/contract/orders";
import type { Facts, StepName } from "./steps.ts";

/** A requested code. The service never reveals whether it sent one. */
export interface AskedCode {
  /** Server time, in milliseconds since 1970. */
  readonly resendAt: number;
  /** Another page requested one a moment before, and that code counts. */
  readonly isEarlier: boolean;
  /** The saved card that was chosen; without one the service chooses. */
  readonly card?: SavedCardView | undefined;
}

/** How the recognition of a known patient stands in one visit. */
export interface Recognition {
  /** `disowned`: the code recognised another person, so it is not offered again. */
  readonly is: "open" | "recognised" | "disowned";
  readonly asked: AskedCode | null;
  /** The saved cards that the right code has named. */
  readonly cards: readonly SavedCardView[];
}

export const NOT_RECOGNISED: Recognition = { is: "open", asked: null, cards: [] };

/**
 * Whether a code is offered: to everybody who is not asked to sign up, where the clinic lets cards be saved. It depends
 * on nothing that only the patient should know.
 */
export function offersRecognition({ is }: Recognition, steps: readonly StepName[], facts: Facts): boolean {
  const isLeft = !(facts.identityValidated && facts.cardAdded);
  return is === "open" && facts.keepsCards && facts.hasOrder && !steps.includes("patient") && isLeft;
}

/** The saved card that an order's card was made of; undefined where it is another one. */
export function savedCardOf({ cards }: Recognition, card: PaymentMethod | null): SavedCardView | undefined {
  return cards.find(
    ({ brand, last4, exp_month, exp_year }) =>
      card !== null &&
      card.brand === brand &&
      card.last4 === last4 &&
      card.exp_month === exp_month &&
      card.exp_year === exp_year,
  );
}
