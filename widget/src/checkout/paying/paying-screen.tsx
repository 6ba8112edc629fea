import { ScreenTitle } from "../../design/screen-title.tsx";
import { useAllWords } from "../../words/words-context.tsx";
import styles from "./paying-screen.module.css";

export interface PayingScreenProps {
  readonly doing: "sending" | "asking" | "checking" | "processing" | "stuck";
  /** As it is shown: `$12.000`. */
  readonly amount: string | null;
}

/** While it is not known whether the money has moved: says so, and says that it will not move twice. */
export function PayingScreen({ doing, amount }: PayingScreenProps) {
  const words = useAllWords().paying;
  const texts = {
    sending: { title: words.title, text: words.text },
    asking: { title: words.checkingTitle, text: words.askingText },
    checking: { title: words.checkingTitle, text: words.checkingText },
    processing: { title: words.processingTitle, text: words.processingText },
    stuck: { title: words.stuckTitle, text: words.stuckText },
  }[doing];
  return (
    <div className={styles.screen}>
      <span className={styles.ring} aria-hidden="true" />
      {amount === null ? null : <p className={styles.amount}>{amount}</p>}
      <div role="status">
        <ScreenTitle title={texts.title} intro={texts.text} />
      </div>
    </div>
  );
}
