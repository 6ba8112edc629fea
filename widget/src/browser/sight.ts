import { PRELOAD_PARAMETER } from "bff/contract/widget-page";

/** Whether this page is visible yet. The browser may have prerendered it, or a hidden frame may have preloaded it. */
export interface Sight {
  readonly isSeen: () => boolean;
  /** True if the page was fetched before it was visible, so that the service does not know yet that it is. */
  readonly wasUnseen: boolean;
  /** Resolves once the page is visible. */
  readonly seen: Promise<void>;
  /** Call it when the embedding page has sent `hello`, because then it shows the frame. */
  readonly shownByHost: () => void;
  /** Calls back at each action of the patient on the visible page: a press, a key, a touch or a turn of the wheel. */
  readonly onAct: (act: () => void) => void;
}

export interface SightOptions {
  readonly window: Pick<Window, "location"> & { readonly parent: unknown };
  readonly document: Pick<Document, "addEventListener" | "visibilityState"> & { readonly prerendering?: boolean };
  /** The server's assumption about the page. */
  readonly unseen: boolean;
}

/**
 * Events that only a person causes. A script can scroll, which fires `scroll`, but cannot turn the wheel. A screen
 * reader presses by `click` alone.
 */
const ACTS = ["pointerdown", "keydown", "wheel", "click"] as const;

/** `prefetch` alone proves nothing, because the page is visible by the time its scripts run. */
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
  // An embedding page without the kit may show the frame without a message. A press inside proves that it is visible.
  for (const press of ["pointerdown", "keydown"]) document.addEventListener(press, show, { once: true });
  function onAct(act: () => void): void {
    const listen = (event: Event): void => {
      // Events created by scripts are not trusted.
      if (event.isTrusted && isSeen && document.visibilityState === "visible") act();
    };
    for (const name of ACTS) document.addEventListener(name, listen, { capture: true, passive: true });
  }
  return { isSeen: () => isSeen, wasUnseen, seen, shownByHost: show, onAct };
}

function isPreloaded(window: SightOptions["window"]): boolean {
  return window.parent !== window && new URLSearchParams(window.location.search).has(PRELOAD_PARAMETER);
}
