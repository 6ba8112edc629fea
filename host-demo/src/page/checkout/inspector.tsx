import { useState } from "react";
import styles from "./inspector.module.css";
import type { LoggedMessage } from "./message-log.ts";

const DIRECTION = {
  sent: { sign: "→", words: "Página a marco" },
  received: { sign: "←", words: "Marco a página" },
  refused: { sign: "✕", words: "Rechazado" },
} as const;

/**
 * The reason for a refused message, in words. The frame also posts the old bare strings, which are refused because of
 * their shape.
 */
const REFUSAL_WORDS: Readonly<Record<string, string>> = {
  source: "de otra ventana",
  shape: "no es de este protocolo",
  version: "de otra versión",
  origin: "de otro origen",
  session: "de otra sesión",
  replay: "repetido",
};

function timeOf(at: Date): string {
  return `${at.toLocaleTimeString("es-CL", { hourCycle: "h23" })}.${String(at.getMilliseconds()).padStart(3, "0")}`;
}

/** Every message between page and frame, and every refused one with the reason. */
export function Inspector({ messages }: { readonly messages: readonly LoggedMessage[] }) {
  const [hidesSizes, setHidesSizes] = useState(true);
  const shown = hidesSizes ? messages.filter(({ name }) => name !== "resize") : messages;
  return (
    <div className={styles.inspector}>
      <label className={styles.filter}>
        <input type="checkbox" checked={hidesSizes} onChange={(event) => setHidesSizes(event.target.checked)} />
        Sin los cambios de altura
      </label>
      {shown.length === 0 && <p className={styles.none}>Todavía no hay mensajes.</p>}
      <ol className={styles.messages}>
        {shown.map(({ id, at, direction, name, payload }) => (
          <li key={id} data-direction={direction} data-name={name}>
            <time dateTime={at.toISOString()}>{timeOf(at)}</time>
            <span role="img" aria-label={DIRECTION[direction].words}>
              {DIRECTION[direction].sign}
            </span>
            <span>
              <strong>{name}</strong> {payload !== "" && <code>{payload}</code>}
              {direction === "refused" && REFUSAL_WORDS[name]}
            </span>
          </li>
        ))}
      </ol>
    </div>
  );
}
