import { LATEST_COLLECTION_DAY } from "bff/contract/terms";
import { useEffect, useState } from "react";
import type { SandboxTime } from "../../backend/sandbox.ts";
import { passDays, readTime, wordsOf } from "../clinic-api.ts";
import styles from "./time-machine.module.css";

const JUMPS = [
  { days: 1, text: "+1 día" },
  { days: 3, text: "+3 días" },
  { days: LATEST_COLLECTION_DAY, text: `+${LATEST_COLLECTION_DAY} días` },
] as const;

const MOVING_POLL_MS = 1_000;

const DATE = new Intl.DateTimeFormat("es-CL", {
  timeZone: "America/Santiago",
  day: "numeric",
  month: "long",
  year: "numeric",
});

/** A move that makes no progress for this long has stopped, for example because the service was restarted. */
const STOPPED_AFTER_MS = 15_000;

/** Moves the time of the whole clinic. A move is complete when everything that fell due on the way is done. */
export function TimeMachine({ purchaseId }: { readonly purchaseId: string }) {
  const [time, setTime] = useState<SandboxTime | null>(null);
  const [isAsking, setAsking] = useState(false);
  const [hasStopped, setStopped] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const remaining = time?.remainingSeconds ?? 0;
  const isMoving = isAsking || remaining > 0;

  useEffect(() => {
    readTime().then(setTime, (error: unknown) => setFailure(wordsOf(error)));
  }, []);

  // A long move continues after its answer, so the time is polled until the move is complete.
  useEffect(() => {
    if (!isMoving) return undefined;
    const timer = setInterval(() => {
      // A failed poll is ignored, because the next one asks again.
      readTime().then(setTime, () => undefined);
    }, MOVING_POLL_MS);
    return () => clearInterval(timer);
  }, [isMoving]);

  useEffect(() => {
    setStopped(false);
    if (isAsking || remaining === 0) return undefined;
    const timer = setTimeout(() => setStopped(true), STOPPED_AFTER_MS);
    return () => clearTimeout(timer);
  }, [isAsking, remaining]);

  async function jump(days: number): Promise<void> {
    setFailure(null);
    setAsking(true);
    try {
      setTime(await passDays(purchaseId, days));
    } catch (error) {
      setFailure(wordsOf(error));
    } finally {
      setAsking(false);
    }
  }

  return (
    <section className={styles.machine} aria-label="Máquina del tiempo">
      <p data-testid="clock" data-moving={isMoving} aria-live="polite">
        {failure ?? wordsOfClock(time?.now ?? null, isMoving, hasStopped)}
      </p>
      <div className={styles.jumps}>
        {hasStopped && !isAsking ? (
          <button type="button" onClick={() => void jump(0)}>
            Seguir
          </button>
        ) : (
          JUMPS.map(({ days, text }) => (
            <button key={days} type="button" disabled={isMoving} onClick={() => void jump(days)}>
              {text}
            </button>
          ))
        )}
      </div>
    </section>
  );
}

function wordsOfClock(now: string | null, isMoving: boolean, hasStopped: boolean): string {
  if (hasStopped) return "El tiempo se detuvo en el camino.";
  if (isMoving) return "Pasan los días…";
  return now === null ? "" : `Hoy es ${DATE.format(new Date(now))}`;
}
