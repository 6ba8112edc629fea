import { useMutation } from "@tanstack/react-query";
import type { ShownPage } from "bff/contract/orders";
import type { Due, PayEarlyRequest, PayEarlyResponse } from "bff/contract/self-service-links";
import { upcomingOfDue } from "bff/contract/upcoming-charge";
import { useEffect, useRef, useState } from "react";
import { isDefinite, isRefusedAs, type Problem, problemOf, valueOrThrow } from "../api/problem.ts";
import { brandName } from "../checkout/card/card-brand.tsx";
import { ChallengeDialog } from "../checkout/paying/challenge-dialog.tsx";
import { usePageInquiry } from "../checkout/paying/page-inquiry.ts";
import { MessageScreen } from "../checkout/problem/message-screen.tsx";
import { Amounts } from "../design/amounts.tsx";
import { Notice } from "../design/notice.tsx";
import { FormShell } from "../form/form-shell.tsx";
import { formatPesos } from "../words/format.ts";
import { problemWords } from "../words/problem-words.ts";
import { useAllWords } from "../words/words-context.tsx";
import { isAsking, isNotConfirmed } from "./issuer-challenge.ts";
import { usePageWords } from "./link-page.ts";
import { LINK_WORDS } from "./link-words.ts";
import {
  asksForCode,
  behindCode,
  CheckScreen,
  type OpenedPageProps,
  type Settled,
  SettledScreen,
  settledAlready,
  settledBy,
} from "./opened-link.tsx";
import { PAY_EARLY_WORDS } from "./pay-early-words.ts";
import { UPCOMING_WORDS } from "./upcoming-words.ts";

/** Pays the rest now with the saved card. */
export const PayEarlyPage = behindCode(PAY_EARLY_WORDS, PayRest);

type Stage = "review" | "paid" | "processing" | "not_charged" | Settled;

/** The issuer's page: in the dialog, or left by the patient. */
type Challenge = Pick<ShownPage, "url" | "display"> & { readonly isLeft: boolean };

