import { inSpan } from "./tracing/tracing.ts";

export interface GatherOptions<Item, Result> {
  /** The maximum number of concurrent runs. Items that arrive meanwhile wait for the next run. */
  readonly underWayMax: number;
  readonly itemsMax: number;
  /** Does the work for all items and returns their results in the same order. */
  readonly run: (items: readonly Item[]) => Promise<readonly Result[]>;
}

/**
 * Gathers items that arrive within one turn of the event loop, or during earlier runs, and processes them in one run.
 * Under low load no item waits longer than that turn; under high load many items cost little more than one. Each caller
 * gets its own item's result when the run ends; if the run fails, all its items fail.
 */
export function gather<Item, Result>(options: GatherOptions<Item, Result>): (item: Item) => Promise<Result> {
  const { underWayMax, itemsMax, run } = options;
  const waiting: Waiting<Item, Result>[] = [];
  let underWay = 0;
  let isTurnAwaited = false;
  const work = async () => {
    underWay += 1;
    while (waiting.length > 0) await answerAll(waiting.splice(0, itemsMax), run);
    underWay -= 1;
  };
  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (isTurnAwaited || underWay === underWayMax) return;
      isTurnAwaited = true;
      setImmediate(() => {
        isTurnAwaited = false;
        // Work for several callers belongs to none of them.
        void inSpan(null, work);
      });
    });
}

async function answerAll<Item, Result>(
  taken: readonly Waiting<Item, Result>[],
  run: GatherOptions<Item, Result>["run"],
): Promise<void> {
  try {
    const results = await run(taken.map(({ item }) => item));
    taken.forEach(({ resolve, reject }, index) => {
      const result = results[index];
      if (result === undefined) reject(new NotAnswered("The work has no answer for one of its items."));
      else resolve(result);
    });
  } catch (error) {
    for (const { reject } of taken) reject(error);
  }
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** Thrown when a run returns fewer results than it was given items: a defect. */
class NotAnswered extends Error {
  override readonly name = "NotAnswered";
}
