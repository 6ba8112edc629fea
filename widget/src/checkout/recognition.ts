import type { PaymentMethod, SavedCardView } from "bff/contract/orders";
import type { Facts, StepName } from "./steps.ts";

/** A requested code. The service never reveals whether it sent one. */
export interface AskedCode {
  /** Server time, in milliseconds since 1970. */
  readonly resendAt: number;
  /** Another page has just requested a code, and that one counts. */
  readonly isEarlier: boolean;
  /** The saved card that the patient chose. Without one, the service chooses. */
  readonly card?: SavedCardView | undefined;
}

/** The state of a known patient's recognition in one visit. */
export interface Recognition {
  /** `disowned`: the code recognised another person, so it is not offered again. */
  readonly is: "open" | "recognised" | "disowned";
  readonly asked: AskedCode | null;
  /** The saved cards that the answer to the right code named. */
  readonly cards: readonly SavedCardView[];
}

export const NOT_RECOGNISED: Recognition = { is: "open", asked: null, cards: [] };

/**
 * Whether to offer a code: to everyone who need not sign up, if the clinic lets patients save cards. It depends on
 * nothing that only the patient should know.
 */
export function offersRecognition({ is }: Recognition, steps: readonly StepName[], facts: Facts): boolean {
  const isLeft = !(facts.identityValidated && facts.cardAdded);
  return is === "open" && facts.keepsCards && facts.hasOrder && !steps.includes("patient") && isLeft;
}

/** The saved card that the order's card was made from; undefined if it is another card. */
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
