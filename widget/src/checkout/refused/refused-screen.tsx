import type { RefusedInstalment } from "bff/contract/errors";
import type { ReactNode } from "react";
import { useAllWords } from "../../words/words-context.tsx";
import { MessageScreen } from "../problem/message-screen.tsx";
import styles from "./refused-screen.module.css";

export interface RefusedScreenProps {
  /** Undefined in the answer of an older service; the screen then does not mention the card. */
  readonly firstInstalment: RefusedInstalment | undefined;
  /** Objective and in plain words, as written by the financing provider. The law requires them to be shown. */
  readonly reasons: readonly string[];
  readonly providerName: string;
  /** The way to request a review by a person. */
  readonly children?: ReactNode;
  readonly onClose: (() => void) | null;
}

export function RefusedScreen({ firstInstalment, reasons, providerName, children, onClose }: RefusedScreenProps) {
  const words = useAllWords();
  return (
    <MessageScreen
      words={{
        title: words.refused.title,
        text: firstInstalment === undefined ? undefined : words.refused.texts[firstInstalment],
      }}
      action={onClose === null ? null : { label: words.done.return(providerName), onPress: onClose }}
    >
      {reasons.length === 0 ? null : (
        <section className={styles.reasons}>
          <h2 className={styles.heading}>{words.refused.reasons}</h2>
          <ul className={styles.list}>
            {reasons.map((reason) => (
              <li key={reason}>{reason}</li>
            ))}
          </ul>
        </section>
      )}
      <p>{words.refused.next(providerName)}</p>
      {children}
    </MessageScreen>
  );
}
