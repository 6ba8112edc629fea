import type { SavedCardView } from "bff/contract/orders";
import { useAllWords } from "../../words/words-context.tsx";
import { brandName, CardBrandPlate } from "./card-brand.tsx";
import { expiryText } from "./card-text.ts";
import styles from "./saved-cards.module.css";

export interface SavedCardsProps {
  readonly cards: readonly SavedCardView[];
  readonly pending: boolean;
  readonly onChoose: (card: SavedCardView) => void;
}

/** The saved cards of a patient who was recognised: one press takes one of them. */
export function SavedCards({ cards, pending, onChoose }: SavedCardsProps) {
  const words = useAllWords();
  return (
    <section className={styles.saved}>
      <h2 className={styles.heading}>{words.card.savedTitle}</h2>
      {cards.map((card) => (
        <button
          key={card.id}
          type="button"
          className={styles.card}
          aria-disabled={pending || undefined}
          onClick={() => (pending ? undefined : onChoose(card))}
        >
          <CardBrandPlate brand={card.brand} />
          <span className={styles.text}>
            <strong>{words.card.use(words.review.cardEnds(brandName(card.brand), card.last4))}</strong>
            <span className={styles.soft}>{words.review.cardExpires(expiryText(card))}</span>
          </span>
        </button>
      ))}
      <h2 className={styles.heading}>{words.card.newTitle}</h2>
    </section>
  );
}
