import { useMutation } from "@tanstack/react-query";
import type { StartRecoveryResponse } from "bff/contract/onboarding";
import { type ReactNode, useState } from "react";
import { type Answer, isCodeRefused, type Problem, problemOf, valueOrThrow } from "../api/problem.ts";
import { ArrivingNotice } from "../checkout/problem/arriving-notice.tsx";
import { MessageScreen } from "../checkout/problem/message-screen.tsx";
import { RecoveryCode } from "../checkout/recovery/recovery-steps.tsx";
import { problemWithAttempts } from "../words/problem-words.ts";
import type { ProblemWords } from "../words/words.ts";
import { useAllWords } from "../words/words-context.tsx";
import type { SelfServiceParts } from "./link-page.ts";

export interface CodeGateProps<Opened> {
  /** The text before the code: the page's purpose, and that a code will be sent to the registered address. */
  readonly words: ProblemWords & { readonly action: string };
  readonly clock: SelfServiceParts["clock"];
  readonly sendCode: () => Promise<Answer<StartRecoveryResponse>>;
  /** The call that opens the page with the right code. */
  readonly answerCode: (code: string) => Promise<Answer<Opened>>;
  /** The page behind the code. `close` returns to the code and shows why, once the access has expired. */
  readonly children: (opened: Opened, close: (problem: Problem) => void) => ReactNode;
}

type Stage<Opened> =
  | { readonly at: "asked"; readonly problem: Problem | null }
  | { readonly at: "code"; readonly sentTo: string; readonly resendAt: number; readonly problem: Problem | null }
  | { readonly at: "opened"; readonly opened: Opened };

/**
 * Shows the page of a link only after a one-time code. Mails are forwarded, so the link alone does not authenticate the
 * patient. The code is sent on request, not when the link is opened: mailbox scanners open links too.
 */
export function CodeGate<Opened>(props: CodeGateProps<Opened>) {
  const { clock } = props;
  const words = useAllWords();
  const [stage, setStage] = useState<Stage<Opened>>({ at: "asked", problem: null });

  /** Replaces the problem of the last attempt; null clears it. */
  function showProblem(problem: Problem | null): void {
    setStage((before) => (before.at === "opened" ? before : { ...before, problem }));
  }

  const sending = useMutation({
    mutationFn: async () => valueOrThrow(await props.sendCode()),
    // Each request sends a code, so the next one is only sent when the patient asks for it.
    retry: false,
    onMutate: () => showProblem(null),
    onSuccess: ({ sent_to: sentTo, resend_after }) =>
      setStage({ at: "code", sentTo, resendAt: Date.parse(resend_after), problem: null }),
    onError: (failure) => showProblem(problemOf(failure)),
  });
  const answering = useMutation({
    mutationFn: async (code: string) => valueOrThrow(await props.answerCode(code)),
    // Each request is one of the few attempts for a code.
    retry: false,
    onMutate: () => showProblem(null),
    onSuccess: (opened) => setStage({ at: "opened", opened }),
    onError: (failure) => {
      const problem = problemOf(failure);
      // An invalid code cannot be corrected, so the patient must request another one.
      const isOver = problem.kind === "refused" && problem.status === 410;
      setStage((before) => (before.at === "code" && !isOver ? { ...before, problem } : { at: "asked", problem }));
    },
  });
  const pending = sending.isPending || answering.isPending;

  if (stage.at === "opened") return props.children(stage.opened, (problem) => setStage({ at: "asked", problem }));
  const problem = problemWithAttempts(stage.problem, words);
  if (stage.at === "code") {
    return (
      <RecoveryCode
        sent={{ way: "email_code", sentTo: stage.sentTo, resendAt: stage.resendAt }}
        pending={pending}
        problem={problem}
        codeIsRefused={isCodeRefused(stage.problem)}
        now={clock.now}
        onSubmit={(code) => answering.mutate(code, { onSettled: answering.reset })}
        onResend={sending.mutate}
        onOtherWay={() => setStage({ at: "asked", problem: null })}
      />
    );
  }
  return (
    <MessageScreen
      words={props.words}
      icon="shield"
      action={{ label: props.words.action, onPress: sending.mutate, pending }}
    >
      <ArrivingNotice words={problem} />
    </MessageScreen>
  );
}
