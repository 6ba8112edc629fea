import { useState } from "react";
import type { Problem } from "../api/problem.ts";
import { Notice } from "../design/notice.tsx";
import { MessageScreen } from "../steps/problem/message-screen.tsx";
import { problemWords } from "../words/problem-words.ts";
import { useAllWords } from "../words/words-context.tsx";
import { OBJECTION_WORDS } from "./objection-words.ts";
import { type OwnPageProps, usePageWords } from "./own-page.ts";

/** Whoever reads the old mailbox was the owner: one press takes a change of e-mail back. */
export function ObjectionPage({ session, token, parts }: OwnPageProps) {
  const words = useAllWords();
  const own = usePageWords(OBJECTION_WORDS);
  const [state, setState] = useState<"asked" | "pending" | "undone" | { readonly problem: Problem }>("asked");

  async function undo(): Promise<void> {
    setState("pending");
    const answer = await parts.api.objectToEmailChange(session.public_key, { widget_token: token });
    setState(answer.ok ? "undone" : { problem: answer.problem });
  }

  if (state === "undone") return <MessageScreen key="undone" icon="check" words={own.done} />;
  const problem = typeof state === "object" ? problemWords(state.problem, words) : null;
  return (
    <MessageScreen
      icon="shield"
      words={own}
      action={{ label: own.action, onPress: () => void undo(), pending: state === "pending" }}
    >
      {problem === null ? (
        <p>{own.note}</p>
      ) : (
        <Notice tone="danger" role="alert" title={problem.title}>
          <p>{problem.text}</p>
        </Notice>
      )}
    </MessageScreen>
  );
}
