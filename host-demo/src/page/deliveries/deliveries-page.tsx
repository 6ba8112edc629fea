import { useEffect, useState } from "react";
import type { Delivery, EndpointDeliveries } from "../../backend/webhook-management.ts";
import { wordsFor } from "../../scenarios/step-words.ts";
import { type Deliveries, readDeliveries, replayDelivery, sendTestEvent, wordsOf } from "../clinic-api.ts";
import styles from "./deliveries-page.module.css";
import { ReplaySince } from "./replay-since.tsx";

const POLL_MS = 3_000;

const STATUS_WORDS: Readonly<Record<string, string>> = {
  pending: "Por entregar",
  delivered: "Entregada",
  failed: "No se pudo entregar",
};

const FAILURE_WORDS: Readonly<Record<string, string>> = {
  timeout: "no respondió a tiempo",
  dns: "no se encontró el nombre de la dirección (DNS)",
  refused: "nadie escucha en esa dirección: la conexión fue rechazada",
  tls: "no se pudo conectar de forma segura: revisa el certificado (TLS)",
  network: "la conexión se cortó",
  redirect: "respondió con una redirección",
  status: "respondió",
  url_refused: "la dirección no está permitida",
  internal: "el servicio falló al enviarlo",
};

const MOMENT = new Intl.DateTimeFormat("es-CL", {
  timeZone: "America/Santiago",
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
});

function moment(at: string): string {
  return MOMENT.format(new Date(at));
}

/** Every webhook that the service has sent to the clinic, with its attempts; for the clinic's own staff. */
export function DeliveriesPage() {
  const [found, setFound] = useState<Deliveries | null>(null);
  const [failure, setFailure] = useState<string | null>(null);

  useEffect(() => {
    let isGone = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const read = async (): Promise<void> => {
      try {
        const answer = await readDeliveries();
        if (isGone) return;
        setFound(answer);
        setFailure(null);
      } catch (error) {
        setFailure(wordsOf(error));
      }
      if (!isGone) timer = setTimeout(() => void read(), POLL_MS);
    };
    void read();
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, []);

  return (
    <>
      <h1 className={styles.title}>Entregas</h1>
      <p className={styles.lead}>
        Los webhooks que el servicio envió a la clínica. Cada uno se intenta seis veces; se puede enviar otra vez lo que
        ya terminó.
      </p>
      {failure !== null && <p role="alert">{failure}</p>}
      {found?.endpoints.map(({ endpoint, deliveries }) => (
        <Endpoint
          key={endpoint.id}
          endpoint={endpoint}
          deliveries={deliveries}
          references={found.references}
          onFailure={(error) => setFailure(wordsOf(error))}
        />
      ))}
    </>
  );
}

interface EndpointProps extends EndpointDeliveries {
  readonly references: Deliveries["references"];
  readonly onFailure: (error: unknown) => void;
}

function Endpoint({ endpoint, deliveries, references, onFailure }: EndpointProps) {
  return (
    <section className={styles.endpoint} aria-labelledby={endpoint.id}>
      <div className={styles.head}>
        <h2 id={endpoint.id}>{endpoint.url}</h2>
        <button type="button" onClick={() => void sendTestEvent(endpoint.id).catch(onFailure)}>
          Enviar una prueba
        </button>
      </div>
      <p className={styles.facts}>
        {endpoint.kinds.join(", ")}
        {endpoint.paused && " · en pausa"}
        {endpoint.failing_since !== null && ` · no recibe desde ${moment(endpoint.failing_since)}`}
      </p>
      {deliveries.length > 0 && <ReplaySince endpointId={endpoint.id} deliveries={deliveries} onFailure={onFailure} />}
      {deliveries.length === 0 && <p className={styles.facts}>Todavía no se ha enviado nada.</p>}
      <ul className={styles.list}>
        {deliveries.map((delivery) => (
          <li key={delivery.id} data-testid="delivery" data-event={delivery.event} data-status={delivery.status}>
            <DeliveryView
              delivery={delivery}
              reference={references[delivery.order_hash ?? ""] ?? null}
              onReplay={() => void replayDelivery(endpoint.id, delivery.id).catch(onFailure)}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

interface DeliveryViewProps {
  readonly delivery: Delivery;
  readonly reference: string | null;
  readonly onReplay: () => void;
}

function DeliveryView({ delivery, reference, onReplay }: DeliveryViewProps) {
  const { event, status, created_at, next_attempt_at, attempts } = delivery;
  return (
    <>
      <div className={styles.delivery}>
        <strong>{event}</strong>
        <span className={styles.status} data-status={status}>
          {wordsFor(STATUS_WORDS, status, "")}
        </span>
        <span className={styles.reference}>{reference}</span>
        <time dateTime={created_at}>{moment(created_at)}</time>
        <button type="button" disabled={status === "pending"} onClick={onReplay}>
          Enviar otra vez
        </button>
      </div>
      <details className={styles.attempts}>
        <summary>{attempts.length === 1 ? "1 intento" : `${attempts.length} intentos`}</summary>
        <ol>
          {attempts.map((attempt) => (
            <li key={attempt.number} value={attempt.number} data-outcome={attempt.outcome}>
              {moment(attempt.started_at)}: {describeAttempt(attempt)}
              <Answer attempt={attempt} />
            </li>
          ))}
        </ol>
        {next_attempt_at !== null && <p>El próximo intento es a las {moment(next_attempt_at)}.</p>}
      </details>
    </>
  );
}

/** The first bytes of the clinic's response, unchanged, for finding faults. */
function Answer({ attempt: { status, answer } }: { readonly attempt: Delivery["attempts"][number] }) {
  if (status === null) return null;
  if (answer === null || answer === "") return <p className={styles.nothing}>Respondió sin contenido.</p>;
  return (
    <figure className={styles.answer}>
      <figcaption>Lo primero que respondió:</figcaption>
      <pre>
        <samp>{answer}</samp>
      </pre>
    </figure>
  );
}

function describeAttempt({ outcome, failure, status, duration_ms }: Delivery["attempts"][number]): string {
  const took = duration_ms === null ? "" : ` en ${duration_ms} ms`;
  if (outcome === "succeeded") return `recibido (${status ?? ""})${took}`;
  if (outcome === "interrupted") return "se interrumpió; no se sabe si llegó";
  return `${wordsFor(FAILURE_WORDS, failure, "falló")}${status === null ? "" : ` ${status}`}${took}`;
}
