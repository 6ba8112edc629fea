import { type RefObject, useEffect, useState } from "react";
import { CHECKOUT_STEP_WORDS, wordsFor } from "../../scenarios/step-words.ts";
import { mintAgain, wordsOf } from "../clinic-api.ts";
import { type CheckoutAddress, loadEmbedKit } from "./embed-kit.ts";
import { type LoggedMessage, logMessage } from "./message-log.ts";

/** A message of the frame to the page, with the moment at which it arrived. */
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
  /** The frame's URL if this page has just begun the purchase; null requests a new one from the clinic. */
  readonly firstUrl: CheckoutAddress | null;
  /** False if there is nothing to pay, so that no frame is shown. */
  readonly isWanted: boolean;
  readonly onClose: () => void;
}

/** Mounts the checkout in the container while it is wanted, and collects its messages, which are only hints. */
export function useCheckout(place: CheckoutPlace): CheckoutTalk {
  const { container, purchaseId, widgetHostUrl, firstUrl, isWanted, onClose } = place;
  const [news, setNews] = useState<readonly FrameNews[]>([]);
  const [messages, setMessages] = useState<readonly LoggedMessage[]>([]);
  const [failure, setFailure] = useState<string | null>(null);

  useEffect(() => {
    const element = container.current;
    if (element === null || !isWanted) return undefined;
    const report = (text: string) =>
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
          onReady: () => report("El marco está listo."),
          onStep: ({ name, index, count }) =>
            report(`Paso ${index} de ${count}: ${wordsFor(CHECKOUT_STEP_WORDS, name, "")}.`),
          onComplete: ({ kind }) =>
            report(`El marco avisa: ${kind === "payment" ? "pago completo" : "registro completo"}.`),
          onError: (error) =>
            report(`El marco avisa un problema: ${error.type === "error" ? error.code : error.reason}.`),
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
