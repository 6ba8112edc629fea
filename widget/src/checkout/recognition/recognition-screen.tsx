import { useEffect, useEffectEvent } from "react";
import { isRefusedAs, type Problem } from "../../api/problem.ts";
import { Button } from "../../design/button.tsx";
import { isCodeRefused, problemWithAttempts } from "../../words/problem-words.ts";
import type { ProblemWords, Words } from "../../words/words.ts";
import { useAllWords } from "../../words/words-context.tsx";
import { brandName } from "../card/card-brand.tsx";
import type { Place } from "../checkout-state.ts";
import { CodeStep } from "../code/code-step.tsx";
import { type StepProps, shownRut } from "../step-props.ts";
import styles from "./recognition-screen.module.css";
import { useAnswerCode, useAskCode } from "./use-recognition.ts";

export interface RecognitionScreenProps extends Omit<StepProps, "problem"> {
  readonly place: Extract<Place, { at: "recognition" }>;
}

/**
 * A known patient proves by a code that it is them, or that they pay with another saved card. The first is the same for
 * unknown patients.
 */
export function RecognitionScreen({ checkout, context, pending, place }: RecognitionScreenProps) {
  const words = useAllWords();
  const { actions, state } = checkout;
  const { card, problem } = place;
  const last = state.recognition.asked;
  const asked = last?.card?.id === card?.id ? last : null;
  const askCode = useAskCode(context, asked, card);
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
          intro: card
            ? recognition.cardIntro(words.review.cardEnds(brandName(card.brand), card.last4))
            : asked?.isEarlier
              ? earlier
              : intro,
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
      {card ? null : (
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
      )}
    </div>
  );
}

/** A code that is over is said alike whatever has ended it: its time, its tries, or what was known of the patient. */
function wordsOf(problem: Problem | null, words: Words): ProblemWords | null {
  if (isRefusedAs(problem, "recovery_code_expired")) return words.recognition.codeOver;
  return problemWithAttempts(problem, words);
}
