import type { ConsentPurpose } from "bff/contract/orders";
import { problemWords, withOtherCardFrom } from "../../words/problem-words.ts";
import { useAllWords } from "../../words/words-context.tsx";
import { AgreementText } from "../agreement/agreement-text.tsx";
import { useDisown } from "../recognition/use-recognition.ts";
import { savedCardOf } from "../recognition.ts";
import { backOf, type StepProps } from "../step-props.ts";
import { ReviewStep } from "./review-step.tsx";

interface ReviewScreenProps extends StepProps {
  readonly onPay: (given: readonly ConsentPurpose[]) => void;
}

export function ReviewScreen({ checkout, context, pending, problem, onPay }: ReviewScreenProps) {
  const words = useAllWords();
  const disown = useDisown(context);
  const { session, order, state, actions } = checkout;
  if (session.quote === null || order === null) return null;
  return (
    <ReviewStep
      key={state.consentRound}
      quote={session.quote}
      withdrawal={session.withdrawal}
      card={order.payment_method}
      cardIsSaved={savedCardOf(state.recognition, order.payment_method) !== undefined}
      onDisown={state.recognition.is === "recognised" ? disown : null}
      consents={session.consents.filter((consent) => consent.step === "payment")}
      consentLocale={session.locale}
      given={state.given}
      pending={pending}
      problem={problem === null ? null : problemWords(problem, words)}
      notice={
        state.challengeLeft === null
          ? null
          : withOtherCardFrom(words.paying.challengeLeft, state.challengeLeft.expires_at, words)
      }
      showText={(kind) => <AgreementText context={context} kind={kind} />}
      onConsent={actions.changeConsent}
      onPay={onPay}
      onChangeCard={() => actions.open("card")}
      onBack={state.recognition.is === "recognised" ? undefined : backOf(checkout)}
    />
  );
}
