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
  /** Calls back at each act of the patient on the visible page: a press, a key, a touch or a turn of the wheel. */
  readonly onAct: (act: () => void) => void;
}

export interface SightOptions {
  readonly window: Pick<Window, "location"> & { readonly parent: unknown };
  readonly document: Pick<Document, "addEventListener" | "visibilityState"> & { readonly prerendering?: boolean };
  /** What the server took the page for. */
  readonly unseen: boolean;
}

/**
 * What only a person brings about. A script can scroll, and so cause `scroll`, but not turn the wheel; a screen reader
 * presses by `click` alone.
 */
const ACTS = ["pointerdown", "keydown", "wheel", "click"] as const;

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
  function onAct(act: () => void): void {
    const listen = (event: Event): void => {
      // An event that a script has made is not trusted.
      if (event.isTrusted && isSeen && document.visibilityState === "visible") act();
    };
    for (const name of ACTS) document.addEventListener(name, listen, { capture: true, passive: true });
  }
  return { isSeen: () => isSeen, wasUnseen, seen, shownByHost: show, onAct };
}

function isPreloaded(window: SightOptions["window"]): boolean {
  return window.parent !== window && new URLSearchParams(window.location.search).has(PRELOAD_PARAMETER);
}
