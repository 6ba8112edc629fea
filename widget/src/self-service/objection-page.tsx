import { useMutation } from "@tanstack/react-query";
import { isRefusedAs, problemOf, valueOrThrow } from "../api/problem.ts";
import { ArrivingNotice } from "../checkout/problem/arriving-notice.tsx";
import { MessageScreen } from "../checkout/problem/message-screen.tsx";
import { problemWords } from "../words/problem-words.ts";
import { useAllWords } from "../words/words-context.tsx";
import { type LinkPageProps, usePageWords } from "./link-page.ts";
import { OBJECTION_WORDS } from "./objection-words.ts";

/** Undoes a change of e-mail with one press. The link was sent to the old address, which belonged to the owner. */
export function ObjectionPage({ session, token, parts }: LinkPageProps) {
  const words = useAllWords();
  const own = usePageWords(OBJECTION_WORDS);
  const undoing = useMutation({
    mutationFn: async () =>
      valueOrThrow(await parts.api.objectToEmailChange(session.public_key, { widget_token: token })),
    // After a lost answer the change may already be undone. Then the owner's next press finds the link used.
    retry: false,
  });

  if (undoing.isSuccess) return <MessageScreen key="done" icon="check" words={own.done} />;
  const refused = undoing.isError ? problemOf(undoing.error) : null;
  // Only undoing the change uses the link: an earlier press succeeded and its answer was lost, or another tab did it.
  if (isRefusedAs(refused, "widget_token_used")) {
    return <MessageScreen key="doneBefore" icon="check" words={own.doneBefore} />;
  }
  const problem = refused === null ? null : problemWords(refused, words);
  return (
    <MessageScreen
      icon="shield"
      words={own}
      action={{ label: own.action, onPress: undoing.mutate, pending: undoing.isPending }}
    >
      {problem === null ? <p>{own.note}</p> : <ArrivingNotice words={problem} />}
    </MessageScreen>
  );
}
