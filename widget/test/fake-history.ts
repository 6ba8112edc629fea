import type { HistoryEntry, StepHistory } from "../src/checkout/step-history.ts";

export interface FakeHistory extends StepHistory {
  /** The fragments of the entries up to the current one. */
  readonly path: () => string[];
  readonly hasLeft: () => boolean;
  /** Everything that was ever written into it. */
  readonly everything: () => readonly HistoryEntry[];
}

/** A window's history. The page was opened in its second entry, by a patient who acts. */
export function createFakeHistory({ hash = "" } = {}): FakeHistory {
  let entries: (HistoryEntry | null)[] = [null];
  let at = 0;
  const everything: HistoryEntry[] = [];
  const listeners = new Set<() => void>();
  const hashOf = (entry: HistoryEntry | null | undefined) => entry?.screens.at(-1) ?? hash;
  return {
    read: () => hashOf(entries[at]),
    entry: () => entries[at] ?? null,
    replace: (entry) => {
      everything.push(entry);
      entries[at] = entry;
    },
    push: (entry) => {
      everything.push(entry);
      entries = [...entries.slice(0, at + 1), entry];
      at += 1;
    },
    go: (delta) => {
      if (at + delta >= entries.length || at < 0) return;
      at += delta;
      if (at >= 0)
        queueMicrotask(() => {
          for (const listen of listeners) listen();
        });
    },
    onTraversal: (listen) => {
      listeners.add(listen);
      return () => void listeners.delete(listen);
    },
    hasActed: () => true,
    isOnTop: () => true,
    path: () => entries.slice(0, at + 1).map(hashOf),
    hasLeft: () => at < 0,
    everything: () => everything,
  };
}
