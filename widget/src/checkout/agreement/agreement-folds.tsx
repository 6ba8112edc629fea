import type { LegalTextKind, LegalTextName } from "bff/contract/vocabulary/legal-text";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { Fold } from "../../design/fold.tsx";
import { useAllWords } from "../../words/words-context.tsx";
import styles from "./agreement.module.css";

/** Shows one text, once its fold is opened. */
export type ShowText = (kind: LegalTextKind) => ReactNode;

export interface AgreementFoldsProps {
  readonly texts: readonly LegalTextName[];
  readonly show: ShowText;
}

/** The texts of the agreement, before the consents; each opens in place. */
export function AgreementFolds({ texts, show }: AgreementFoldsProps) {
  const words = useAllWords();
  return (
    <Fold title={words.agreement.title}>
      {texts.map(({ kind }) => (
        <TextFold key={kind} title={words.agreement.kinds[kind]}>
          {() => show(kind)}
        </TextFold>
      ))}
    </Fold>
  );
}

function TextFold({ title, children }: { readonly title: string; readonly children: () => ReactNode }) {
  const fold = useRef<HTMLDetailsElement>(null);
  const [isOpen, setOpen] = useState(false);
  // It may have been opened before the scripts loaded.
  useEffect(() => setOpen(fold.current?.open ?? false), []);
  return (
    <details ref={fold} className={styles.fold} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen ? <div className={styles.text}>{children()}</div> : null}
    </details>
  );
}
