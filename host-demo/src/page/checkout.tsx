import { useEffect, useRef, useState } from "react";
import type { Purchase } from "../backend/purchase.ts";
import styles from "./checkout.module.css";
import { type ClinicFacts, mintAgain, watchPurchase, wordsOf } from "./clinic-api.ts";
import { loadEmbedKit } from "./embed-kit.ts";
import { WhatHappened } from "./what-happened.tsx";

interface CheckoutProps {
  readonly facts: ClinicFacts;
  readonly id: string;
  readonly firstUrl: string | null;
}

/** One thing that the frame told the page; shown as it comes. */
export interface FrameNews {
  readonly at: string;
  readonly text: string;
}

/**
 * The checkout's frame beside what happens. What the frame says is a hint, shown as such; paid is what the signed
 * webhook says.
 */
export function Checkout({ facts, id, firstUrl }: CheckoutProps) {
  const container = useRef<HTMLDivElement>(null);
  const [purchase, setPurchase] = useState<Purchase | null>(null);
  const [news, setNews] = useState<readonly FrameNews[]>([]);
  const [failure, setFailure] = useState<string | null>(null);

  useEffect(() => watchPurchase(id, setPurchase), [id]);

  useEffect(() => {
    const place = container.current;
    if (place === null) return undefined;
    const told = (text: string) => setNews((before) => [...before, { at: new Date().toISOString(), text }]);
    let isGone = false;
    let unmount = (): void => undefined;
    const requestToken = async () => (await mintAgain(id)).url;

    Promise.all([loadEmbedKit(facts.widgetHostUrl), firstUrl ?? requestToken()]).then(
      ([{ mountCheckout }, url]) => {
        if (isGone) return;
        const mounted = mountCheckout(place, {
          url,
          locale: "es-CL",
          requestToken,
          onReady: () => told("El marco está listo."),
          onStep: ({ name, index, count }) => told(`Paso ${index} de ${count}: ${name}.`),
          onComplete: ({ kind }) =>
            told(`El marco avisa: ${kind === "payment" ? "pago completo" : "registro completo"}.`),
          onError: (error) =>
            told(`El marco avisa un problema: ${error.type === "error" ? error.code : error.reason}.`),
        });
        unmount = () => mounted.destroy();
      },
      (error: unknown) => setFailure(wordsOf(error)),
    );
    return () => {
      isGone = true;
      unmount();
    };
  }, [id, firstUrl, facts.widgetHostUrl]);

  return (
    <div className={styles.checkout}>
      <section className={styles.frame} aria-label="Pago">
        {failure !== null && <p role="alert">{failure}</p>}
        <div ref={container} />
      </section>
      <WhatHappened purchase={purchase} news={news} />
    </div>
  );
}
