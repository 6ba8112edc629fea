import { RETURN_PATH } from "bff/contract/widget-page";
import { OPENS_NO_WINDOW } from "../../embed/in-app-browser.ts";
import { isOurs } from "./is-ours.ts";
import { CHECKOUT_WAITS } from "./messages.ts";
import { rememberWayBack } from "./way-back.ts";

/**
 * Where a link to a page of another leads. Browsers in other apps open no tabs; there the page takes the place of
 * everything: in the place of a frame alone the checkout would be gone, and a page that refuses to be framed not there.
 */
export function pageTarget({ navigator }: Pick<Window, "navigator">): "_top" | "_blank" {
  return OPENS_NO_WINDOW.test(navigator.userAgent) ? "_top" : "_blank";
}

/**
 * Opens a page of another in a tab, on a press. It gets no hold on this page (`opener`), while this one keeps the tab,
 * to learn when it is back. Returns the tab; this window, if the page takes its place; null if none can be had.
 */
export function openPage(window: Window & typeof globalThis, url: string): Window | null {
  const isFramed = window.parent !== window;
  // A tab begins with a copy of it, so that it can continue where this page was closed meanwhile.
  if (!isFramed) rememberWayBack(window, { isInPlace: false });
  const tab = window.open(url, "_blank");
  // A browser without tabs gives this window, or none.
  if (tab === window || (tab === null && !isFramed)) {
    rememberWayBack(window, { isInPlace: true });
    if (tab === null) window.location.assign(url);
    return window;
  }
  if (tab === null) return null;
  tab.opener = null;
  greetWhenBack(window, tab);
  return tab;
}

/** How often a tab is looked at, while its page is away. */
const LOOK_EVERY_MS = 300;

/**
 * Tells the return page in the tab that this page is still open, so that it closes itself; also once the checkout has
 * learned the end from the service, and nothing here waits for the tab any more.
 */
function greetWhenBack(window: Window & typeof globalThis, tab: Window): void {
  const { origin } = window.location;
  const timer = window.setInterval(() => {
    if (tab.closed) window.clearInterval(timer);
    else if (isOurs(tab, origin) && tab.location.pathname.startsWith(RETURN_PATH))
      tab.postMessage(CHECKOUT_WAITS, origin);
  }, LOOK_EVERY_MS);
}
