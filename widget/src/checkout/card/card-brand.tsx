import type { CardBrand } from "bff/contract/orders";
import styles from "./card-brand.module.css";

const NAMES: Readonly<Record<CardBrand, string>> = {
  visa: "Visa",
  mastercard: "Mastercard",
  amex: "American Express",
  diners: "Diners Club",
  discover: "Discover",
  maestro: "Maestro",
  jcb: "JCB",
  other: "",
};

/** Empty where the brand is not known: then the words beside it say that it is a card. */
export function brandName(brand: CardBrand): string {
  return NAMES[brand];
}

const SHORT: Readonly<Record<CardBrand, string>> = {
  visa: "VISA",
  mastercard: "MC",
  amex: "AMEX",
  diners: "DINERS",
  discover: "DISC",
  maestro: "MAESTRO",
  jcb: "JCB",
  other: "",
};

/** A small plate with the brand's name; the outline of a card where the brand is not known. */
export function CardBrandPlate({ brand }: { readonly brand: CardBrand }) {
  return (
    <span className={styles.plate} data-brand={brand} aria-hidden="true">
      {brand === "mastercard" || brand === "maestro" ? (
        <svg viewBox="0 0 40 24" width="40" height="24" aria-hidden="true" focusable="false">
          <circle cx="16" cy="12" r="7" fill={brand === "maestro" ? "#0a8fd6" : "#e0242b"} />
          <circle cx="24" cy="12" r="7" fill={brand === "maestro" ? "#e0242b" : "#f79e1b"} fillOpacity="0.85" />
        </svg>
      ) : (
        SHORT[brand]
      )}
    </span>
  );
}
