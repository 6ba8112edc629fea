import type { ReactNode } from "react";
import styles from "./amounts.module.css";

export interface AmountRow {
  /** Tells rows apart that are named alike. */
  readonly id?: string;
  readonly label: string;
  readonly value: ReactNode;
  readonly weight?: "plain" | "total";
}

/** Names and values in two columns, read out as pairs. */
export function Amounts({ rows }: { readonly rows: readonly AmountRow[] }) {
  return (
    <dl className={styles.amounts}>
      {rows.map((row) => (
        <div key={row.id ?? row.label} className={styles.row} data-weight={row.weight ?? "plain"}>
          <dt className={styles.label}>{row.label}</dt>
          <dd className={styles.value}>{row.value}</dd>
        </div>
      ))}
    </dl>
  );
}
