import { createFrame } from "./checkout-frame.ts";

/** A checkout that is loaded before it is visible. Pass it to `mountCheckout` as `url`. */
export type PreloadedCheckout = URL & {
  readonly frame: HTMLIFrameElement;
  /**
   * Moves the frame into `parent`, once. Returns false if the checkout must load again: the frame was moved or dropped
   * before, or the browser cannot move frames without reloading them.
   */
  takeTo: (parent: Element) => boolean;
  /** Removes the frame, unless `takeTo` has moved it. */
  drop: () => void;
};

declare global {
  interface Navigator {
    /** Not available in every browser. */
    readonly connection?: { readonly saveData?: boolean };
  }
}

/** After this time an unopened checkout is dropped. */
const KEPT_MS = 120_000;

/**
 * Loads the checkout at `url` in a hidden, inert frame that sends no messages and changes nothing in the service. Call
 * it when the patient is about to open the checkout (pointer over the button, or focus on it). Loads nothing if the
 * patient saves data, or if the page is in the background. Throws a `TypeError` if `url` is not a web address.
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
