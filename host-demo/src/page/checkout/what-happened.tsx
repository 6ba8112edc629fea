import { useState } from "react";
import type { Happening, Purchase } from "../../backend/purchase.ts";
import { CLAIM_WORDS, COLLECTION_WORDS, ORDER_WORDS, REASON_WORDS, wordsFor } from "../../scenarios/step-words.ts";
import { pesos } from "../pesos.ts";
import { arrivalOrder } from "./arrival-order.ts";
import type { FrameNews } from "./use-checkout.ts";
import styles from "./what-happened.module.css";

const OUTCOME_WORDS: Readonly<Record<string, string>> = {
  approve: "aprueba",
  reject: "rechaza",
  block: "bloquea el acceso",
  unblock: "devuelve el acceso",
};

function describe(happening: Happening): string {
  switch (happening.kind) {
    case "order_created":
      return `Orden creada con la referencia ${happening.reference}.`;
    case "order_refused":
      return `El servicio rechazó la orden. ${happening.message}`;
    case "order_unanswered":
      return `El servicio no respondió a la orden: puede haberse creado igual. ${happening.message}`;
    case "widget_token_minted":
      return "Enlace de pago emitido para este paciente.";
    case "checkout_mailed":
      return `Enlace de pago enviado a ${happening.to}.`;
    case "widget_token_refused":
      return `El servicio no emitió el enlace de pago. ${happening.message}`;
    case "webhook_received":
      return `Webhook ${happening.event} recibido; la firma es correcta.`;
    case "webhook_refused":
      return `Webhook rechazado: ${happening.reason}.`;
    case "receipt_submitted":
      return "Boleta enviada al servicio.";
    case "receipt_refused":
      return `El servicio rechazó la boleta; no se envía otra vez. ${happening.message}`;
    case "receipt_unanswered":
      return `La boleta no se pudo enviar todavía; se envía otra vez cada minuto. ${happening.message}`;
    case "order_read":
      return `Sin webhook, la clínica preguntó por la orden: ${wordsFor(ORDER_WORDS, happening.status, "").toLowerCase()}.`;
    case "claim_changed":
      return `Reembolso: ${wordsFor(CLAIM_WORDS, happening.status, "")}.`;
    case "collection_changed":
      return describeCollection(happening);
    case "refund_asked":
      return `La clínica devuelve ${pesos(happening.amountClp)}.`;
    case "refund_refused":
      return `El servicio rechazó la devolución. ${happening.message}`;
    case "refund_unanswered":
      return `El servicio no respondió a la devolución: puede haberse hecho igual. ${happening.message}`;
    case "days_passed":
      return happening.days === 1 ? "Pasó 1 día." : `Pasaron ${happening.days} días.`;
    case "insurer_decided":
      return `La isapre ${wordsFor(OUTCOME_WORDS, happening.outcome, "")} (prueba).`;
  }
}

const DAY = new Intl.DateTimeFormat("es-CL", { timeZone: "America/Santiago", day: "numeric", month: "long" });

function describeCollection(change: Extract<Happening, { kind: "collection_changed" }>): string {
  const { status, reason, dueAt } = change;
  const why = reason === null ? "" : ` (${wordsFor(REASON_WORDS, reason, "")})`;
  const when = status === "scheduled" && dueAt !== null ? ` para el ${DAY.format(new Date(dueAt))}` : "";
  return `Segundo cobro: ${wordsFor(COLLECTION_WORDS, status, "").toLowerCase()}${when}${why}.`;
}

function timeOf(at: string): string {
  return new Date(at).toLocaleTimeString("es-CL", { hourCycle: "h23" });
}

interface Line {
  readonly id: string;
  readonly at: string;
  readonly source: "clinic" | "frame";
  readonly kind: string;
  readonly text: string;
}

function linesOf(purchase: Purchase | null, news: readonly FrameNews[]): Line[] {
  const clinic = (purchase?.timeline ?? []).map(({ at, happening }, position): Line => {
    return { id: `clinic ${position}`, at, source: "clinic", kind: happening.kind, text: describe(happening) };
  });
  const frame = news.map(({ id, at, text }): Line => ({ id: `frame ${id}`, at, source: "frame", kind: "frame", text }));
  return [...clinic, ...frame];
}

/** The lines in the order of their arrival since the page was loaded. */
function useArrivalOrder(lines: readonly Line[]): readonly Line[] {
  const [shown, setShown] = useState<readonly string[]>([]);
  const ordered = arrivalOrder(shown, lines);
  // Remembers the new order during rendering: React renders again at once, before the first result is displayed.
  if (ordered.length !== shown.length) setShown(ordered.map(({ id }) => id));
  return ordered;
}

interface WhatHappenedProps {
  readonly purchase: Purchase | null;
  readonly news: readonly FrameNews[];
}

/** All events in one list: those of the clinic's backend (orders, webhooks, receipt) and the frame's messages. */
export function WhatHappened({ purchase, news }: WhatHappenedProps) {
  return (
    <ol className={styles.lines} aria-live="polite" aria-label="Qué ha pasado">
      {useArrivalOrder(linesOf(purchase, news)).map((line) => (
        <li key={line.id} data-source={line.source} data-kind={line.kind}>
          <time dateTime={line.at}>{timeOf(line.at)}</time>
          <span>{line.text}</span>
          <span className={styles.source}>{line.source === "clinic" ? "clínica" : "marco"}</span>
        </li>
      ))}
    </ol>
  );
}
