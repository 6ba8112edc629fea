import { ApiError } from "./api-error.ts";

export interface FairQueueOptions {
  /** How many requests are worked on at once. */
  readonly atOnceMax: number;
  /** How many requests of one address may wait. */
  readonly waitingMax: number;
  /** After so long a request counts as one that waits for somebody else, and the next one begins beside it. */
  readonly holdMs: number;
}

/**
 * Requests of callers without a secret begin a few at a time, one address after the other. However many requests a few addresses
 * send, another address waits for one of each of them, and callers with a secret wait for those few that are under way.
 */
export interface FairQueue {
  /** Waits for the request's turn; `leave` ends it, and may be called again. Throws 429 if too many of the address wait. */
  enter(address: string, isGone: () => boolean): Promise<{ readonly leave: () => void }>;
}

const RETRY_SECONDS = 1;

interface Waiting {
  readonly isGone: () => boolean;
  readonly begin: () => void;
}

export function createFairQueue({ atOnceMax, waitingMax, holdMs }: FairQueueOptions): FairQueue {
  let underWay = 0;
  /** In the order of the addresses' turns. */
  const waiting = new Map<string, Waiting[]>();
  const next = (): Waiting | null => {
    for (const [address, requests] of waiting) {
      const first = requests.shift();
      // The address comes behind all others that wait.
      waiting.delete(address);
      if (requests.length > 0) waiting.set(address, requests);
      if (first !== undefined && !first.isGone()) return first;
    }
    return null;
  };
  const begin = () => {
    underWay += 1;
    let isUnderWay = true;
    const leave = () => {
      if (!isUnderWay) return;
      isUnderWay = false;
      clearTimeout(hold);
      underWay -= 1;
      next()?.begin();
    };
    const hold = setTimeout(leave, holdMs);
    hold.unref();
    return { leave };
  };
  return {
    async enter(address, isGone) {
      if (underWay < atOnceMax) return begin();
      const requests = waiting.get(address) ?? [];
      if (requests.length >= waitingMax) throw new ApiError("rate_limited", { retry_after_seconds: RETRY_SECONDS });
      waiting.set(address, requests);
      return new Promise((resolve) => {
        requests.push({ isGone, begin: () => resolve(begin()) });
      });
    },
  };
}
