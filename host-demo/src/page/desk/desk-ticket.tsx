import { useEffect, useState } from "react";
import type { Purchase } from "../../backend/purchase.ts";
import { soldIn } from "../../scenarios/services.ts";
import { ORDER_WORDS, wordsFor } from "../../scenarios/step-words.ts";
import { codeAgain, type DeskCode, mailCheckout, watchPurchase, wordsOf } from "../clinic-api.ts";
import { pesos } from "../pesos.ts";
import styles from "./desk.module.css";

interface DeskTicketProps {
  readonly id: string;
  /** The code of a purchase that was begun on this screen; null asks for another. */
  readonly firstCode: DeskCode | null;
  /** The patient starts here, at the desk's screen, and may continue on the phone with the same code. */
  readonly onOpenHere: (id: string, url: string) => void;
}

const PAYABLE: readonly (string | null)[] = [null, "pending"];

/** One payment at the desk: its code while it waits, then its state. */
export function DeskTicket({ id, firstCode, onOpenHere }: DeskTicketProps) {
  const [purchase, setPurchase] = useState<Purchase | null>(null);
  const [isUnknown, setUnknown] = useState(false);
  useEffect(() => watchPurchase(id, setPurchase, () => setUnknown(true)), [id]);

  if (purchase === null) {
    return isUnknown ? (
      <div className={styles.desk}>
        <h1 className={styles.title}>Cobra en el mesón</h1>
        <p role="alert">No encontramos este cobro.</p>
        <a href="#/meson">Hacer otro cobro</a>
      </div>
    ) : null;
  }
  const isWaiting = PAYABLE.includes(purchase.orderStatus);
  return (
    <div className={styles.desk}>
      <h1 className={styles.title}>
        {pesos(soldIn(purchase)?.priceClp ?? 0)} de {purchase.firstName} {purchase.lastName}
      </h1>
      <p className={styles.lead}>Referencia {purchase.reference}</p>
      <div className={styles.card}>
        <p role="status" className={styles.state} data-waiting={isWaiting}>
          <strong>{isWaiting ? "Esperando el pago" : wordsFor(ORDER_WORDS, purchase.orderStatus, "")}</strong>
          <span>{stateText(purchase)}</span>
        </p>
        {isWaiting && <Ways purchase={purchase} firstCode={firstCode} onOpenHere={onOpenHere} />}
      </div>
      <p className={styles.links}>
        <a href="#/meson">Hacer otro cobro</a>
      </p>
    </div>
  );
}

function stateText({ orderStatus, firstName }: Purchase): string {
  if (orderStatus === "paid") return `Listo: ${firstName} pagó su parte de hoy, y la clínica recibió el aviso firmado.`;
  if (PAYABLE.includes(orderStatus)) return "Esta pantalla cambia sola cuando el paciente paga.";
  return "No queda nada por cobrar aquí.";
}

interface WaysProps {
  readonly purchase: Purchase;
  readonly firstCode: DeskCode | null;
  readonly onOpenHere: DeskTicketProps["onOpenHere"];
}

/** How the patient opens the checkout while there is something to pay. */
function Ways({ purchase, firstCode, onOpenHere }: WaysProps) {
  const { code, isOver, failure, renew } = useCode(purchase.id, firstCode);
  return (
    <>
      {code !== null && !isOver && (
        <>
          <img
            className={styles.code}
            src={`data:image/svg+xml,${encodeURIComponent(code.qrSvg)}`}
            alt="Código QR para pagar en el teléfono"
          />
          <p className={styles.hint}>
            Pide al paciente que lo escanee con la cámara de su teléfono. Sirve por {code.validMinutes} minutos.
          </p>
        </>
      )}
      {isOver && <p className={styles.hint}>Este código venció.</p>}
      {isOver && (
        <button type="button" className={styles.primary} onClick={renew}>
          Mostrar un código nuevo
        </button>
      )}
      {failure !== null && (
        <p role="alert" className={styles.failure}>
          {failure}
        </p>
      )}
      <Mail purchase={purchase} />
      {code !== null && !isOver && (
        <button type="button" className={styles.secondary} onClick={() => onOpenHere(purchase.id, code.url)}>
          Abrir el pago en esta pantalla
        </button>
      )}
    </>
  );
}

/** The code on the screen, until it expires. */
function useCode(id: string, firstCode: DeskCode | null) {
  const [code, setCode] = useState(firstCode);
  const [isOver, setOver] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const [asked, setAsked] = useState(firstCode === null ? 1 : 0);

  useEffect(() => {
    if (asked === 0) return undefined;
    let isGone = false;
    codeAgain(id).then(
      (fresh) => {
        if (isGone) return;
        setCode(fresh);
        setOver(false);
        setFailure(null);
      },
      (error: unknown) => {
        if (!isGone) setFailure(wordsOf(error));
      },
    );
    return () => {
      isGone = true;
    };
  }, [id, asked]);
  useEffect(() => {
    if (code === null) return undefined;
    const timer = setTimeout(() => setOver(true), code.validMinutes * 60_000);
    return () => clearTimeout(timer);
  }, [code]);

  return { code, isOver, failure, renew: () => setAsked((before) => before + 1) };
}

function Mail({ purchase }: { readonly purchase: Purchase }) {
  const [state, setState] = useState<"unsent" | "sending" | "sent">("unsent");
  const [failure, setFailure] = useState<string | null>(null);

  async function send(): Promise<void> {
    setState("sending");
    setFailure(null);
    try {
      await mailCheckout(purchase.id);
      setState("sent");
    } catch (error) {
      setFailure(wordsOf(error));
      setState("unsent");
    }
  }

  return (
    <div className={styles.mail}>
      <button type="button" className={styles.secondary} disabled={state === "sending"} onClick={() => void send()}>
        {state === "sent" ? "Enviar otra vez por correo" : "Enviar por correo"}
      </button>
      <p role="status" className={styles.hint}>
        {state === "sent" ? `Enviado a ${purchase.email}.` : `A ${purchase.email}, el correo de la orden.`}
      </p>
      {failure !== null && (
        <p role="alert" className={styles.failure}>
          {failure}
        </p>
      )}
    </div>
  );
}
