import { useState } from "react";
import type { Problem } from "../../api/problem.ts";
import { Button } from "../../design/button.tsx";
import { problemWords } from "../../words/problem-words.ts";
import { useAllWords } from "../../words/words-context.tsx";
import { ArrivingNotice } from "../problem/arriving-notice.tsx";
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
        <ArrivingNotice words={said} />
        {asked === "accepted" ? (
          <ArrivingNotice words={words.myData.sent} tone="success" />
        ) : (
          <Button onPress={() => void ask()} pending={asked === "asking"}>
            {words.myData.action}
          </Button>
        )}
      </div>
    </details>
  );
}
