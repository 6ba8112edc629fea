import styles from "./document-picture.module.css";

/** Where the number stands on an identity card, drawn rather than photographed: nobody's data, any colour scheme. */
export function DocumentPicture({
  age,
  label,
  caption,
}: {
  readonly age: "new" | "old";
  readonly label: string;
  readonly caption: string;
}) {
  return (
    <figure className={styles.figure}>
      <svg viewBox="0 0 172 108" className={styles.card} aria-hidden="true" focusable="false">
        <rect x="1" y="1" width="170" height="106" rx="8" className={styles.paper} />
        <rect x="10" y="9" width="64" height="5" rx="2.5" className={styles.strong} />
        <rect x="10" y="18" width="42" height="3" rx="1.5" className={styles.line} />
        {age === "new" ? <NewCard /> : <OldCard />}
      </svg>
      <figcaption className={styles.caption}>
        <strong>{label}</strong>
        <span>{caption}</span>
      </figcaption>
    </figure>
  );
}

function Portrait({ x, y }: { readonly x: number; readonly y: number }) {
  return (
    <g transform={`translate(${x} ${y})`}>
      <rect width="42" height="54" rx="4" className={styles.photo} />
      <circle cx="21" cy="21" r="9" className={styles.line} />
      <path d="M5 50c1-11 8-15 16-15s15 4 16 15z" className={styles.line} />
    </g>
  );
}

function NewCard() {
  return (
    <>
      <Portrait x={10} y={28} />
      <rect x="60" y="30" width="58" height="3.5" rx="1.75" className={styles.line} />
      <rect x="60" y="39" width="74" height="3.5" rx="1.75" className={styles.line} />
      <rect x="60" y="48" width="46" height="3.5" rx="1.75" className={styles.line} />
      <rect x="56" y="57" width="74" height="20" rx="5" className={styles.mark} />
      <text x="61" y="64.5" className={styles.tiny}>
        NÚMERO DOCUMENTO
      </text>
      <text x="61" y="73.5" className={styles.number}>
        123.456.789
      </text>
      <rect x="60" y="83" width="50" height="3.5" rx="1.75" className={styles.line} />
      <text x="10" y="98" className={styles.tiny}>
        RUN 12.345.678-5
      </text>
    </>
  );
}

function OldCard() {
  return (
    <>
      <Portrait x={120} y={20} />
      <rect x="10" y="30" width="70" height="3.5" rx="1.75" className={styles.line} />
      <rect x="10" y="39" width="54" height="3.5" rx="1.75" className={styles.line} />
      <rect x="10" y="48" width="62" height="3.5" rx="1.75" className={styles.line} />
      <text x="10" y="66" className={styles.tiny}>
        RUN 12.345.678-5
      </text>
      <rect x="6" y="77" width="82" height="20" rx="5" className={styles.mark} />
      <text x="11" y="84.5" className={styles.tiny}>
        N° DE SERIE
      </text>
      <text x="11" y="93.5" className={styles.number}>
        A123456789
      </text>
    </>
  );
}
