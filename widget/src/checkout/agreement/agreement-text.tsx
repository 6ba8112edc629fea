import { queryOptions, useQuery } from "@tanstack/react-query";
import type { LegalTextKind } from "bff/contract/vocabulary/legal-text";
import { problemOf, valueOrThrow } from "../../api/problem.ts";
import { Button } from "../../design/button.tsx";
import { Skeleton } from "../../design/frame.tsx";
import { problemWords } from "../../words/problem-words.ts";
import { useAllWords } from "../../words/words-context.tsx";
import { ArrivingNotice } from "../problem/arriving-notice.tsx";
import { credentialsOf } from "../server-state.ts";
import type { StepContext } from "../step-context.ts";

/** The texts of the agreement, with the figures of the session's quote. Other figures are fetched again. */
function agreementQuery({ api, visit }: StepContext) {
  const session = visit.session();
  const { order_token, quote, locale } = session;
  return queryOptions({
    queryKey: ["agreement", order_token, quote?.sha256],
    queryFn: async () => valueOrThrow(await api.readAgreement(credentialsOf(session), order_token ?? "", locale)),
    // The screen shows the failure, and the patient opens the text again.
    retry: false,
  });
}

interface AgreementTextProps {
  readonly context: StepContext;
  readonly kind: LegalTextKind;
}

/** One text of the agreement, with the figures of the order, fetched when it is opened. */
export function AgreementText({ context, kind }: AgreementTextProps) {
  const words = useAllWords();
  const agreement = useQuery(agreementQuery(context));
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
