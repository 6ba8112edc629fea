import { useMutation } from "@tanstack/react-query";
import type { Due, PayEarlyRequest } from "bff/contract/self-service-links";
import { useState } from "react";
import { isDefinite, type Problem, problemOf, valueOrThrow } from "../api/problem.ts";
import { Amounts } from "../design/amounts.tsx";
import { FormShell } from "../form/form-shell.tsx";
import { brandName } from "../steps/card/card-brand.tsx";
import { ArrivingNotice } from "../steps/problem/arriving-notice.tsx";
import { MessageScreen } from "../steps/problem/message-screen.tsx";
import { formatPesos } from "../words/format.ts";
import { problemWords } from "../words/problem-words.ts";
import { useAllWords } from "../words/words-context.tsx";
import { usePageWords } from "./link-page.ts";
import { LINK_WORDS } from "./link-words.ts";
import {
  asksForCode,
  behindCode,
  type OpenedPageProps,
  type Settled,
  SettledScreen,
  settledAlready,
  settledBy,
  useDayOf,
} from "./opened-link.tsx";
import { PAY_EARLY_WORDS } from "./pay-early-words.ts";

/** Pays what is left now, with the card that is kept. */
export const PayEarlyPage = behindCode(PAY_EARLY_WORDS, PayRest);

type Stage = "review" | "paid" | "processing" | Settled;

/** Nothing was tried: an inquiry finds the patient where the button is. */
const STAGE_AFTER = { collected: "paid", processing: "processing", none: "review" } as const;

function PayRest({ session, token, parts, opened, close }: OpenedPageProps) {
  const words = useAllWords();
  const own = usePageWords(PAY_EARLY_WORDS);
  const { due } = opened;
  const [stage, setStage] = useState<Stage>(
    () => settledAlready(due) ?? (due?.status === "processing" ? "processing" : "review"),
  );
  const [problem, setProblem] = useState<Problem | null>(null);
  const [attempt, setAttempt] = useState(0);
  const paying = useMutation({
    mutationFn: async (inquiry: Pick<PayEarlyRequest, "inquire">) => {
      const body = { widget_token: token, access: opened.access, ...inquiry };
      return valueOrThrow(await parts.api.payEarly(session.public_key, body));
    },
    // After a lost answer the patient's next press decides: the service charges no more than once for one link.
    retry: false,
    onSuccess: ({ status }) => {
      setProblem(null);
      setStage(STAGE_AFTER[status]);
    },
    onError: (failure) => {
      setProblem(problemOf(failure));
      refuse(problemOf(failure));
    },
    onSettled: () => setAttempt((count) => count + 1),
  });
  const { isPending: pending } = paying;

  function refuse(refused: Problem): void {
    const settled = settledBy(refused);
    if (asksForCode(refused)) close(refused);
    else if (settled !== null) setStage(settled);
    // An end: what was being checked is over, and the card may be charged again if the patient wants it.
    else if (isDefinite(refused)) setStage("review");
  }

  if (stage === "paid") return <MessageScreen key="paid" icon="check" words={own.done} />;
  if (stage === "processing") {
    const check = { label: own.processing.action, onPress: () => paying.mutate({ inquire: true }), pending };
    return (
      <MessageScreen key="processing" words={own.processing} action={check}>
        <ArrivingNotice words={problem === null ? null : problemWords(problem, words)} />
      </MessageScreen>
    );
  }
  if (stage !== "review") return <SettledScreen settled={stage} />;
  if (due === null) return <SettledScreen settled="nothing_due" />;
  return <Review due={due} problem={problem} pending={pending} attempt={attempt} onPay={() => paying.mutate({})} />;
}

interface ReviewProps {
  readonly due: Due;
  readonly problem: Problem | null;
  readonly pending: boolean;
  readonly attempt: number;
  readonly onPay: () => void;
}

function Review({ due, problem, pending, attempt, onPay }: ReviewProps) {
  const words = useAllWords();
  const own = usePageWords(PAY_EARLY_WORDS);
  const shared = usePageWords(LINK_WORDS);
  const dayOf = useDayOf();
  const amount = formatPesos(due.amount);
  const isDeclined = problem?.kind === "refused" && problem.code === "card_declined";
  return (
    <FormShell
      title={own.review.title}
      intro={own.review.intro}
      action={own.review.pay(amount)}
      pending={pending}
      faults={[]}
      problem={problem === null ? null : problemWords(problem, words)}
      attempt={attempt}
      onSubmit={onPay}
      note={own.review.note}
      banner={isDeclined ? <p>{own.review.otherCard}</p> : null}
    >
      <Amounts
        rows={[
          ...(due.commission === 0 ? [] : [{ label: shared.commission, value: formatPesos(due.commission) }]),
          { label: shared.card, value: words.review.cardEnds(brandName(due.card.brand), due.card.last4) },
          ...(due.due_at === null ? [] : [{ label: shared.nextCharge, value: dayOf(due.due_at) }]),
          { label: shared.amount, value: amount, weight: "total" },
        ]}
      />
    </FormShell>
  );
}
