import type { PaymentPage } from "bff/contract/payment-page";
import type { ButtonProps } from "../design/button.tsx";

/** An action that has a screen. */
export type Acting = "pay_early" | "change_card" | "give_access";

interface Offered {
  readonly acting: Acting;
  readonly kind: ButtonProps["kind"];
}

/**
 * The actions of a payment, the one that fits its state first. Only that one looks like a button, and is filled if the
 * payment waits for it.
 */
export function offeredActions({ actions, second_charge: { upcoming, declined } }: PaymentPage): readonly Offered[] {
  const isCardNeeded = upcoming.status === "card_needed" || declined !== null;
  const byFit: readonly Acting[] = isCardNeeded
    ? ["give_access", "change_card", "pay_early"]
    : ["give_access", "pay_early", "change_card"];
  return byFit
    .filter((acting) => actions[acting])
    .map((acting, index) => {
      if (index > 0) return { acting, kind: "quiet" };
      if (acting === "give_access" || isCardNeeded) return { acting, kind: "primary" };
      return { acting, kind: acting === "pay_early" ? "secondary" : "quiet" };
    });
}
