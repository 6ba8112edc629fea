import { useEffect, useRef } from "react";
import { Button } from "../../design/button.tsx";
import { Icon } from "../../design/icon.tsx";
import { useAllWords } from "../../words/words-context.tsx";
import styles from "./recognised.module.css";

export interface RecognisedProps {
  readonly pending: boolean;
  readonly onDisown: () => void;
}

/** Replaces the code once the patient is recognised. */
export function Recognised({ pending, onDisown }: RecognisedProps) {
  const words = useAllWords();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // The field that had the focus is gone. Nothing above has moved, so no scrolling is needed.
    if (document.activeElement === document.body) heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <div className={styles.recognised}>
      <h2 className={styles.heading} ref={heading} tabIndex={-1}>
        <Icon name="check" size={20} />
        {words.recognised.title}
      </h2>
      <Button kind="quiet" onPress={onDisown} unavailable={pending}>
        {words.recognised.notMe}
      </Button>
    </div>
  );
}
