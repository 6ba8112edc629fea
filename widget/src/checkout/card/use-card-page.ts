import type { ConsentPurpose, OpenCardPageRequest, OpenCardPageResponse } from "bff/contract/orders";
import { useRef, useState } from "react";
import { type Answer, isDefinite, type Problem, problemOf, valueOrThrow } from "../../api/problem.ts";
import { givenConsents } from "../given-consents.ts";
import { usePageInquiry } from "../paying/page-inquiry.ts";
import { credentialsOf } from "../server-state.ts";
import { type StepContext, showProblem } from "../step-context.ts";
import { useStep } from "../use-step.ts";

/** The processor's page: in the dialog, left by the patient, or on its way; `url` is null where it is not known yet. */
export interface OpenedPage {
  readonly url: string | null;
  readonly isLeft: boolean;
}

/** Opens the card processor's own page, and learns from the service, and from nobody else, what became of it. */
export function useCardPage(context: StepContext) {
  const { visit, api } = context;
  const [page, setPage] = useState<OpenedPage | null>(null);
  /** A page that is on its way is waited for until it is there; one that is left, or in a tab, until it has ended. */
  const waitsForPage = useRef(false);
  const ask = (body: OpenCardPageRequest): Promise<Answer<OpenCardPageResponse>> => {
    const { order_token: orderToken } = visit.session();
    return api.openCardPage(credentialsOf(visit.session()), orderToken ?? "", body);
  };
  const inquiry = usePageInquiry<OpenCardPageResponse>({
    inquire: () => ask({ inquire: true }),
    isEnd: ({ status }) => status !== "processing" && (status !== "open" || waitsForPage.current),
    onOutcome: (answer) => (answer.ok ? take(answer.value, "shown") : refuse(answer.problem)),
    wait: context.wait,
  });
  const start = useStep(visit, {
    mutationFn: async (body: OpenCardPageRequest) => valueOrThrow(await ask(body)),
    // Whether it is opened again is the patient's decision; one that is open is answered again.
    retry: false,
    onMutate: () => {
      inquiry.stop();
      visit.send({ type: "submitted" });
    },
    onSuccess: (told, { inquire = false }) => take(told, inquire ? "left" : "shown"),
    onError: (failure, { inquire = false }) => {
      const problem = problemOf(failure);
      // It had ended for the page's own word only: it is asked about until the service knows.
      if (inquire && !isDefinite(problem)) leave();
      else refuse(problem);
    },
  });

  function take({ status, page: opened, order }: OpenCardPageResponse, as: "shown" | "left"): void {
    if (status === "added") {
      context.inquiry = { isUnderWay: false };
      setPage(null);
      visit.keepOrder(order);
      visit.send({ type: "continued" });
      return;
    }
    if (status === "none") {
      setPage(null);
      return;
    }
    const isLeft = as === "left";
    waitsForPage.current = opened === undefined;
    setPage({ url: opened?.url ?? null, isLeft });
    if (isLeft || opened === undefined) inquiry.start();
  }

  function refuse(problem: Problem): void {
    setPage(null);
    showProblem(context, problem);
  }

  function leave(): void {
    setPage((before) => before && { ...before, isLeft: true });
    inquiry.start();
  }

  return {
    page,
    open: (given: readonly ConsentPurpose[]): void => {
      const consents = givenConsents(visit.session().consents, "card", given);
      start(() => (consents.length > 0 ? { consents } : {}));
    },
    /** The page says that it has ended. */
    ended: () => start(() => ({ inquire: true })),
    leave,
    openedInTab: inquiry.start,
    /**
     * Asks once about a page that this screen has not opened: its patient may be back from it, or it is to be shown for
     * a card that was sealed, whose refusal `needed` is. Without that the patient waits for nothing, and is told of
     * nothing.
     */
    resume: async (needed: Problem | null): Promise<void> => {
      const answer = await ask({ inquire: true });
      // What the patient has begun meanwhile counts more than how it stood when the step opened.
      if (needed === null && visit.isStepPending()) return;
      if (!answer.ok) {
        if (needed !== null || isDefinite(answer.problem)) showProblem(context, answer.problem);
      } else if (needed !== null && answer.value.status === "none") showProblem(context, needed);
      else take(answer.value, needed === null ? "left" : "shown");
    },
  };
}
