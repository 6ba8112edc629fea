import { formatPesos } from "../words/format.ts";
import { useWords } from "../words/words-context.tsx";
import styles from "./amounts.module.css";

/** The right column. Text may wrap, even in its longest word. The other values are numbers and stay on one line. */
type AmountValue =
  | { readonly pesos: number }
  | { readonly percentage: number }
  | { readonly rut: string }
  | { readonly text: string };

export type AmountRow = AmountValue & {
  /** Distinguishes rows with the same label. */
  readonly id?: string;
  readonly label: string;
  readonly weight?: "plain" | "total";
};

/** Labels and values in two columns, read out as pairs. */
export function Amounts({ rows }: { readonly rows: readonly AmountRow[] }) {
  return (
    <dl className={styles.amounts}>
      {rows.map((row) => (
        <div key={row.id ?? row.label} className={styles.row} data-weight={row.weight ?? "plain"}>
          <dt className={styles.label}>{row.label}</dt>
          <Value value={row} />
        </div>
      ))}
    </dl>
  );
}

function Value({ value }: { readonly value: AmountValue }) {
  const words = useWords();
  if ("pesos" in value) return <dd className={styles.number}>{formatPesos(value.pesos)}</dd>;
  if ("percentage" in value) return <dd className={styles.number}>{words.percentage(value.percentage)}</dd>;
  if ("rut" in value) return <dd className={styles.number}>{value.rut}</dd>;
  return <dd className={styles.text}>{value.text}</dd>;
}

export interface ChargesProps {
  readonly charges: readonly {
    readonly label: string;
    readonly note: string;
    readonly pesos: number;
  }[];
}

/** Today's and the later charge as a timeline: amounts right-aligned, each note below its row. */
export function Charges({ charges }: ChargesProps) {
  return (
    <dl className={styles.charges}>
      {charges.map(({ label, note, pesos }) => (
        <div key={label} className={styles.charge}>
          <dt className={styles.chargeLabel}>{label}</dt>
          <dd className={styles.number}>{formatPesos(pesos)}</dd>
          <dd className={styles.note}>{note}</dd>
        </div>
      ))}
    </dl>
  );
}
