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
  succeed: () => void;
  /** Gives up at once, if another attempt would change nothing. */
  fail: (reason: LoadErrorReason) => void;
  halt: () => void;
};

export type LoadWatchOptions = { reload: () => void; onFailed: (reason: LoadErrorReason) => void };

export const watchLoading = ({ reload, onFailed }: LoadWatchOptions): LoadWatch => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let attempts = 1;
  let isLoaded = false;

  const halt = (): void => clearTimeout(timer);
  const fail = (reason: LoadErrorReason): void => {
    halt();
    onFailed(reason);
  };
  const begin = (): void => {
    halt();
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
    halt,
    fail,
    loaded: () => {
      isLoaded = true;
    },
    succeed: () => {
      attempts = 1;
      halt();
    },
  };
};
