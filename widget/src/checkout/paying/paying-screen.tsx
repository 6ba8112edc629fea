import { ScreenTitle } from "../../design/screen-title.tsx";
import { useAllWords } from "../../words/words-context.tsx";
import type { PaymentProgress } from "../payment-run.ts";
import styles from "./paying-screen.module.css";

export interface PayingScreenProps {
  readonly doing: "sending" | "asking" | PaymentProgress;
  /** The formatted amount: `$12.000`. */
  readonly amount: string | null;
}

/** Shown while it is unknown whether the money has moved. States this, and that it will not move twice. */
export function PayingScreen({ doing, amount }: PayingScreenProps) {
  const words = useAllWords().paying;
  const { title, text } = words.states[doing];
  return (
    <div className={styles.screen}>
      <span className={styles.ring} aria-hidden="true" />
      {amount === null ? null : <p className={styles.amount}>{amount}</p>}
      <div role="status">
        <ScreenTitle title={title} intro={text} />
      </div>
    </div>
  );
}
