import { useState } from "react";
import styles from "./appearance-page.module.css";

/** The code to copy, and its limits. */
export function Snippet({ text }: { readonly text: string }) {
  // The text that was copied, or whose copying failed. A message refers to this text only.
  const [copied, setCopied] = useState<{ readonly text: string; readonly isDone: boolean } | null>(null);
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setCopied({ text, isDone: true }),
      () => setCopied({ text, isDone: false }),
    );
  const isCopied = copied?.text === text ? copied.isDone : null;
  return (
    <section className={styles.panel} aria-labelledby="snippet">
      <h2 id="snippet">Código</h2>
      {/* A read-only field, so that the keyboard can reach, scroll and select it. */}
      <textarea
        className={styles.code}
        aria-labelledby="snippet"
        value={text}
        rows={text.split("\n").length}
        wrap="off"
        spellCheck={false}
        readOnly
      />
      <div className={styles.copy}>
        <button type="button" onClick={() => void copy()}>
          Copiar el código
        </button>
        <span role="status">
          {isCopied === null ? "" : isCopied ? "Copiado." : "El navegador no dejó copiar: selecciónalo y cópialo."}
        </span>
      </div>
      <p className={styles.note}>
        <code>url</code> es lo que tu servidor recibió de <code>POST /api/spot/widget</code>. Para que los enlaces que
        enviamos por correo se vean igual, pídenos guardar esta apariencia en tu cuenta.
      </p>
    </section>
  );
}
