import type { SavedCardView } from "bff/contract/orders";
import { type ReactNode, useState } from "react";
import { useAllWords } from "../../words/words-context.tsx";
import { brandName, CardBrandPlate } from "./card-brand.tsx";
import { expiryText } from "./card-text.ts";
import styles from "./known-cards.module.css";

export interface KnownCards {
  readonly cards: readonly SavedCardView[];
  /** The saved card that the order has. */
  readonly current: SavedCardView | undefined;
  readonly onChoose: (card: SavedCardView) => void;
}

export interface KnownChoice {
  /** Null if another card is entered. */
  readonly chosen: SavedCardView | null;
  readonly field: ReactNode;
}

/**
 * The card of the order, the saved cards of a recognized patient, and another card. Preselects a saved card that is not
 * the order's, because the patient asked for another one. After a problem, preselects none.
 */
export function useKnownChoice(known: KnownCards | undefined, isAfterProblem: boolean): KnownChoice {
  const { cards = [], current } = known ?? {};
  const [id, setId] = useState(() => (isAfterProblem ? undefined : cards.find((card) => card !== current)?.id));
  const chosen = cards.find((card) => card.id === id) ?? null;
  const field = cards.length === 0 ? null : <KnownField cards={cards} chosen={chosen} onChange={setId} />;
  return { chosen, field };
}

interface KnownFieldProps extends Pick<KnownCards, "cards"> {
  readonly chosen: SavedCardView | null;
  readonly onChange: (id: string | undefined) => void;
}

function KnownField({ cards, chosen, onChange }: KnownFieldProps) {
  const { card: words } = useAllWords();
  return (
    <fieldset className={styles.known}>
      <legend className={styles.legend}>{words.knownTitle}</legend>
      {cards.map((card) => (
        <label key={card.id} className={styles.card}>
          <input type="radio" name="known" checked={card === chosen} onChange={() => onChange(card.id)} />
          <CardText card={card} />
        </label>
      ))}
      <label className={styles.card}>
        <input type="radio" name="known" checked={chosen === null} onChange={() => onChange(undefined)} />
        {words.newTitle}
      </label>
    </fieldset>
  );
}

function CardText({ card }: { readonly card: SavedCardView }) {
  const { review } = useAllWords();
  return (
    <>
      <span className={styles.text}>
        {review.cardEnds(brandName(card.brand), card.last4)}
        <span className={styles.soft}>{expiryText(card, review)}</span>
      </span>
      <CardBrandPlate brand={card.brand} />
    </>
  );
}
