import { useState } from "react";
import { Button } from "../../design/button.tsx";
import { useAllWords } from "../../words/words-context.tsx";
import styles from "./document-picture.module.css";

/** The drawings differ in the portrait, the lines of print and the features that identify each card. */
const CARDS = {
  /** Issued from 2013 to 2024: a second, small portrait. */
  old: {
    portrait: "translate(10 26)",
    lines: "M60 26h58v3h-58zM60 34h74v3h-74zM60 42h46v3h-46zM60 84h40v3h-40z",
    sign: "M142 78h20v22h-20z",
  },
  /** Issued since December 2024: a chip symbol and a large portrait. */
  new: {
    portrait: "translate(8 22) scale(1.15)",
    lines: "M64 26h44v3h-44zM64 34h60v3h-60zM64 42h36v3h-36zM64 84h50v3h-50z",
    sign: "M146 10h16v11h-16zM146 14h16v3h-16z",
  },
} as const;

type Card = keyof typeof CARDS;

/**
 * Shows where the number is on an identity card: one large drawing, and a button for the other card. Contains no real
 * data and follows the colour scheme.
 */
export function DocumentPictures() {
  const { identity } = useAllWords();
  const [card, setCard] = useState<Card>("old");
  const other = card === "old" ? "new" : "old";
  const { portrait, lines, sign } = CARDS[card];
  return (
    <figure className={styles.figure}>
      <svg viewBox="0 0 172 108" className={styles.card} aria-hidden="true" focusable="false">
        <rect x="1" y="1" width="170" height="106" rx="8" className={styles.paper} />
        <path d="M10 9h64v5h-64z" className={styles.strong} />
        <path d={`M10 17h42v3h-42z${lines}${sign}`} className={styles.line} />
        <g transform={portrait}>
          <rect width="42" height="54" rx="4" className={styles.photo} />
          <path d="M21 12a9 9 0 0 1 0 18a9 9 0 0 1 0-18zM5 50c1-11 8-15 16-15s15 4 16 15z" className={styles.line} />
        </g>
        <text x="10" y="98" className={styles.tiny}>
          RUN 12.345.678-5
        </text>
        <rect x="60" y="50" width="88" height="27" rx="5" className={styles.mark} />
        <text x="65" y="59" className={styles.tiny}>
          NÚMERO DOCUMENTO
        </text>
        <text x="65" y="72" className={styles.number}>
          123.456.789
        </text>
      </svg>
      <figcaption className={styles.caption} aria-live="polite">
        <strong>{identity.cards[card]}</strong>
        <span>{identity.where}</span>
      </figcaption>
      <Button kind="quiet" onPress={() => setCard(other)}>
        {identity.showCard[other]}
      </Button>
    </figure>
  );
}
