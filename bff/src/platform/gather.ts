export interface GatherOptions<Item, Result> {
  /** How many pieces of work may be under way at once; what comes meanwhile is gathered into the next. */
  readonly underWayMax: number;
  readonly itemsMax: number;
  /** Does the work for all items and answers for each of them, in their order. */
  readonly run: (items: readonly Item[]) => Promise<readonly Result[]>;
}

/**
 * Gathers what comes in one turn of the event loop, and what comes while the same work is under way, and does it together:
 * nothing waits longer than the turn when there is little to do, and much is done at the price of little. Each caller gets
 * the answer to its own item, once the work is done; where the work fails, all of its items fail.
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
        void work();
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

/** Thrown when gathered work answers for fewer items than it was given: a defect. */
class NotAnswered extends Error {
  override readonly name = "NotAnswered";
}
