import { useEffect, useState } from "react";
import styles from "./app.module.css";
import { Checkout } from "./checkout.tsx";
import { type ClinicFacts, readClinic, startCheckout, wordsOf } from "./clinic-api.ts";
import { addressOfPurchase, purchaseInAddress } from "./page-address.ts";
import { Shop } from "./shop.tsx";

interface Begun {
  readonly id: string;
  /** Known when this page began the purchase; a reload asks for a fresh one. */
  readonly url: string | null;
}

function begunInAddress(): Begun | null {
  const id = purchaseInAddress(window.location.hash);
  return id === null ? null : { id, url: null };
}

export function App() {
  const [facts, setFacts] = useState<ClinicFacts | null>(null);
  const [begun, setBegun] = useState<Begun | null>(begunInAddress);
  const [failure, setFailure] = useState<string | null>(null);

  useEffect(() => {
    readClinic().then(setFacts, (error: unknown) => setFailure(wordsOf(error)));
  }, []);

  useEffect(() => {
    const follow = () =>
      setBegun((now) => (now?.id === purchaseInAddress(window.location.hash) ? now : begunInAddress()));
    window.addEventListener("hashchange", follow);
    return () => window.removeEventListener("hashchange", follow);
  }, []);

  return (
    <div className={styles.page}>
      <header className={styles.header}>
        <a className={styles.brand} href="#/">
          <img src="/favicon.svg" alt="" width="36" height="36" />
          <span>Clínica Los Aromos del Sur</span>
        </a>
        <p className={styles.sandbox}>Ambiente de prueba: nada se cobra de verdad</p>
      </header>
      <main className={styles.main}>
        {failure !== null && (
          <p role="alert" className={styles.failure}>
            {failure}
          </p>
        )}
        {facts !== null && begun === null && (
          <Shop
            facts={facts}
            onPayLater={async (service, person) => {
              setFailure(null);
              try {
                const started = await startCheckout(service, person);
                setBegun(started);
                window.location.hash = addressOfPurchase(started.id);
              } catch (error) {
                setFailure(wordsOf(error));
              }
            }}
          />
        )}
        {facts !== null && begun !== null && (
          <Checkout key={begun.id} facts={facts} id={begun.id} firstUrl={begun.url} />
        )}
      </main>
      <footer className={styles.footer}>
        {facts?.clinic.name} · RUT {facts?.clinic.rut} · Una clínica inventada, para probar.
      </footer>
    </div>
  );
}
