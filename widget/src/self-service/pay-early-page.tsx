import { useMutation } from "@tanstack/react-query";
import type { ShownPage } from "bff/contract/orders";
import type { Due, PayEarlyRequest, PayEarlyResponse } from "bff/contract/self-service-links";
import { upcomingOfDue } from "bff/contract/upcoming-charge";
import { useRef, useState } from "react";
import { codeOf, isDefinite, isLost, isRefusedAs, type Problem, problemOf, valueOrThrow } from "../api/problem.ts";
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
  /** Why a press has no answer yet. It is shown once an inquiry says that nothing was attempted. */
  const lost = useRef<Problem | null>(null);
  const [attempt, setAttempt] = useState(0);
  const ask = (asked: Pick<PayEarlyRequest, "inquire" | "amount">) =>
    parts.api.payEarly(session.public_key, { widget_token: token, access: opened.access, ...asked });
  const inquiry = usePageInquiry({
    isEnd: (outcome) => !isAsking(outcome),
    inquire: () => ask({ inquire: true }),
    onOutcome: (answer) => (answer.ok ? take(answer.value) : fail(answer.problem)),
    wait: parts.wait,
  });
  const paying = useMutation({
    mutationFn: async (asked: Pick<PayEarlyRequest, "inquire" | "amount">) => valueOrThrow(await ask(asked)),
    // A lost answer is inquired about. A repeated request would charge again after a decline.
    retry: false,
    onMutate: () => inquiry.stop(),
    onSuccess(outcome, { inquire = false }) {
      take(outcome, !inquire);
      // The bank's page may end before the service knows the outcome.
      if (inquire && outcome.action !== undefined) inquiry.start();
    },
    onError: (failure, { inquire = false }) => fail(problemOf(failure), !inquire),
    onSettled: () => setAttempt((count) => count + 1),
  });
  const { isPending: pending } = paying;

  function take({ status, action }: PayEarlyResponse, isPress = false): void {
    setProblem(status === "none" ? lost.current : null);
    setChallenge(action === undefined ? null : { ...action, isLeft: false });
    if (status === "collected") setStage("paid");
    else if (status === "processing") check();
    // Nothing was attempted. An inquiry returns to the button; after a press, the amount due has changed.
    else setStage(status === "none" && (isPress || challenge !== null) ? "not_charged" : "review");
  }

  /** Shows that the payment is under way, and polls for its outcome. */
  function check(): void {
    setStage("processing");
    inquiry.start();
  }

  function fail(failure: Problem, isPress = false): void {
    const settled = settledBy(failure);
    if (isPress) lost.current = isLost(failure) ? failure : null;
    // Only a missing connection is shown at once, because the inquiries wait for it.
    setProblem(isPress && isLost(failure) && codeOf(failure) !== "no_answer_offline" ? null : failure);
    if (asksForCode(failure)) close(failure);
    // The patient has just confirmed this charge, so the result belongs to it and not to an earlier one.
    else if (settled !== null) setStage(settled === "collected" && challenge !== null ? "paid" : settled);
    // The inquired attempt has ended, and the card may be charged again if the patient wants that.
    else if (isDefinite(failure)) setStage("review");
    else if (!isPress || isLost(failure)) check();
    setChallenge(null);
  }

  function leave(): void {
    setChallenge((before) => before && { ...before, isLeft: true });
    // The patient may have confirmed in the bank's app. The payment then continues without this page.
    inquiry.start();
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
          onOpenedInTab={inquiry.start}
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
