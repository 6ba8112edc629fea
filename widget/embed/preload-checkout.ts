import { createFrame } from "./checkout-frame.ts";

/** The address of a checkout that is loaded before anybody sees it: `mountCheckout` takes it as its `url`. */
export type PreloadedCheckout = URL & {
  readonly frame: HTMLIFrameElement;
  /**
   * Moves the frame into `parent`, once. Returns false if it has to load again: it was taken over or dropped, or the
   * browser cannot move a frame without reloading it.
   */
  takeTo: (parent: Element) => boolean;
  /** Takes it away, unless it was taken over. */
  drop: () => void;
};

declare global {
  interface Navigator {
    /** Not in every browser. */
    readonly connection?: { readonly saveData?: boolean };
  }
}

/** After this time an unopened checkout is dropped. */
const KEPT_MS = 120_000;

/**
 * Loads the checkout at `url` in a hidden, inert, silent frame that changes nothing at the service. Call it when the
 * patient is about to open the checkout (pointer over the button, or focus on it). Loads nothing for patients who save
 * data, nor on a page in the background. Throws a `TypeError` if `url` is no web address.
 *
 * @example
 * button.addEventListener("pointerenter", () => (checkout ??= preloadCheckout(url)));
 * button.addEventListener("click", () => mountCheckout(container, { url: checkout ?? url }));
 */
export const preloadCheckout = (url: string): PreloadedCheckout => {
  const address = new URL(url, document.baseURI);
  if (!/^https?:$/.test(address.protocol)) throw new TypeError("Not a web address.");
  const frame = createFrame(document);
  let isLoaded = false;
  let isFree = true;
  const drop = (): void => {
    stop();
    frame.remove();
  };
  const onHidden = (): void => {
    if (document.hidden) drop();
  };
  const timer = setTimeout(drop, KEPT_MS);
  const stop = (): void => {
    clearTimeout(timer);
    document.removeEventListener("visibilitychange", onHidden);
  };
  document.addEventListener("visibilitychange", onHidden);
  address.searchParams.set("preload", "1");
  frame.src = address.href;
  frame.inert = true;
  frame.style.cssText = "position:fixed;inset:0;width:min(480px,100%);height:640px;visibility:hidden";
  frame.addEventListener("load", () => (isLoaded = true), { once: true });
  if (navigator.connection?.saveData || document.hidden) stop();
  else document.body.append(frame);

  return Object.assign(new URL(url, document.baseURI), {
    frame,
    drop,
    takeTo: (parent: Element): boolean => {
      stop();
      const canMove = isFree && frame.isConnected && "moveBefore" in parent;
      isFree = false;
      if (canMove) (parent as Element & { moveBefore: (node: Node, before: null) => void }).moveBefore(frame, null);
      frame.inert = false;
      frame.removeAttribute("style");
      if (canMove && isLoaded) frame.dispatchEvent(new Event("load"));
      return canMove;
    },
  });
};
