import type { ConsentPurpose, OpenCardPageRequest, OpenCardPageResponse, ShownPage } from "bff/contract/orders";
import { useRef, useState } from "react";
import { type Answer, isDefinite, type Problem, problemOf, valueOrThrow } from "../../api/problem.ts";
import { usePageTab } from "../../return/page-tab.ts";
import { useAllWords } from "../../words/words-context.tsx";
import { givenConsents } from "../given-consents.ts";
import { usePageInquiry } from "../paying/page-inquiry.ts";
import { credentialsOf } from "../server-state.ts";
import { type StepContext, showProblem } from "../step-context.ts";
import { isStepPending, useStep } from "../use-step.ts";

/** The processor's page: open, left by the patient, or in preparation. `page` is undefined until it is known. */
export interface OpenedPage {
  readonly page: ShownPage | undefined;
  readonly isLeft: boolean;
  readonly isInTab: boolean;
}

/** Opens the card processor's page. The outcome comes only from the service. */
export function useCardPage(context: StepContext) {
  const { visit, api } = context;
  const [page, setPage] = useState<OpenedPage | null>(null);
  const { cardPage: words } = useAllWords();
  const tab = usePageTab(visit.session().card_page_display);
  /**
   * Whether polling ends when the page is ready. Otherwise, for a page that was left or is in a tab, it ends with the
   * page.
   */
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
  const start = useStep({
    mutationFn: async (body: OpenCardPageRequest) => valueOrThrow(await ask(body)),
    // The patient decides whether to open it again; the service returns a page that is still open.
    retry: false,
    onMutate: () => {
      inquiry.stop();
      visit.send({ type: "submitted" });
    },
    onSuccess: (answer, { inquire = false }) => take(answer, inquire ? "left" : "shown"),
    onError: (failure, { inquire = false }) => {
      const problem = problemOf(failure);
      // The page's own message does not prove that it has ended, so poll until the service knows the outcome.
      if (inquire && !isDefinite(problem)) leave();
      else refuse(problem);
    },
  });

  function take({ status, page: opened, order }: OpenCardPageResponse, as: "shown" | "left"): void {
    if (status === "added" || status === "none") tab.fill();
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
    const isInTab = opened !== undefined && tab.fill(opened);
    waitsForPage.current = !opened;
    setPage({ page: opened, isLeft, isInTab });
    if (isLeft || !opened || isInTab) inquiry.start();
  }

  function refuse(problem: Problem): void {
    tab.fill();
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
      start(() => {
        tab.open(words.processing.title);
        return consents.length > 0 ? { consents } : {};
      });
    },
    /** Call it when the page reports its end. */
    ended: () => start(() => ({ inquire: true })),
    leave,
    openedInTab: inquiry.start,
    /**
     * Inquires once about a page that this screen has not opened: the patient may be back from it, or a sealed card
     * needs it, refused as `needed`. Without `needed` the patient waits for nothing, so failures stay silent.
     */
    resume: async (needed: Problem | null): Promise<void> => {
      const answer = await ask({ inquire: true });
      // An action that the patient has started meanwhile takes precedence over the state at the opening of the step.
      if (needed === null && isStepPending(context.queries)) return;
      if (!answer.ok) {
        if (needed !== null || isDefinite(answer.problem)) showProblem(context, answer.problem);
      } else if (needed !== null && answer.value.status === "none") showProblem(context, needed);
      else take(answer.value, needed === null ? "left" : "shown");
    },
  };
}
