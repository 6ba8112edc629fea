import { isOurs } from "./is-ours.ts";
import { CHECKOUT_WAITS, PAGE_ENDED } from "./messages.ts";
import { storeOf, WAY_BACK, type WayBack, type WindowWithStore } from "./way-back.ts";

/** The window of the return page, and who is around it. */
export interface ReturnWindow {
  /**
   * Where the patient came from in this window; null if it began as the tab of another's page, or does not remember.
   */
  readonly wayBack: () => WayBack | null;
  /**
   * Tells a checkout that waits for this page that the other's page has ended: the one that frames it, or the one that
   * opened this tab. `onTold` hears of each. Returns how to stop listening.
   */
  readonly tellCheckout: (onTold: () => void) => () => void;
  /** Closes the window, if the browser lets it. */
  readonly close: () => void;
  readonly goTo: (address: string) => void;
}

export function createReturnWindow(window: Window & WindowWithStore): ReturnWindow {
  const { origin } = window.location;
  return {
    wayBack: () => readWayBack(window),
    tellCheckout(onTold) {
      const framing = framesOfOurs(window);
      for (const frame of framing) frame.postMessage(PAGE_ENDED, origin);
      if (framing.length > 0) onTold();
      function receive({ origin: from, data, source }: MessageEvent<unknown>): void {
        if (from !== origin || data !== CHECKOUT_WAITS || source === null) return;
        source.postMessage(PAGE_ENDED, { targetOrigin: origin });
        onTold();
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

/** The windows of our own origin around this one. A page of the card processor may stand between. */
function framesOfOurs(window: Window): readonly Window[] {
  const around: Window[] = [];
  for (let frame = window; frame !== frame.parent; frame = frame.parent) {
    if (isOurs(frame.parent, window.location.origin)) around.push(frame.parent);
  }
  return around;
}
