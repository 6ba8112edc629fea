import type { Problem } from "../../api/problem.ts";
import { Button } from "../../design/button.tsx";
import { problemWords } from "../../words/problem-words.ts";
import { useAllWords } from "../../words/words-context.tsx";
import { ArrivingNotice } from "../problem/arriving-notice.tsx";
import styles from "./data-request.module.css";

export interface DataRequestProps {
  readonly pending: boolean;
  /** The service accepted the request, whether or not anyone is registered. */
  readonly isAccepted: boolean;
  readonly problem: Problem | null;
  readonly onAsk: () => void;
}

/** Requests the mail with the link to the patient's data. The answer does not reveal whether a mail was sent. */
export function DataRequest({ pending, isAccepted, problem, onAsk }: DataRequestProps) {
  const words = useAllWords();
  return (
    <details className={styles.data}>
      <summary>{words.myData.title}</summary>
      <div className={styles.inside}>
        <p>{words.myData.text}</p>
        <ArrivingNotice words={problem === null ? null : problemWords(problem, words)} />
        {isAccepted ? (
          <ArrivingNotice words={words.myData.sent} tone="success" />
        ) : (
          <Button onPress={onAsk} pending={pending}>
            {words.myData.action}
          </Button>
        )}
      </div>
    </details>
  );
}
