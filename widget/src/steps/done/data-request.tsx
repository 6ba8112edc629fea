import { useState } from "react";
import type { Problem } from "../../api/problem.ts";
import { Button } from "../../design/button.tsx";
import { Notice } from "../../design/notice.tsx";
import { problemWords } from "../../words/problem-words.ts";
import { useAllWords } from "../../words/words-context.tsx";
import styles from "./data-request.module.css";

export interface DataRequestProps {
  /** Has the link sent; resolves with what went wrong, and null otherwise, whoever is registered. Never rejects. */
  readonly onAsk: () => Promise<Problem | null>;
}

/** The way to one's own data: the link goes by mail, and this page learns nothing of whether it went. */
export function DataRequest({ onAsk }: DataRequestProps) {
  const words = useAllWords();
  const [asked, setAsked] = useState<"not" | "asking" | "accepted" | Problem>("not");
  async function ask(): Promise<void> {
    setAsked("asking");
    setAsked((await onAsk()) ?? "accepted");
  }
  const said = typeof asked === "string" ? null : problemWords(asked, words);
  return (
    <details className={styles.data}>
      <summary>{words.myData.title}</summary>
      <div className={styles.inside}>
        <p>{words.myData.text}</p>
        {said === null ? null : (
          <Notice tone="danger" role="alert" title={said.title}>
            <p>{said.text}</p>
          </Notice>
        )}
        {asked === "accepted" ? (
          <Notice tone="success" role="status" title={words.myData.sent.title}>
            <p>{words.myData.sent.text}</p>
          </Notice>
        ) : (
          <Button onPress={() => void ask()} pending={asked === "asking"}>
            {words.myData.action}
          </Button>
        )}
      </div>
    </details>
  );
}
