import { isCardRefused } from "../../api/problem.ts";
import { partsOfMoment } from "../../words/format.ts";
import { problemWords } from "../../words/problem-words.ts";
import { useAllWords } from "../../words/words-context.tsx";
import { backOf, type StepProps } from "../step-props.ts";
import { CardStep } from "./card-step.tsx";
import { useAddCard } from "./use-add-card.ts";

export function CardScreen({ checkout, context, pending, problem }: StepProps) {
  const words = useAllWords();
  const addCard = useAddCard(context);
  const { day } = partsOfMoment(new Date(context.clock.now()).toISOString());
  return (
    <CardStep
      // A fresh token brings a fresh sealing key: what was typed for the old one is let go.
      key={checkout.session.sealing_keys.card.kid}
      current={checkout.order?.payment_method ?? null}
      today={{ year: Number(day.slice(0, 4)), month: Number(day.slice(5, 7)) }}
      pending={pending}
      problem={problem === null ? null : problemWords(problem, words)}
      isRefused={isCardRefused(problem)}
      onSubmit={addCard}
      onKeep={checkout.actions.keepCard}
      onBack={backOf(checkout)}
    />
  );
}
