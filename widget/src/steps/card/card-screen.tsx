import { useEffect } from "react";
import { isCardRefused } from "../../api/problem.ts";
import { offersRecognition, savedCardOf } from "../../checkout/recognition.ts";
import { Button } from "../../design/button.tsx";
import { Notice } from "../../design/notice.tsx";
import { partsOfMoment } from "../../words/format.ts";
import { problemWords } from "../../words/problem-words.ts";
import { useAllWords } from "../../words/words-context.tsx";
import { backOf, type StepProps } from "../step-props.ts";
import { CardStep } from "./card-step.tsx";
import { SavedCards } from "./saved-cards.tsx";
import { useAddCard } from "./use-add-card.ts";
import { useChooseCard } from "./use-choose-card.ts";

export function CardScreen({ checkout, context, pending, problem }: StepProps) {
  const words = useAllWords();
  const addCard = useAddCard(context);
  const { session, order, state, actions } = checkout;
  const { visit } = context;
  const key = session.sealing_keys.card;
  useEffect(() => {
    // The processor was away when the page was opened.
    if (key === null) void visit.refreshSession();
  }, [key, visit]);
  const { day } = partsOfMoment(new Date(context.clock.now()).toISOString());
  const current = order?.payment_method ?? null;
  const isSaved = savedCardOf(state.recognition, current) !== undefined;
  return (
    <CardStep
      // A fresh token brings a fresh sealing key: what was typed for the old one is let go.
      key={key?.kid}
      current={isSaved ? null : current}
      today={{ year: Number(day.slice(0, 4)), month: Number(day.slice(5, 7)) }}
      pending={pending}
      problem={problem === null ? null : problemWords(problem, words)}
      isRefused={isCardRefused(problem)}
      banner={<Known checkout={checkout} context={context} pending={pending} problem={problem} />}
      consents={session.consents.filter(({ step }) => step === "card")}
      consentLocale={session.locale}
      onSubmit={addCard}
      onKeep={actions.keepCard}
      onBack={backOf(checkout)}
    />
  );
}

/** What a patient who is known, or may be, has above the fields. */
function Known({ checkout, context, pending, problem }: StepProps) {
  const words = useAllWords();
  const chooseCard = useChooseCard(context);
  const { order, state, facts, actions } = checkout;
  const { recognition, steps } = state;
  if (recognition.cards.length > 0) {
    const chosen = savedCardOf(recognition, order?.payment_method ?? null);
    return (
      <SavedCards
        cards={recognition.cards}
        pending={pending}
        onChoose={(card) => (card.id === chosen?.id ? actions.keepCard() : chooseCard(card))}
      />
    );
  }
  if (recognition.is === "recognised" && problem === null && order?.payment_method === null) {
    const { title, text } = words.recognition.cardMissing;
    return (
      <Notice tone="success" role="status" title={title}>
        <p>{text}</p>
      </Notice>
    );
  }
  return offersRecognition(recognition, steps, facts) ? (
    <Button kind="quiet" onPress={actions.openRecognition} unavailable={pending}>
      {words.recognition.open}
    </Button>
  ) : null;
}
