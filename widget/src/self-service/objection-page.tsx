import { useMutation } from "@tanstack/react-query";
import { isRefusedAs, problemOf, valueOrThrow } from "../api/problem.ts";
import { ArrivingNotice } from "../checkout/problem/arriving-notice.tsx";
import { MessageScreen } from "../checkout/problem/message-screen.tsx";
import { problemWords } from "../words/problem-words.ts";
import { useAllWords } from "../words/words-context.tsx";
import { type LinkPageProps, usePageWords } from "./link-page.ts";
import { OBJECTION_WORDS } from "./objection-words.ts";

/** Takes a change of e-mail back with one press: the link goes to the old address, which was the owner's. */
export function ObjectionPage({ session, token, parts }: LinkPageProps) {
  const words = useAllWords();
  const own = usePageWords(OBJECTION_WORDS);
  const undoing = useMutation({
    mutationFn: async () =>
      valueOrThrow(await parts.api.objectToEmailChange(session.public_key, { widget_token: token })),
    // A lost answer may have undone it. The owner's next press finds that out: the link is then used.
    retry: false,
  });

  if (undoing.isSuccess) return <MessageScreen key="done" icon="check" words={own.done} />;
  const refused = undoing.isError ? problemOf(undoing.error) : null;
  // Only the undoing uses the link up: the answer to an earlier press was lost, or somebody was quicker.
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