export function PayRest({ session, token, parts, opened, close }: OpenedPageProps) {
  const own = usePageWords(PAY_EARLY_WORDS);
  const { onHoldTitle } = usePageWords(UPCOMING_WORDS);
  const { due } = opened;
  const [stage, setStage] = useState<Stage>(
    () => settledAlready(due) ?? (due !== null && upcomingOfDue(due).status === "in_flight" ? "processing" : "review"),
  );
  const [challenge, setChallenge] = useState<Challenge | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [attempt, setAttempt] = useState(0);
  /** Whether the service has taken a press of this page that has no result yet. */
  const isTaken = useRef(false);
  /**
   * Whether polling ends when the issuer's page is ready. Otherwise, for a page that was left or is in a tab, it ends
   * with the page.
   */
  const waitsForPage = useRef(false);
  const ask = (asked: Pick<PayEarlyRequest, "inquire" | "amount">) =>
    parts.api.payEarly(session.public_key, { widget_token: token, access: opened.access, ...asked });
  const inquiry = usePageInquiry({
    isEnd: (outcome) => !isAsking(outcome) || (waitsForPage.current && outcome.action !== undefined),
    inquire: () => ask({ inquire: true }),
    onOutcome: (answer) => (answer.ok ? take(answer.value) : fail(answer.problem)),
    wait: parts.wait,
  });
  const paying = useMutation({
    mutationFn: async (asked: Pick<PayEarlyRequest, "inquire" | "amount">) => valueOrThrow(await ask(asked)),
    // After a lost answer the patient's next press decides. The service charges at most once per link.
    retry: false,
    onMutate: () => inquiry.stop(),
    onSuccess(outcome, { inquire = false }) {
      take(outcome, !inquire);
      // The bank's page may end before the service knows the outcome.
      if (inquire && outcome.action !== undefined) poll();
    },
    onError: (failure) => fail(problemOf(failure)),
    onSettled: () => setAttempt((count) => count + 1),
  });
  const { isPending: pending } = paying;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a payment that is under way when the page opens.
  useEffect(() => {
    if (stage === "processing") poll({ forPage: true });
  }, []);

  function poll({ forPage = false } = {}): void {
    waitsForPage.current = forPage;
    inquiry.start();
  }

  function take({ status, action }: PayEarlyResponse, isPress = false): void {
    isTaken.current ||= isPress;
    setProblem(null);
    setChallenge(action === undefined ? null : { ...action, isLeft: false });
    if (status === "collected") setStage("paid");
    // Nothing was attempted. An inquiry returns to the button; after a press, the amount due has changed.
    else if (status === "none") setStage(isTaken.current ? "not_charged" : "review");
    else setStage(status === "processing" ? "processing" : "review");
    if (status === "processing") poll({ forPage: true });
  }

  function fail(failure: Problem): void {
    const settled = settledBy(failure);
    setProblem(failure);
    if (asksForCode(failure)) close(failure);
    // The patient has just confirmed this charge, so the result belongs to it and not to an earlier one.
    else if (settled !== null) setStage(settled === "collected" && isTaken.current ? "paid" : settled);
    // The inquired attempt has ended, and the card may be charged again if the patient wants that.
    else if (isDefinite(failure)) {
      isTaken.current = false;
      setStage("review");
    }
    setChallenge(null);
  }

  function leave(): void {
    setChallenge((before) => before && { ...before, isLeft: true });
    // The patient may have confirmed in the bank's app. The payment then continues without this page.
    poll();
  }

  if (stage === "paid") return <MessageScreen key="paid" icon="check" words={own.done} />;
  if (stage === "processing")
    return (
      <CheckScreen
        key="processing"
        words={own.processing}
        problem={problem}
        pending={pending}
        onCheck={() => paying.mutate({ inquire: true })}
      />
    );
  if (stage === "not_charged") return <MessageScreen key="not-charged" words={own.notCharged} />;
  if (due === null) return <MessageScreen key="withdrawn" words={{ title: onHoldTitle, text: own.withdrawn }} />;
  if (stage !== "review") return <SettledScreen settled={stage} />;
  return (
    <>
      <Review
        due={due}
        problem={problem}
        isLeft={challenge?.isLeft === true}
        pending={pending}
        attempt={attempt}
        onPay={() => paying.mutate({ amount: due.amount })}
      />
      {challenge === null || challenge.isLeft ? null : (
        <ChallengeDialog
          page={challenge}
          onEnded={() => paying.mutate({ inquire: true })}
          onLeft={leave}
          onOpenedInTab={() => poll()}
          wait={parts.wait}
        />
      )}
    </>
  );
}

interface ReviewProps {
  readonly due: Due;
  readonly problem: Problem | null;
  /** The bank's page was left before it ended. */
  readonly isLeft: boolean;
  readonly pending: boolean;
  readonly attempt: number;
  readonly onPay: () => void;
}

function Review({ due, problem, isLeft, pending, attempt, onPay }: ReviewProps) {
  const words = useAllWords();
  const own = usePageWords(PAY_EARLY_WORDS);
  const shared = usePageWords(LINK_WORDS);
  const { pay } = usePageWords(UPCOMING_WORDS);
  const { status, day } = upcomingOfDue(due);
  const { challengeLeft } = words.paying;
  const isDeclined = isRefusedAs(problem, "card_declined");
  return (
    <FormShell
      title={own.review.title}
      intro={own.review.intro}
      action={pay(formatPesos(due.amount))}
      pending={pending}
      faults={[]}
      problem={problem === null ? null : problemWords(problem, words)}
      attempt={attempt}
      onSubmit={onPay}
      note={own.review.note}
      banner={
        isLeft ? (
          <Notice tone="warning" role="status" title={challengeLeft.title}>
            <p>{challengeLeft.text}</p>
          </Notice>
        ) : isDeclined ? (
          <p>{isNotConfirmed(problem) ? own.review.notConfirmed : own.review.otherCard}</p>
        ) : null
      }
    >
      <Amounts
        rows={[
          ...(due.commission === 0 ? [] : [{ label: shared.commission, pesos: due.commission }]),
          { label: shared.card, text: words.review.cardEnds(brandName(due.card.brand), due.card.last4) },
          ...(day === null || status === "due_now"
            ? []
            : [{ label: status === "by_day" ? shared.latestCharge : shared.nextCharge, text: words.date(day) }]),
          { label: shared.amount, pesos: due.amount, weight: "total" },
        ]}
      />
    </FormShell>
  );
}
