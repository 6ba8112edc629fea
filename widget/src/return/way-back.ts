/** The page that a patient left for another's in the same window, as this window remembers it. */
export interface WayBack {
  /** The address of that page, from its path on. */
  readonly address: string;
  readonly widgetToken: string;
  /** The other page took this one's place. Otherwise it may be in a tab, beside the page that was left. */
  readonly isInPlace: boolean;
}

/** By what this window remembers it. */
export const WAY_BACK = "aapd:way-back";

type Store = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** The window's own store: it ends with the window, and no other origin reads it. Null where storage is denied. */
export function storeOf(window: { readonly sessionStorage: Store }): Store | null {
  try {
    return window.sessionStorage;
  } catch {
    return null;
  }
}

export type WindowWithStore = Parameters<typeof storeOf>[0] & { readonly location: Location };

/** Remembers where the patient is. Without storage the return page says how things stand, and leads nowhere. */
export function rememberWayBack(window: WindowWithStore, { isInPlace }: Pick<WayBack, "isInPlace">): void {
  const { pathname, search, hash } = window.location;
  const widgetToken = new URLSearchParams(search).get("widget_token");
  if (widgetToken === null) return;
  const wayBack: WayBack = { address: `${pathname}${search}${hash}`, widgetToken, isInPlace };
  try {
    storeOf(window)?.setItem(WAY_BACK, JSON.stringify(wayBack));
  } catch {
    // Full, or denied after all.
  }
}

export function forgetWayBack(window: WindowWithStore): void {
  storeOf(window)?.removeItem(WAY_BACK);
}
