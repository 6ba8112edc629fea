import { useEffect, useEffectEvent } from "react";
import { isRefusedAs, type Problem } from "../../api/problem.ts";
import { Button } from "../../design/button.tsx";
import { isCodeRefused, problemWithAttempts } from "../../words/problem-words.ts";
import type { ProblemWords, Words } from "../../words/words.ts";
import { useAllWords } from "../../words/words-context.tsx";
import { CodeStep } from "../code/code-step.tsx";
import { type StepProps, shownRut } from "../step-props.ts";
import styles from "./recognition-screen.module.css";
import { useAnswerCode, useAskCode } from "./use-recognition.ts";

/** A patient who is known proves by a code that it is them. What stands here is the same for who is not. */
export function RecognitionScreen({ checkout, context, pending, problem }: StepProps) {
  const words = useAllWords();
  const { actions, state } = checkout;
  const { asked } = state.recognition;
  const askCode = useAskCode(context, asked);
  const answerCode = useAnswerCode(context);
  const askAtFirst = useEffectEvent(() => {
    if (asked === null && problem === null) askCode();
  });
  useEffect(askAtFirst, []);

  const { recognition } = words;
  const { intro, earlier, send } = recognition;
  return (
    <div className={styles.screen}>
      <CodeStep
        texts={{
          ...recognition,
          intro: asked?.isEarlier === true ? earlier : intro,
          resend: asked === null ? send : words.recovery.resend,
        }}
        pending={pending}
        problem={wordsOf(problem, words)}
        codeIsRefused={isCodeRefused(problem)}
        resendAt={asked?.resendAt ?? null}
        resendAfterMs={asked === null ? 0 : asked.resendAt - context.clock.now()}
        goesByItself
        onSubmit={answerCode}
        onResend={askCode}
        onBack={actions.back}
      />
      <section className={styles.other}>
        <h2>{recognition.otherTitle}</h2>
        <p>{recognition.otherText(shownRut(checkout))}</p>
        <div className={styles.ways}>
          <Button kind="quiet" onPress={actions.skipCode} unavailable={pending}>
            {recognition.otherCard}
          </Button>
          <Button kind="quiet" onPress={actions.disown} unavailable={pending}>
            {recognition.notMe}
          </Button>
        </div>
      </section>
    </div>
  );
}

/** A code that is over is said alike whatever has ended it: its time, its tries, or what was known of the patient. */
function wordsOf(problem: Problem | null, words: Words): ProblemWords | null {
  if (isRefusedAs(problem, "recovery_code_expired")) return words.recognition.codeOver;
  return problemWithAttempts(problem, words);
}
