import type { Happening, Purchase } from "../backend/purchase.ts";
import type { FrameNews } from "./checkout.tsx";
import styles from "./what-happened.module.css";

const ORDER_WORDS: Readonly<Record<string, string>> = {
  pending: "Pendiente",
  partially_paid: "Pagada en parte",
  paid: "Pagada",
  partially_refunded: "Devuelta en parte",
  refunded: "Devuelta",
  cancelled: "Anulada",
};

const CLAIM_WORDS: Readonly<Record<string, string>> = {
  received: "Boleta recibida",
  waiting_order: "Boleta recibida, espera el pago",
  filed: "Reembolso ingresado en la isapre",
  approved: "Reembolso aprobado",
  rejected: "Reembolso rechazado",
  held: "Reembolso detenido: falta un documento",
  access_blocked: "Sin acceso a la isapre",
};

function describe(happening: Happening): string {
  switch (happening.kind) {
    case "order_created":
      return `Orden creada con la referencia ${happening.reference}.`;
    case "order_refused":
      return `El servicio rechazó la orden. ${happening.message}`;
    case "widget_token_minted":
      return "Enlace de pago emitido para este paciente.";
    case "webhook_received":
      return `Webhook ${happening.event} recibido; la firma es correcta.`;
    case "webhook_refused":
      return `Webhook rechazado: ${happening.reason}.`;
    case "receipt_submitted":
      return "Boleta enviada al servicio.";
    case "receipt_refused":
      return `El servicio rechazó la boleta. ${happening.message}`;
    case "claim_changed":
      return `${CLAIM_WORDS[happening.status] ?? happening.status}.`;
  }
}

function timeOf(at: string): string {
  return new Date(at).toLocaleTimeString("es-CL", { hourCycle: "h23" });
}

interface Line {
  readonly at: string;
  readonly source: "clinic" | "frame";
  readonly kind: string;
  readonly text: string;
}

function linesOf(purchase: Purchase | null, news: readonly FrameNews[]): Line[] {
  const clinic = (purchase?.timeline ?? []).map(({ at, happening }): Line => {
    return { at, source: "clinic", kind: happening.kind, text: describe(happening) };
  });
  const frame = news.map(({ at, text }): Line => ({ at, source: "frame", kind: "frame", text }));
  return [...clinic, ...frame].sort((a, b) => a.at.localeCompare(b.at));
}

interface WhatHappenedProps {
  readonly purchase: Purchase | null;
  readonly news: readonly FrameNews[];
}

/** All that both sides learn, in one list: the clinic's back end (orders, webhooks, receipt) and the frame's messages. */
export function WhatHappened({ purchase, news }: WhatHappenedProps) {
  return (
    <aside className={styles.panel} aria-labelledby="what-happened">
      <h2 id="what-happened">Qué ha pasado</h2>
      <dl className={styles.states}>
        <div>
          <dt>Orden</dt>
          <dd data-testid="order-status" data-status={purchase?.orderStatus ?? "none"}>
            {ORDER_WORDS[purchase?.orderStatus ?? ""] ?? "Por crear"}
          </dd>
        </div>
        <div>
          <dt>Reembolso</dt>
          <dd data-testid="claim-status" data-status={purchase?.receiptStatus ?? "none"}>
            {CLAIM_WORDS[purchase?.receiptStatus ?? ""] ?? "Todavía no"}
          </dd>
        </div>
      </dl>
      <ol className={styles.lines} aria-live="polite">
        {linesOf(purchase, news).map((line) => (
          <li key={`${line.at} ${line.source} ${line.text}`} data-source={line.source} data-kind={line.kind}>
            <time dateTime={line.at}>{timeOf(line.at)}</time>
            <span>{line.text}</span>
            <span className={styles.source}>{line.source === "clinic" ? "clínica" : "marco"}</span>
          </li>
        ))}
      </ol>
    </aside>
  );
}
