import type { LoadErrorReason } from "./protocol.ts";

/** How long the checkout may take to show its first screen. Then it is loaded again once, and then given up. */
export const LOAD_TIMEOUT_MS = 10_000;
/** Attempts without an action of the patient: the first load and one retry. */
const LOAD_ATTEMPTS_MAX = 2;

export type LoadWatch = {
  /** Starts waiting for `ready`. */
  begin: () => void;
  /** The iframe's `load` event. From now on, a timeout does not mean that nothing loaded. */
  loaded: () => void;
  /** The checkout is ready. Stops waiting, and gives a later reload all attempts again. */
  ready: () => void;
  /** Gives up at once, if another attempt would change nothing. */
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
