import { useEffect, useState } from "react";
import { passDays, readTime, wordsOf } from "../clinic-api.ts";
import styles from "./time-machine.module.css";

const JUMPS = [
  { days: 1, text: "+1 día" },
  { days: 3, text: "+3 días" },
  { days: 45, text: "+45 días" },
] as const;

const MOVING_POLL_MS = 1_000;

const DATE = new Intl.DateTimeFormat("es-CL", {
  timeZone: "America/Santiago",
  day: "numeric",
  month: "long",
  year: "numeric",
});

/** Moves the time of the whole clinic. Each jump is done when all that fell due on the way has been done. */
export function TimeMachine({ purchaseId }: { readonly purchaseId: string }) {
  const [now, setNow] = useState<string | null>(null);
  const [isMoving, setMoving] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);

  useEffect(() => {
    readTime().then(
      (time) => {
        setNow(time.now);
        setMoving(time.isMoving);
      },
      (error: unknown) => setFailure(wordsOf(error)),
    );
  }, []);

  // A long jump goes on after its answer: followed until it has arrived.
  useEffect(() => {
    if (!isMoving) return undefined;
    const timer = setInterval(() => {
      readTime().then(
        (time) => {
          setNow(time.now);
          setMoving(time.isMoving);
        },
        // The next poll asks again.
        () => undefined,
      );
    }, MOVING_POLL_MS);
    return () => clearInterval(timer);
  }, [isMoving]);

  async function jump(days: number): Promise<void> {
    setFailure(null);
    setMoving(true);
    try {
      const time = await passDays(purchaseId, days);
      setNow(time.now);
      setMoving(time.isMoving);
    } catch (error) {
      setFailure(wordsOf(error));
      setMoving(false);
    }
  }

  return (
    <section className={styles.machine} aria-label="Máquina del tiempo">
      <p data-testid="clock" data-moving={isMoving} aria-live="polite">
        {failure ?? (isMoving ? "Pasan los días…" : now === null ? "" : `Hoy es ${DATE.format(new Date(now))}`)}
      </p>
      <div className={styles.jumps}>
        {JUMPS.map(({ days, text }) => (
          <button key={days} type="button" disabled={isMoving} onClick={() => void jump(days)}>
            {text}
          </button>
        ))}
      </div>
    </section>
  );
}
