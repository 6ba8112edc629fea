import type { ConsentPurpose } from "bff/contract/orders";
import { problemOf, type Refusal } from "../../api/problem.ts";
import { createAttemptKey } from "../attempt-key.ts";
import { givenConsents } from "../given-consents.ts";
import { runPayment } from "../payment-run.ts";
import { credentialsOf } from "../server-state.ts";
import { type StepContext, showProblem } from "../step-context.ts";
import { useStep } from "../use-step.ts";
import { inquire } from "./inquire.ts";
import { runOptions, takeOutcome } from "./payment-outcome.ts";

interface Payment {
  readonly orderToken: string;
  readonly given: readonly ConsentPurpose[];
}

/** The order is less ready than this page shows: its card was declined or removed, or a recognition expired. */
const ORDER_CHANGED: ReadonlySet<string> = new Set([
  "card_declined",
  "processor_payment_method_not_found",
  "processor_customer_identity_not_validated",
]);

/** Reloads the terms that the service would accept now: the texts, the quote, or the order. */
async function takeNewTerms({ visit }: StepContext, { code }: Refusal): Promise<void> {
  // The texts contain the quote's amounts and date, so both are fetched.
  if (code === "consents_missing" || code === "quote_changed") await visit.refreshSession();
  if (ORDER_CHANGED.has(code)) await visit.fetchOrder();
}

/** Pays the order, and continues a payment after the bank's page. */
export function usePay(context: StepContext) {
  const { visit, api } = context;
  const start = useStep({
    mutationFn: async ({ orderToken, given: ticked }: Payment) => {
      const session = visit.session();
      const consents = givenConsents(session.consents, "payment", ticked);
      const isAfterPage = context.inquiry.isUnderWay;
      const isUnderWay = isAfterPage && consents.length === 0;
      context.inquiry = { isUnderWay };
      // An order that is no longer payable has no quote, and inquiring about it needs none.
      const shown = session.quote === null ? {} : { quote_sha256: session.quote.sha256 };
      // An inquiry starts nothing, so it has a separate key.
      const key = isUnderWay ? createAttemptKey(context.newKey) : context.payment;
      const given = { consents, ...shown };
      const body = isUnderWay ? given : context.payment.body(given);
      const pay = (current: string) => api.pay(credentialsOf(session), orderToken, body, current);
      const outcome = await runPayment({ ...runOptions(context), isUnderWay, key, pay });
      if (outcome.outcome === "refused") await takeNewTerms(context, outcome.problem);
      return { outcome, isAfterPage };
    },
    // The run repeats the request under one key until the service has decided. A lost answer does not imply an outcome,
    // and "processing" is an answer too.
    retry: false,
    onMutate: () => visit.send({ type: "payment_started" }),
    onSuccess: ({ outcome, isAfterPage }) => {
      takeOutcome(context, outcome);
      // The bank's page may end before the service knows the outcome.
      if (isAfterPage && outcome.outcome === "challenge") void inquire(context, "left");
    },
    onError: (failure) => showProblem(context, problemOf(failure)),
  });
  return (given: readonly ConsentPurpose[]): void => {
    const { order_token: orderToken } = visit.session();
    if (orderToken !== null) start(() => ({ orderToken, given }));
  };
}
