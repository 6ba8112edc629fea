import { useQuery } from "@tanstack/react-query";
import type { LegalTextKind } from "bff/contract/vocabulary/legal-text";
import { problemOf } from "../../api/problem.ts";
import { Button } from "../../design/button.tsx";
import { Skeleton } from "../../design/frame.tsx";
import { problemWords } from "../../words/problem-words.ts";
import { useAllWords } from "../../words/words-context.tsx";
import { ArrivingNotice } from "../problem/arriving-notice.tsx";
import { agreementQuery } from "../server-state.ts";
import type { StepContext } from "../step-context.ts";

interface AgreementTextProps {
  readonly context: StepContext;
  readonly kind: LegalTextKind;
}

/** One text of the agreement, with the figures of the order, fetched when it is opened. */
export function AgreementText({ context: { api, visit }, kind }: AgreementTextProps) {
  const words = useAllWords();
  const agreement = useQuery(agreementQuery(api, visit.session()));
  const text = agreement.data?.texts.find((each) => each.kind === kind);
  if (text === undefined) {
    if (!agreement.isError) return <Skeleton />;
    return (
      <ArrivingNotice words={problemWords(problemOf(agreement.error), words)}>
        <Button kind="quiet" onPress={() => void agreement.refetch()} pending={agreement.isFetching}>
          {words.page.retry}
        </Button>
      </ArrivingNotice>
    );
  }
  return (
    <article lang={text.locale}>
      <h3>{text.title}</h3>
      {text.blocks.map(({ type, text: line }) =>
        type === "heading" ? <h4 key={line}>{line}</h4> : <p key={line}>{type === "item" ? `• ${line}` : line}</p>,
      )}
    </article>
  );
}
