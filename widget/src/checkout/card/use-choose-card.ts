import type { SavedCardView } from "bff/contract/orders";
import { isRefusedAs, problemOf, valueOrThrow } from "../../api/problem.ts";
import { credentialsOf } from "../server-state.ts";
import { type StepContext, showProblem } from "../step-context.ts";
import { useStep } from "../use-step.ts";

/** Puts a saved card on the order, replacing its card. The service may require a code for that card first. */
export function useChooseCard(context: StepContext) {
  const { visit, api } = context;
  const start = useStep({
    mutationFn: async ({ orderToken, card }: { readonly orderToken: string; readonly card: SavedCardView }) =>
      valueOrThrow(await api.addCard(credentialsOf(visit.session()), orderToken, { stored_card: card.id })),
    // The screen shows the failure; the patient presses again, or types a card.
    retry: false,
    onMutate: () => visit.send({ type: "submitted" }),
    onSuccess: (order) => {
      context.inquiry = { isUnderWay: false };
      visit.keepOrder(order);
      visit.send({ type: "continued" });
    },
    onError: (failure, { card }) => {
      const problem = problemOf(failure);
      if (isRefusedAs(problem, "stored_card_code_required")) return visit.send({ type: "card_code_needed", card });
      // The patient has removed it, or the processor no longer keeps it.
      if (isRefusedAs(problem, "stored_card_refused")) visit.send({ type: "saved_card_gone", id: card.id });
      showProblem(context, problem);
    },
  });
  return (card: SavedCardView): void => {
    const { order_token: orderToken } = visit.session();
    if (orderToken !== null) start(() => ({ orderToken, card }));
  };
}
