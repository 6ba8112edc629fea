import type { PaymentMethod } from "bff/contract/orders";
import { Button } from "../../design/button.tsx";
import { useAllWords } from "../../words/words-context.tsx";
import { brandName, CardBrandPlate } from "../card/card-brand.tsx";
import { expiryText } from "../card/card-text.ts";
import styles from "./review-step.module.css";

export interface CardLineProps {
  readonly card: PaymentMethod;
  readonly isSaved: boolean;
  readonly onChange: () => void;
}

/** The card to be charged, with the way to another one. */
export function CardLine({ card, isSaved, onChange }: CardLineProps) {
  const words = useAllWords();
  const expires = words.review.cardExpires(expiryText(card));
  return (
    <div className={styles.card}>
      <CardBrandPlate brand={card.brand} />
      <span className={styles.cardText}>
        <strong>{words.review.cardEnds(brandName(card.brand), card.last4)}</strong>
        <span className={styles.soft}>{isSaved ? `${words.review.savedCard} · ${expires}` : expires}</span>
      </span>
      <Button kind="quiet" onPress={onChange}>
        {isSaved ? (
          words.review.otherCard
        ) : (
          <>
            {words.review.change}
            <span className="aapd-unseen"> {words.review.card}</span>
          </>
        )}
      </Button>
    </div>
  );
}
