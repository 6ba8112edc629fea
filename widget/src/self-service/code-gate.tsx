import type { StartRecoveryResponse } from "bff/contract/onboarding";
import { type ReactNode, useState } from "react";
import type { Answer, Problem } from "../api/problem.ts";
import { ArrivingNotice } from "../steps/problem/arriving-notice.tsx";
import { MessageScreen } from "../steps/problem/message-screen.tsx";
import { RecoveryCode } from "../steps/recovery/recovery-steps.tsx";
import { isCodeRefused, problemWithAttempts } from "../words/problem-words.ts";
import type { ProblemWords } from "../words/words.ts";
import { useAllWords } from "../words/words-context.tsx";
import type { SelfServiceParts } from "./link-page.ts";

export interface CodeGateProps<Opened> {
  /** What the page is for, before the code: it says that one will be sent to the registered address. */
  readonly words: ProblemWords & { readonly action: string };
  readonly clock: SelfServiceParts["clock"];
  readonly sendCode: () => Promise<Answer<StartRecoveryResponse>>;
  /** What the right code opens. */
  readonly answerCode: (code: string) => Promise<Answer<Opened>>;
  /** The page behind; `close` leads back to the code, where what was opened has ended, and says why. */
  readonly children: (opened: Opened, close: (problem: Problem) => void) => ReactNode;
}

type Stage<Opened> =
  | { readonly at: "asked"; readonly problem: Problem | null }
  | { readonly at: "code"; readonly sentTo: string; readonly resendAt: number; readonly problem: Problem | null }
  | { readonly at: "opened"; readonly opened: Opened };

/**
 * Nothing behind a link without a one-time code: whoever has the link is not yet the patient, since mails are forwarded. The
 * code is sent when it is asked for, never by the opening alone, which programs that look into mailboxes do too.
 */
export function CodeGate<Opened>(props: CodeGateProps<Opened>) {
  const { clock } = props;
  const words = useAllWords();
  const [stage, setStage] = useState<Stage<Opened>>({ at: "asked", problem: null });
  const [pending, setPending] = useState(false);

  /** What was said of the last try is over once there is another. */
  function begin(): void {
    setPending(true);
    setStage((before) => (before.at === "opened" ? before : { ...before, problem: null }));
  }

  async function send(): Promise<void> {
    begin();
    const answer = await props.sendCode();
    setPending(false);
    if (!answer.ok)
      return setStage((before) => (before.at === "opened" ? before : { ...before, problem: answer.problem }));
    const { sent_to: sentTo, resend_after } = answer.value;
    setStage({ at: "code", sentTo, resendAt: Date.parse(resend_after), problem: null });
  }

  async function tryCode(code: string): Promise<void> {
    begin();
    const answer = await props.answerCode(code);
    setPending(false);
    if (answer.ok) return setStage({ at: "opened", opened: answer.value });
    const { problem } = answer;
    // A code that is over is not typed again: the way on is another one.
    const isOver = problem.kind === "refused" && problem.status === 410;
    setStage((before) => (before.at === "code" && !isOver ? { ...before, problem } : { at: "asked", problem }));
  }

  if (stage.at === "opened") return props.children(stage.opened, (problem) => setStage({ at: "asked", problem }));
  const problem = problemWithAttempts(stage.problem, words);
  if (stage.at === "code") {
    return (
      <RecoveryCode
        sent={{ way: "email_code", sentTo: stage.sentTo, resendAt: stage.resendAt }}
        pending={pending}
        problem={problem}
        codeIsRefused={isCodeRefused(stage.problem)}
        resendAfterMs={stage.resendAt - clock.now()}
        onSubmit={(code) => void tryCode(code)}
        onResend={() => void send()}
        onOtherWay={() => setStage({ at: "asked", problem: null })}
      />
    );
  }
  return (
    <MessageScreen
      words={props.words}
      icon="shield"
      action={{ label: props.words.action, onPress: () => void send(), pending }}
    >
      <ArrivingNotice words={problem} />
    </MessageScreen>
  );
}
