export interface GatheredSignals {
  signal(): void;
  /** Settles when what has been signalled, or will be, is passed on next. */
  next(): Promise<void>;
}

export interface GatherSignalsOptions {
  readonly milliseconds: number;
  /** Whether signals are gathered for so long at all; else only those of one turn of the event loop are. */
  readonly isWorthwhile: () => boolean;
  readonly listener: () => void;
}

/** Gathers signals that come within a few milliseconds into one, for a listener and for whoever waits for the next. */
export function gatherSignals({ milliseconds, isWorthwhile, listener }: GatherSignalsOptions): GatheredSignals {
  let isSignalled = false;
  let next = deferred();
  const passOn = () => {
    isSignalled = false;
    const passed = next;
    next = deferred();
    listener();
    passed.resolve();
  };
  return {
    signal() {
      if (isSignalled) return;
      isSignalled = true;
      if (isWorthwhile()) setTimeout(passOn, milliseconds);
      else setImmediate(passOn);
    },
    next: () => next.promise,
  };
}

function deferred(): { readonly promise: Promise<void>; resolve(): void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve: () => resolve() };
}
