import type { ReactNode } from "react";
import styles from "./fold.module.css";

/** Details that a patient opens only if they want to, perhaps before the scripts have loaded. */
export function Fold({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <details className={styles.fold} suppressHydrationWarning>
      <summary>{title}</summary>
      <div className={styles.inside}>{children}</div>
    </details>
  );
}
