/** Runs a few tasks at once. Owners take turns, so that an owner with many tasks delays only itself. */
export interface FairQueue {
  /**
   * Runs `work` when it is the owner's turn. `leave` lets the next task start before this one ends. Throws `QueueFull`
   * if too many tasks of this owner wait.
   */
  run<Result>(owner: string, work: (leave: () => void) => Promise<Result>): Promise<Result>;
}

export interface FairQueueOptions {
  /** How many tasks run at once. */
  readonly atOnceMax: number;
  /** How many tasks of one owner may wait. */
  readonly waitingMax: number;
  /** The next task starts after this many milliseconds, even if none has ended. */
  readonly heldMsMax?: number;
}

/** Thrown when too many tasks of one owner are already waiting. */
export class QueueFull extends Error {
  override readonly name = "QueueFull";
  readonly code = "queue_full";
}

export function createFairQueue({ atOnceMax, waitingMax, heldMsMax }: FairQueueOptions): FairQueue {
  let running = 0;
  /** The owner whose turn is next comes first. */
  const waiting = new Map<string, (() => void)[]>();
  const startNext = () => {
    const [next] = waiting;
    if (next === undefined) {
      running -= 1;
      return;
    }
    const [owner, starts] = next;
    const start = starts.shift();
    waiting.delete(owner);
    if (starts.length > 0) waiting.set(owner, starts);
    start?.();
  };
  const turnOf = (owner: string): Promise<void> => {
    const starts = waiting.get(owner) ?? [];
    if (starts.length >= waitingMax) return Promise.reject(new QueueFull("Too much work of this owner waits."));
    waiting.set(owner, starts);
    return new Promise((resolve) => starts.push(resolve));
  };
  return {
    async run(owner, work) {
      if (running >= atOnceMax) await turnOf(owner);
      else running += 1;
      let isHeld = true;
      const leave = () => {
        clearTimeout(timer);
        if (isHeld) startNext();
        isHeld = false;
      };
      const timer = heldMsMax === undefined ? undefined : setTimeout(leave, heldMsMax);
      try {
        return await work(leave);
      } finally {
        leave();
      }
    },
  };
}
