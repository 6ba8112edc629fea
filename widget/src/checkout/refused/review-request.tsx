import { Button } from "../../design/button.tsx";
import { problemWords } from "../../words/problem-words.ts";
import { useAllWords } from "../../words/words-context.tsx";
import type { DataRequestProps } from "../done/data-request.tsx";
import { ArrivingNotice } from "../problem/arriving-notice.tsx";

/** The way to request a review of a refused credit by a person: on the page that the mailed link opens. */
export function ReviewRequest({ pending, isAccepted, problem, onAsk }: DataRequestProps) {
  const words = useAllWords();
  if (isAccepted) return <ArrivingNotice words={words.refused.reviewSent} tone="success" />;
  return (
    <>
      <ArrivingNotice words={problem === null ? null : problemWords(problem, words)} />
      <Button onPress={onAsk} pending={pending}>
        {words.refused.review}
      </Button>
    </>
  );
}
