import type { ConsentPurpose, GivenConsent } from "bff/contract/orders";
import { isRefusedAs, NOT_SEALED, type Problem, ProblemError, problemOf, valueOrThrow } from "../../api/problem.ts";
import { sealedOrNull } from "../../api/sealed-or-null.ts";
import { givenConsents } from "../given-consents.ts";
import { credentialsOf } from "../server-state.ts";
import { type StepContext, showProblem } from "../step-context.ts";
import { useStep } from "../use-step.ts";
import type { TypedCard } from "./card-step.tsx";

interface SealedCard {
  readonly orderToken: string;
  /** The card, already being sealed, so that the mutation never contains it. Null if it could not be sealed. */
  readonly sealed: Promise<string | null>;
  readonly consents: GivenConsent[];
}

async function sealedCard(card: TypedCard, order_token: string, context: StepContext): Promise<string | null> {
  const { visit, clock } = context;
  // The processor was unavailable when the page was opened, and again at this step.
  if (visit.session().sealing_keys.card === null) await visit.refreshSession();
  const iat = Math.floor(clock.now() / 1000);
  return sealedOrNull(context, { ...card, order_token, iat }, visit.session().sealing_keys.card);
}

/** Adds the card to the order, replacing an earlier one. */
export function useAddCard(
  context: StepContext,
  { onPageNeeded }: { readonly onPageNeeded: (refusal: Problem) => void },
) {
  const { visit, api } = context;
  const start = useStep({
    mutationFn: async ({ orderToken, sealed, consents }: SealedCard) => {
      const sealedCard = await sealed;
      if (sealedCard === null) throw new ProblemError(NOT_SEALED);
      const body = { sealed_card: sealedCard, ...(consents.length > 0 && { consents }) };
      return valueOrThrow(await api.addCard(credentialsOf(visit.session()), orderToken, body));
    },
    // The patient decides whether to send a card again: each press seals it with its own time.
    retry: false,
    onMutate: () => visit.send({ type: "submitted" }),
    onSuccess: (order) => {
      // The service accepts another card only while no attempt is in progress, so there is nothing left to inquire
      // about.
      context.inquiry = { isUnderWay: false };
      visit.keepOrder(order);
      visit.send({ type: "continued" });
    },
    onError: async (failure) => {
      const problem = problemOf(failure);
      // Sealed too long ago, or with a retired key. The next attempt needs the current time and key.
      if (isRefusedAs(problem, "sealed_card_refused")) await visit.refreshSession();
      // The processor requires confirmation on its own page.
      if (isRefusedAs(problem, "card_page_needed")) onPageNeeded(problem);
      else showProblem(context, problem);
    },
  });
  return (card: TypedCard, given: readonly ConsentPurpose[]): void => {
    const { order_token: orderToken, consents } = visit.session();
    if (orderToken === null) return;
    start(() => ({
      orderToken,
      sealed: sealedCard(card, orderToken, context),
      consents: givenConsents(consents, "card", given),
    }));
  };
}
