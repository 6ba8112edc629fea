import type { PatientData } from "bff/contract/patient-rights";
import { brandName, CardBrandPlate } from "../checkout/card/card-brand.tsx";
import { expiryText } from "../checkout/card/card-text.ts";
import { Button } from "../design/button.tsx";
import type { Words } from "../words/words.ts";
import { useAllWords } from "../words/words-context.tsx";
import { usePageWords } from "./link-page.ts";
import styles from "./my-data.module.css";
import { useDayOf } from "./opened-link.tsx";
import { OWN_CARDS_WORDS } from "./own-cards-words.ts";

export type OwnCard = NonNullable<PatientData["saved_cards"]>[number];

/** `Visa ••6623` */
export function nameOfCard({ brand, last4 }: OwnCard, { review }: Words): string {
  return review.cardEnds(brandName(brand), last4);
}

/** The saved cards: where each was saved and used, and a button to remove it. */
export function OwnCards({
  cards,
  onRemove,
}: {
  readonly cards: readonly OwnCard[];
  readonly onRemove: (card: OwnCard) => void;
}) {
  const own = usePageWords(OWN_CARDS_WORDS);
  if (cards.length === 0) return null;
  return (
    <section className={styles.section}>
      <h2 className={styles.heading}>{own.heading}</h2>
      <ul className={styles.consents}>
        {cards.map((card) => (
          <OwnCardItem key={card.id} card={card} onRemove={onRemove} />
        ))}
      </ul>
    </section>
  );
}

function OwnCardItem({ card, onRemove }: { readonly card: OwnCard; readonly onRemove: (card: OwnCard) => void }) {
  const words = useAllWords();
  const own = usePageWords(OWN_CARDS_WORDS);
  const dayOf = useDayOf();
  const name = nameOfCard(card, words);
  return (
    <li className={styles.consent}>
      <div className={styles.card}>
        <CardBrandPlate brand={card.brand} />
        <div>
          <strong>{name}</strong>
          <p className={styles.words}>{expiryText(card, words.review)}</p>
        </div>
      </div>
      <p>{own.savedAt(dayOf(card.saved_at), card.provider)}</p>
      {card.uses.length === 0 ? <p>{own.notUsed}</p> : null}
      {card.uses.map(({ order_token, provider, at }) => (
        <p key={order_token}>{own.usedAt(dayOf(at), provider)}</p>
      ))}
      {card.removing === true ? (
        <p>{own.waits}</p>
      ) : (
        <Button kind="quiet" onPress={() => onRemove(card)}>
          {own.remove(name)}
        </Button>
      )}
    </li>
  );
}
