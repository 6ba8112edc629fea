import { useEffect, useEffectEvent } from "react";
import { isCodeRefused } from "../../api/problem.ts";
import { Button } from "../../design/button.tsx";
import { useAllWords } from "../../words/words-context.tsx";
import { brandName } from "../card/card-brand.tsx";
import type { Place } from "../checkout-state.ts";
import { CodeForm } from "../code/code-form.tsx";
import type { StepProps } from "../step-props.ts";
import { codeProblem } from "./code-problem.ts";
import styles from "./known-code.module.css";
import { useAnswerCode, useAskCode } from "./use-recognition.ts";

export interface CardCodeScreenProps extends Omit<StepProps, "problem"> {
  readonly place: Extract<Place, { at: "card_code" }>;
}

/** The code for another saved card. Choosing the card requests it. */
export function CardCodeScreen({ checkout, context, pending, place }: CardCodeScreenProps) {
  const words = useAllWords();
  const { actions, state } = checkout;
  const { card, problem } = place;
  const last = state.recognition.asked;
  const asked = last?.card?.id === card.id ? last : null;
  const askCode = useAskCode(context, asked, card);
  const answerCode = useAnswerCode(context);
  const askAtFirst = useEffectEvent(() => {
    if (asked === null && problem === null) askCode();
  });
  useEffect(askAtFirst, []);

  const { recognition, recognised } = words;
  return (
    <section className={styles.code} aria-labelledby="known-code">
      <div>
        <h2 className={styles.heading} id="known-code">
          {recognised.cardCode.title(words.review.cardEnds(brandName(card.brand), card.last4))}
        </h2>
        <p className={styles.soft}>{recognised.cardCode.text}</p>
      </div>
      <CodeForm
        hint={recognition.hint}
        autoHint={recognition.autoHint}
        status={null}
        resent={recognition.requestedAgain}
        note={recognition.note}
        resend={asked === null ? recognition.send : words.code.resend}
        pending={pending}
        ready
        problem={problem === null ? null : codeProblem(problem, words)}
        codeIsRefused={isCodeRefused(problem)}
        resendAt={asked?.resendAt ?? null}
        now={context.clock.now}
        onSubmit={answerCode}
        onResend={askCode}
      >
        <Button kind="quiet" onPress={actions.back} unavailable={pending}>
          {words.page.back}
        </Button>
      </CodeForm>
    </section>
  );
}
