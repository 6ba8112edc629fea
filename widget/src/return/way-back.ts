/** The page that a patient left for an external one in the same window, as stored in this window. */
export interface WayBack {
  /** The path and query of that page. */
  readonly address: string;
  readonly widgetToken: string;
  /** The external page replaced this one. Otherwise it may be in a tab, with this page still open. */
  readonly isInPlace: boolean;
}

/** The key under which this window stores it. */
export const WAY_BACK = "aapd:way-back";

type Store = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/**
 * The window's session storage: it ends with the window, and no other origin can read it. Null if storage is denied.
 */
export function storeOf(window: { readonly sessionStorage: Store }): Store | null {
  try {
    return window.sessionStorage;
  } catch {
    return null;
  }
}

export type WindowWithStore = Parameters<typeof storeOf>[0] & { readonly location: Location };

/** Stores the patient's position. Without storage the return page shows the state, without a way back. */
export function rememberWayBack(window: WindowWithStore, { isInPlace }: Pick<WayBack, "isInPlace">): void {
  const { pathname, search, hash } = window.location;
  const widgetToken = new URLSearchParams(search).get("widget_token");
  if (widgetToken === null) return;
  const wayBack: WayBack = { address: `${pathname}${search}${hash}`, widgetToken, isInPlace };
  try {
    storeOf(window)?.setItem(WAY_BACK, JSON.stringify(wayBack));
  } catch {
    // The storage is full or denied.
  }
}

export function forgetWayBack(window: WindowWithStore): void {
  storeOf(window)?.removeItem(WAY_BACK);
}
