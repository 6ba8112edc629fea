import { type Facts, isReachable, isStepName, type StepName } from "./steps.ts";

/** An entry of the browser's history that this page has written. */
export interface HistoryEntry {
  /** Counts the entries since the one in which the page was opened, which is 0. */
  readonly index: number;
  /** The screens from the first one to that of this entry. */
  readonly screens: readonly string[];
}

/** The browser's history, as far as it belongs to this page. In a frame it is shared with the embedding page. */
export interface StepHistory {
  /** The step in the page's address; empty if there is none. */
  readonly read: () => string;
  /** Null in an entry that the page has not written yet. */
  readonly entry: () => HistoryEntry | null;
  readonly replace: (entry: HistoryEntry) => void;
  readonly push: (entry: HistoryEntry) => void;
  readonly go: (delta: number) => void;
  readonly onTraversal: (listen: () => void) => () => void;
  /** Whether the patient has acted. An entry added before would be skipped by Back, or trap it. */
  readonly hasActed: () => boolean;
  /** Whether no other page has added an entry after this page's, so that `go` only passes this page's own. */
  readonly isOnTop: () => boolean;
}

/**
 * The entry of a screen that has appeared, and whether it is a new one. A screen that the entry has already passed
 * reuses the entry, because the patient went back.
 */
export function entryOf(
  screen: string,
  before: HistoryEntry | null,
  hasActed: boolean,
): { readonly entry: HistoryEntry; readonly isNew: boolean } {
  if (before === null) return { entry: { index: 0, screens: [screen] }, isNew: false };
  const { index, screens } = before;
  const at = screens.indexOf(screen);
  if (at !== -1) return { entry: { index, screens: screens.slice(0, at + 1) }, isNew: false };
  if (!hasActed) return { entry: { index, screens: [...screens.slice(0, -1), screen] }, isNew: false };
  return { entry: { index: index + 1, screens: [...screens, screen] }, isNew: true };
}

/**
 * The step that Back or Forward leads to. Null if that entry has nothing else to show; then continue to the next entry
 * in the same direction. Back skips completed steps that cannot be changed.
 */
export function stepOfEntry(
  { screens }: HistoryEntry,
  {
    isBack,
    screen,
    steps,
    facts,
  }: {
    readonly isBack: boolean;
    readonly screen: string;
    readonly steps: readonly StepName[];
    readonly facts: Facts;
  },
): StepName | null {
  const reachable = (name: string | undefined): name is StepName =>
    name !== undefined && isStepName(name) && isReachable(name, steps, facts);
  const step = isBack ? screens.findLast(reachable) : screens.at(-1);
  return reachable(step) && step !== screen ? step : null;
}
