import type { ReactNode } from "react";
import styles from "./fold.module.css";

/** What is read only by a patient who wants to. */
export function Fold({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <details className={styles.fold}>
      <summary>{title}</summary>
      <div className={styles.inside}>{children}</div>
    </details>
  );
}
