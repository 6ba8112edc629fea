import { type SubmitEvent, useId, useState } from "react";
import type { Delivery } from "../../backend/webhook-management.ts";
import { replaySince } from "../clinic-api.ts";
import styles from "./replay-since.module.css";
import { momentOfSantiago, santiagoTimeOf } from "./santiago-time.ts";

interface ReplaySinceProps {
  readonly endpointId: string;
  /** The shown deliveries of the endpoint, newest first; the field starts with the oldest of them. */
  readonly deliveries: readonly Delivery[];
  readonly onFailure: (error: unknown) => void;
}

/** For a clinic that was down for longer than the service retries: repeats everything since then. */
export function ReplaySince({ endpointId, deliveries, onFailure }: ReplaySinceProps) {
  const id = useId();
  const oldest = deliveries.at(-1)?.created_at;
  const [shown, setShown] = useState(() => (oldest === undefined ? "" : santiagoTimeOf(new Date(oldest))));
  const [onlyFailed, setOnlyFailed] = useState(false);
  const [result, setResult] = useState("");
  const since = momentOfSantiago(shown);

  const send = (event: SubmitEvent) => {
    event.preventDefault();
    if (since === null) return;
    setResult("");
    replaySince(endpointId, { since, onlyFailed }).then(({ replayed }) => setResult(wordsOfCount(replayed)), onFailure);
  };

  return (
    <form className={styles.form} onSubmit={send}>
      <label htmlFor={id}>Enviar otra vez todo desde</label>
      <input
        id={id}
        type="datetime-local"
        required
        value={shown}
        onChange={({ target }) => setShown(target.value)}
        aria-describedby={`${id}-zone`}
      />
      <span id={`${id}-zone`} className={styles.zone}>
        hora de Chile
      </span>
      <label className={styles.choice}>
        <input type="checkbox" checked={onlyFailed} onChange={({ target }) => setOnlyFailed(target.checked)} />
        Solo lo que no se pudo entregar
      </label>
      <button type="submit">Enviar todo otra vez</button>
      <p className={styles.result} role="status">
        {result}
      </p>
    </form>
  );
}

function wordsOfCount(replayed: number): string {
  if (replayed === 0) return "No hay nada que enviar otra vez desde entonces.";
  return replayed === 1 ? "Se envía otra vez 1 webhook." : `Se envían otra vez ${replayed} webhooks.`;
}
