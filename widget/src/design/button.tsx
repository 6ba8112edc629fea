import type { ReactNode, Ref } from "react";
import { useWords } from "../words/words-context.tsx";
import styles from "./button.module.css";

export interface ButtonProps {
  readonly children: ReactNode;
  readonly kind?: "primary" | "secondary" | "quiet";
  readonly type?: "button" | "submit";
  /** An action is in progress. The button stays focusable, says so, and does nothing. */
  readonly pending?: boolean;
  readonly unavailable?: boolean;
  readonly onPress?: () => void;
  readonly describedBy?: string;
  readonly ref?: Ref<HTMLButtonElement>;
}

export function Button({ kind = "secondary", type = "button", pending = false, ...props }: ButtonProps) {
  const words = useWords();
  const idle = pending || props.unavailable === true;
  return (
    <button
      ref={props.ref}
      type={type}
      className={styles.button}
      data-kind={kind}
      aria-disabled={idle || undefined}
      aria-describedby={props.describedBy}
      onClick={(event) => {
        if (idle) event.preventDefault();
        else props.onPress?.();
      }}
    >
      {pending ? <span className={styles.spinner} aria-hidden="true" /> : null}
      <span>{props.children}</span>
      {pending ? <span className="aapd-unseen">{words.page.working}</span> : null}
    </button>
  );
}
