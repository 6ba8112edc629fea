import { CARD_BRAND_NAMES, type CardBrand } from "bff/contract/orders";
import { useAllWords } from "../../words/words-context.tsx";
import styles from "./card-brand.module.css";
import { cvcLengthOf } from "./card-text.ts";

/** Empty for an unknown brand: the text next to it then says that it is a card. */
export function brandName(brand: CardBrand): string {
  return CARD_BRAND_NAMES[brand];
}

/** Accepted brands that the first digits of a number do not identify. */
type LocalBrand = "redcompra" | "magna";

const MARKS: Readonly<Record<CardBrand | LocalBrand, string>> = {
  redcompra: "redcompra",
  visa: "VISA",
  mastercard: "",
  amex: "AMEX",
  magna: "magna",
  diners: "DINERS",
  discover: "DISC",
  maestro: "",
  jcb: "JCB",
  other: "",
};

/** Our small mark for the brand; the outline of a card if the brand is unknown. */
export function CardBrandPlate({ brand }: { readonly brand: CardBrand | LocalBrand }) {
  return (
    <span className={styles.plate} data-brand={brand} aria-hidden="true">
      {MARKS[brand]}
    </span>
  );
}

const ACCEPTED = ["redcompra", "visa", "mastercard", "amex", "magna"] as const;

/** Which cards may be used, before one is typed. */
export function AcceptedCards() {
  const { card } = useAllWords();
  return (
    <p className={styles.accepted}>
      {card.accepted}
      <span className="aapd-unseen">: Redcompra, Visa, Mastercard, American Express, Magna</span>
      <span className={styles.marks}>
        {ACCEPTED.map((brand) => (
          <CardBrandPlate key={brand} brand={brand} />
        ))}
      </span>
    </p>
  );
}

/** Where the security code is printed: on the back, for American Express on the front. */
export function CvcPicture({ brand }: { readonly brand: CardBrand }) {
  return <span className={styles.plate} data-code={"1234".slice(0, cvcLengthOf(brand))} aria-hidden="true" />;
}
