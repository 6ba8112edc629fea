import { type RefObject, useEffect, useState } from "react";
import { mintAgain, wordsOf } from "../clinic-api.ts";
import { loadEmbedKit } from "./embed-kit.ts";
import { type LoggedMessage, logMessage } from "./message-log.ts";

/** One thing that the frame told the page; shown as it comes. */
export interface FrameNews {
  readonly id: number;
  readonly at: string;
  readonly text: string;
}

export interface CheckoutTalk {
  readonly news: readonly FrameNews[];
  readonly messages: readonly LoggedMessage[];
  readonly failure: string | null;
}

export interface CheckoutPlace {
  readonly container: RefObject<HTMLElement | null>;
  readonly purchaseId: string;
  readonly widgetHostUrl: string;
  /** Known when this page has just begun the purchase; null asks the clinic for a fresh one. */
  readonly firstUrl: string | null;
  /** False: there is nothing to pay, and no frame. */
  readonly isWanted: boolean;
  readonly onClose: () => void;
}

/** Puts the checkout into the container, as long as it is wanted, and keeps what it says. What it says is a hint. */
export function useCheckout(place: CheckoutPlace): CheckoutTalk {
  const { container, purchaseId, widgetHostUrl, firstUrl, isWanted, onClose } = place;
  const [news, setNews] = useState<readonly FrameNews[]>([]);
  const [messages, setMessages] = useState<readonly LoggedMessage[]>([]);
  const [failure, setFailure] = useState<string | null>(null);

  useEffect(() => {
    const element = container.current;
    if (element === null || !isWanted) return undefined;
    const told = (text: string) =>
      setNews((before) => [...before, { id: before.length, at: new Date().toISOString(), text }]);
    let isGone = false;
    let unmount = (): void => undefined;
    const requestToken = async () => (await mintAgain(purchaseId)).url;

    Promise.all([loadEmbedKit(widgetHostUrl), firstUrl ?? requestToken()]).then(
      ([{ mountCheckout }, url]) => {
        if (isGone) return;
        const mounted = mountCheckout(element, {
          url,
          locale: "es-CL",
          requestToken,
          onReady: () => told("El marco está listo."),
          onStep: ({ name, index, count }) => told(`Paso ${index} de ${count}: ${name}.`),
          onComplete: ({ kind }) =>
            told(`El marco avisa: ${kind === "payment" ? "pago completo" : "registro completo"}.`),
          onError: (error) =>
            told(`El marco avisa un problema: ${error.type === "error" ? error.code : error.reason}.`),
          onClose,
          inspect: (direction, what) => setMessages((log) => logMessage(log, direction, what, new Date())),
        });
        unmount = () => mounted.destroy();
      },
      (error: unknown) => setFailure(wordsOf(error)),
    );
    return () => {
      isGone = true;
      unmount();
    };
  }, [container, purchaseId, firstUrl, widgetHostUrl, isWanted, onClose]);

  return { news, messages, failure };
}
