import { isOurs } from "./is-ours.ts";
import { CHECKOUT_WAITS, PAGE_ENDED } from "./messages.ts";
import { storeOf, WAY_BACK, type WayBack, type WindowWithStore } from "./way-back.ts";

/** The window of the return page, and the windows around it. */
export interface ReturnWindow {
  /**
   * The page that the patient left in this window; null if the window started as the external page's tab, or has no
   * storage.
   */
  readonly wayBack: () => WayBack | null;
  /**
   * Notifies a waiting checkout, which frames this page or opened its tab, that the external page has ended. Calls
   * `onNotified` for each. Returns a function that stops listening.
   */
  readonly notifyCheckout: (onNotified: () => void) => () => void;
  /** Closes the window, if the browser lets it. */
  readonly close: () => void;
  readonly goTo: (address: string) => void;
}

export function createReturnWindow(window: Window & WindowWithStore): ReturnWindow {
  const { origin } = window.location;
  return {
    wayBack: () => readWayBack(window),
    notifyCheckout(onNotified) {
      const framing = framesOfOurs(window);
      for (const frame of framing) frame.postMessage(PAGE_ENDED, origin);
      if (framing.length > 0) onNotified();
      function receive({ origin: from, data, source }: MessageEvent<unknown>): void {
        if (from !== origin || data !== CHECKOUT_WAITS || source === null) return;
        source.postMessage(PAGE_ENDED, { targetOrigin: origin });
        onNotified();
      }
      window.addEventListener("message", receive);
      return () => window.removeEventListener("message", receive);
    },
    close: () => window.close(),
    goTo: (address) => window.location.replace(address),
  };
}

export function readWayBack(window: WindowWithStore): WayBack | null {
  const kept = storeOf(window)?.getItem(WAY_BACK) ?? null;
  return kept === null ? null : (JSON.parse(kept) as WayBack);
}

/** Parent windows of our origin. A page of the card processor may be in between. */
function framesOfOurs(window: Window): readonly Window[] {
  const around: Window[] = [];
  for (let frame = window; frame !== frame.parent; frame = frame.parent) {
    if (isOurs(frame.parent, window.location.origin)) around.push(frame.parent);
  }
  return around;
}
