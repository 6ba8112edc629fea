export interface GatheredSignals {
  signal(): void;
  /** Resolves at the next call of `listener`. */
  next(): Promise<void>;
}

export interface GatherSignalsOptions {
  readonly milliseconds: number;
  /** Whether to gather for `milliseconds`. Otherwise only signals of one turn of the event loop are gathered. */
  readonly isWorthwhile: () => boolean;
  readonly listener: () => void;
}

/** Combines signals that come within a few milliseconds into one call of `listener`. */
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
