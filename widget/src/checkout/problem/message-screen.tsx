import type { ReactNode } from "react";
import { Button } from "../../design/button.tsx";
import { Icon, type IconName } from "../../design/icon.tsx";
import { ScreenTitle } from "../../design/screen-title.tsx";
import type { ProblemWords } from "../../words/words.ts";
import styles from "./message-screen.module.css";

export interface MessageScreenProps {
  readonly words: Pick<ProblemWords, "title"> & { readonly text?: string | undefined };
  readonly icon?: IconName;
  readonly children?: ReactNode;
  readonly action?: { readonly label: string; readonly onPress: () => void; readonly pending?: boolean } | null;
  readonly secondary?: { readonly label: string; readonly onPress: () => void } | null;
}

/** A screen that says what happened and what to do next, with at most one button. */
export function MessageScreen({ words, icon = "info", children, action, secondary }: MessageScreenProps) {
  return (
    <div className={styles.screen}>
      <span className={styles.mark}>
        <Icon name={icon} size={30} />
      </span>
      <ScreenTitle title={words.title} intro={words.text} />
      {children}
      {action || secondary ? (
        <div className={styles.actions}>
          {action ? (
            <Button kind="primary" onPress={action.onPress} pending={action.pending ?? false}>
              {action.label}
            </Button>
          ) : null}
          {secondary ? (
            <Button kind="quiet" onPress={secondary.onPress}>
              {secondary.label}
            </Button>
          ) : null}
        </div>
      ) : null}
    </div>
  );
}
