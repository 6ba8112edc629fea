import type { HistoryEntry, StepHistory } from "../checkout/step-history.ts";

/** The history of this window. Entries carry the page's present query, so that a reload of any has its fresh token. */
export function createBrowserHistory(window: Window): StepHistory & { readonly keepSearch: (search: string) => void } {
  const { history, location, navigator } = window;
  let { search } = location;
  /** The length after the last entry that was added here; in a frame every page's entries count. */
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
