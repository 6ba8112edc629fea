import type { PaymentMethod, SavedCardView } from "bff/contract/orders";
import { type ReactNode, useState } from "react";
import { useAllWords } from "../../words/words-context.tsx";
import { brandName, CardBrandPlate } from "./card-brand.tsx";
import { expiryText } from "./card-text.ts";
import styles from "./saved-cards.module.css";

export interface SavedCards {
  readonly cards: readonly SavedCardView[];
  /** The one that the order has. */
  readonly current: SavedCardView | undefined;
  readonly onChoose: (card: SavedCardView) => void;
}

export interface SavedChoice {
  /** Null: another card is entered. */
  readonly chosen: SavedCardView | null;
  readonly field: ReactNode;
}

/**
 * The saved cards of a recognized patient, and another card. Preselected is a card that the order does not have, since
 * the patient asked for another one; after a refusal it is none of them.
 */
export function useSavedChoice(saved: SavedCards | undefined, isAfterProblem: boolean): SavedChoice {
  const { cards = [], current } = saved ?? {};
  const [id, setId] = useState(() => (isAfterProblem ? undefined : cards.find((card) => card !== current)?.id));
  const chosen = cards.find((card) => card.id === id) ?? null;
  const field = cards.length === 0 ? null : <SavedField cards={cards} chosen={chosen} onChange={setId} />;
  return { chosen, field };
}

interface SavedFieldProps extends Pick<SavedCards, "cards"> {
  readonly chosen: SavedCardView | null;
  readonly onChange: (id: string | undefined) => void;
}

function SavedField({ cards, chosen, onChange }: SavedFieldProps) {
  const { card: words } = useAllWords();
  return (
    <fieldset className={styles.saved}>
      <legend className={styles.legend}>{words.savedTitle}</legend>
      {cards.map((card) => (
        <label key={card.id} className={styles.card}>
          <input type="radio" name="saved" checked={card === chosen} onChange={() => onChange(card.id)} />
          <CardText card={card} />
        </label>
      ))}
      <label className={styles.card}>
        <input type="radio" name="saved" checked={chosen === null} onChange={() => onChange(undefined)} />
        {words.newTitle}
      </label>
    </fieldset>
  );
}

function CardText({ card }: { readonly card: Pick<PaymentMethod, "brand" | "last4" | "exp_month" | "exp_year"> }) {
  const { review } = useAllWords();
  return (
    <>
      <span className={styles.text}>
        {review.cardEnds(brandName(card.brand), card.last4)}
        <span className={styles.soft}>{review.cardExpires(expiryText(card))}</span>
      </span>
      <CardBrandPlate brand={card.brand} />
    </>
  );
}
