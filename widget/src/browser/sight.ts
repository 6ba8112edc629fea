import { PRELOAD_PARAMETER } from "bff/contract/widget-page";

/** Whether anybody sees this page yet: it may have been prerendered by the browser, or preloaded in a hidden frame. */
export interface Sight {
  readonly isSeen: () => boolean;
  /** It was fetched before anybody saw it, so that the service does not know yet that it is seen. */
  readonly wasUnseen: boolean;
  /** Resolves once it is seen. */
  readonly seen: Promise<void>;
  /** The page around has said hello: it shows the frame. */
  readonly shownByHost: () => void;
}

export interface SightOptions {
  readonly window: Pick<Window, "location"> & { readonly parent: unknown };
  readonly document: Pick<Document, "addEventListener"> & { readonly prerendering?: boolean };
  /** What the server took the page for. */
  readonly unseen: boolean;
}

/** `prefetch` alone says nothing of the page: by the time that its scripts run it is shown. */
export function createSight({ window, document, unseen }: SightOptions): Sight {
  const wasUnseen = unseen || document.prerendering === true;
  let isShown = !(unseen && isPreloaded(window));
  let isPrerendering = document.prerendering === true;
  let isSeen = false;
  let resolve = (): void => undefined;
  const seen = new Promise<void>((resolveSeen) => {
    resolve = resolveSeen;
  });
  function look(): void {
    isSeen = isShown && !isPrerendering;
    if (isSeen) resolve();
  }
  look();
  if (isPrerendering) {
    document.addEventListener("prerenderingchange", () => {
      isPrerendering = false;
      look();
    });
  }
  function show(): void {
    isShown = true;
    look();
  }
  // A page around that is not the kit may show the frame without a word: who presses in it sees it.
  for (const press of ["pointerdown", "keydown"]) document.addEventListener(press, show, { once: true });
  return { isSeen: () => isSeen, wasUnseen, seen, shownByHost: show };
}

function isPreloaded(window: SightOptions["window"]): boolean {
  return window.parent !== window && new URLSearchParams(window.location.search).has(PRELOAD_PARAMETER);
}
