import { useState } from "react";
import type { Problem } from "../api/problem.ts";
import { ArrivingNotice } from "../steps/problem/arriving-notice.tsx";
import { MessageScreen } from "../steps/problem/message-screen.tsx";
import { problemWords } from "../words/problem-words.ts";
import { useAllWords } from "../words/words-context.tsx";
import { type LinkPageProps, usePageWords } from "./link-page.ts";
import { OBJECTION_WORDS } from "./objection-words.ts";

/** Whoever reads the old mailbox was the owner: one press takes a change of e-mail back. */
export function ObjectionPage({ session, token, parts }: LinkPageProps) {
  const words = useAllWords();
  const own = usePageWords(OBJECTION_WORDS);
  const [state, setState] = useState<"asked" | "pending" | "done" | "doneBefore" | { readonly problem: Problem }>(
    "asked",
  );

  async function undo(): Promise<void> {
    setState("pending");
    const answer = await parts.api.objectToEmailChange(session.public_key, { widget_token: token });
    if (answer.ok) return setState("done");
    // Only the undoing uses the link up: the answer to an earlier press was lost, or somebody was quicker.
    const { problem } = answer;
    setState(problem.kind === "refused" && problem.code === "widget_token_used" ? "doneBefore" : { problem });
  }

  if (state === "done" || state === "doneBefore") return <MessageScreen key={state} icon="check" words={own[state]} />;
  const problem = typeof state === "object" ? problemWords(state.problem, words) : null;
  return (
    <MessageScreen
      icon="shield"
      words={own}
      action={{ label: own.action, onPress: () => void undo(), pending: state === "pending" }}
    >
      {problem === null ? <p>{own.note}</p> : <ArrivingNotice words={problem} />}
    </MessageScreen>
  );
}
