import type { LoadErrorReason } from "./protocol.ts";

/** How long the checkout may take to show its first screen before it is loaded again, and then given up. */
export const LOAD_TIMEOUT_MS = 10_000;
/** Loads without the patient asking: the first, and one retry. */
const LOAD_ATTEMPTS_MAX = 2;

export type LoadWatch = {
  /** Waits from now on for `ready`. */
  begin: () => void;
  /** The iframe's `load` event: from now on the reason is no longer that nothing came. */
  loaded: () => void;
  /** The checkout is up: nothing more is waited for, and a later reload has all its attempts again. */
  ready: () => void;
  /** Gives up at once, for reasons that another attempt would not change. */
  fail: (reason: LoadErrorReason) => void;
  stop: () => void;
};

export type LoadWatchOptions = { reload: () => void; onFailed: (reason: LoadErrorReason) => void };

export const watchLoading = ({ reload, onFailed }: LoadWatchOptions): LoadWatch => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let attempts = 1;
  let isLoaded = false;

  const stop = (): void => clearTimeout(timer);
  const fail = (reason: LoadErrorReason): void => {
    stop();
    onFailed(reason);
  };
  const begin = (): void => {
    stop();
    isLoaded = false;
    timer = setTimeout(() => {
      if (attempts++ < LOAD_ATTEMPTS_MAX) {
        reload();
        begin();
      } else {
        fail(isLoaded ? "not_ready" : "timeout");
      }
    }, LOAD_TIMEOUT_MS);
  };

  return {
    begin,
    stop,
    fail,
    loaded: () => {
      isLoaded = true;
    },
    ready: () => {
      attempts = 1;
      stop();
    },
  };
};
