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

/** The card to be charged, and the way to choose another. */
export function CardLine({ card, isSaved, onChange }: CardLineProps) {
  const words = useAllWords();
  const { review } = words;
  return (
    <div className={styles.card}>
      <CardBrandPlate brand={card.brand} />
      <span className={styles.cardText}>
        <strong>{review.cardEnds(brandName(card.brand), card.last4)}</strong>
        <span className={styles.soft}>{expiryText(card, review)}</span>
      </span>
      <Button kind="quiet" onPress={onChange}>
        {isSaved ? (
          review.otherCard
        ) : (
          <>
            {review.change}
            <span className="aapd-unseen"> {review.card}</span>
          </>
        )}
      </Button>
    </div>
  );
}
