import styles from "./document-picture.module.css";

/** What differs between the two: where the portrait, the lines of print, the RUN and the number stand. */
const CARDS = {
  new: {
    portrait: "translate(10 28)",
    lines: "M60 30h58v3h-58zM60 39h74v3h-74zM60 48h46v3h-46zM60 83h50v3h-50z",
    run: [10, 98],
    mark: [56, 57, "NÚMERO DOCUMENTO", "123.456.789"],
  },
  old: {
    portrait: "translate(120 20)",
    lines: "M10 30h70v3h-70zM10 39h54v3h-54zM10 48h62v3h-62z",
    run: [10, 66],
    mark: [6, 77, "N° DE SERIE", "A123456789"],
  },
} as const;

export interface DocumentPictureProps {
  readonly age: keyof typeof CARDS;
  readonly label: string;
  readonly caption: string;
}

/**
 * Where the number stands on an identity card, drawn rather than photographed: it shows no person's data and follows
 * the colour scheme.
 */
export function DocumentPicture({ age, label, caption }: DocumentPictureProps) {
  const { portrait, lines, run, mark } = CARDS[age];
  const [x, y, name, number] = mark;
  return (
    <figure className={styles.figure}>
      <svg viewBox="0 0 172 108" className={styles.card} aria-hidden="true" focusable="false">
        <rect x="1" y="1" width="170" height="106" rx="8" className={styles.paper} />
        <path d="M10 9h64v5h-64z" className={styles.strong} />
        <path d={`M10 18h42v3h-42z${lines}`} className={styles.line} />
        <g transform={portrait}>
          <rect width="42" height="54" rx="4" className={styles.photo} />
          <path d="M21 12a9 9 0 0 1 0 18a9 9 0 0 1 0-18zM5 50c1-11 8-15 16-15s15 4 16 15z" className={styles.line} />
        </g>
        <text x={run[0]} y={run[1]} className={styles.tiny}>
          RUN 12.345.678-5
        </text>
        <rect x={x} y={y} width="80" height="21" rx="5" className={styles.mark} />
        <text x={x + 5} y={y + 8} className={styles.tiny}>
          {name}
        </text>
        <text x={x + 5} y={y + 17} className={styles.number}>
          {number}
        </text>
      </svg>
      <figcaption className={styles.caption}>
        <strong>{label}</strong>
        <span>{caption}</span>
      </figcaption>
    </figure>
  );
}
