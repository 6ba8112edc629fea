import type { HistoryEntry, StepHistory } from "../checkout/step-history.ts";

/**
 * The history of this window. Each entry has the page's current query, so that reloading any of them uses the fresh
 * token.
 */
export function createBrowserHistory(window: Window): StepHistory & { readonly keepSearch: (search: string) => void } {
  const { history, location, navigator } = window;
  let { search } = location;
  /** The history's length after the last entry added here. In a frame, entries of every page count. */
  let lengthWithOwn = history.length;
  const write = (how: "pushState" | "replaceState", entry: HistoryEntry): void =>
    history[how]({ aapd: entry }, "", `${search}#${entry.screens.at(-1) ?? ""}`);
  return {
    read: () => location.hash.slice(1),
    entry: () => (history.state as { readonly aapd?: HistoryEntry } | null)?.aapd ?? null,
    replace: (entry) => write("replaceState", entry),
    push: (entry) => {
      write("pushState", entry);
      lengthWithOwn = history.length;
    },
    go: (delta) => history.go(delta),
    onTraversal: (listen) => {
      window.addEventListener("popstate", listen);
      return () => window.removeEventListener("popstate", listen);
    },
    hasActed: () => navigator.userActivation.hasBeenActive,
    isOnTop: () => window.parent === window || history.length === lengthWithOwn,
    keepSearch: (kept) => {
      search = kept;
      history.replaceState(history.state, "", `${search}${location.hash}`);
    },
  };
}
