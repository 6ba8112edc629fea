import { RETURN_PATH } from "bff/contract/widget-page";
import { OPENS_NO_WINDOW } from "../../embed/in-app-browser.ts";
import { isOurs } from "./is-ours.ts";
import { CHECKOUT_WAITS } from "./messages.ts";
import { rememberWayBack } from "./way-back.ts";

/**
 * The link target for an external page. In-app browsers open no tabs, so the page replaces the whole window: in the
 * frame alone, it would replace the checkout and might refuse to be framed.
 */
export function pageTarget({ navigator }: Pick<Window, "navigator">): "_top" | "_blank" {
  return OPENS_NO_WINDOW.test(navigator.userAgent) ? "_top" : "_blank";
}

/**
 * Opens an external page in a tab, on a press. The tab gets no `opener`; this page keeps the tab to detect its return.
 * Without a `url` the tab is empty, and this page stays where none opens. Returns the tab, this window if the page
 * replaces it, or null if no window opens.
 */
export function openPage(window: Window & typeof globalThis, url: string): Window | null {
  const isFramed = window.parent !== window;
  // The tab starts with a copy of this storage, so it can continue if this page is closed meanwhile.
  if (!isFramed) rememberWayBack(window, { isInPlace: false });
  const tab = window.open(url, "_blank");
  // A browser without tabs returns this window, or null.
  if (tab === window || (tab === null && url && !isFramed)) {
    rememberWayBack(window, { isInPlace: true });
    if (tab === null) window.location.assign(url);
    return window;
  }
  if (tab === null) return null;
  tab.opener = null;
  greetWhenBack(window, tab);
  return tab;
}

/** Polling interval for a tab with an external page. */
const LOOK_EVERY_MS = 300;

/**
 * Notifies the return page in the tab that this page is still open, so that it closes itself. It keeps doing so after
 * the checkout knows the outcome and no longer waits for the tab.
 */
function greetWhenBack(window: Window & typeof globalThis, tab: Window): void {
  const { origin } = window.location;
  const timer = window.setInterval(() => {
    if (tab.closed) window.clearInterval(timer);
    else if (isOurs(tab, origin) && tab.location.pathname.startsWith(RETURN_PATH))
      tab.postMessage(CHECKOUT_WAITS, origin);
  }, LOOK_EVERY_MS);
}
