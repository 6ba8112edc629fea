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
  const [first] = useState(() => (oldest === undefined ? "" : santiagoTimeOf(new Date(oldest))));
  const [result, setResult] = useState("");

  const send = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const typed = new FormData(event.currentTarget);
    const since = momentOfSantiago(String(typed.get("since")));
    if (since === null) return;
    setResult("");
    replaySince(endpointId, { since, onlyFailed: typed.has("only_failed") }).then(
      ({ replayed }) => setResult(wordsOfCount(replayed)),
      onFailure,
    );
  };

  return (
    <form className={styles.form} onSubmit={send}>
      <label htmlFor={id}>Enviar otra vez todo desde</label>
      <input id={id} type="datetime-local" name="since" required defaultValue={first} aria-describedby={`${id}-zone`} />
      <span id={`${id}-zone`} className={styles.zone}>
        hora de Chile
      </span>
      <label className={styles.choice}>
        <input type="checkbox" name="only_failed" />
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
