"use client";

import { type Checkout, type CheckoutOptions, KitNotLoaded, mountCheckout } from "@aapd/embed";
import { type JSX, useEffect, useRef } from "react";

export type AapdCheckoutProps = CheckoutOptions & { readonly url: string; readonly className?: string };

/**
 * The checkout as a React component (18 or later). Props may change at any time: the latest callbacks are called, and a
 * new `url` loads the checkout again. Use another `key` for another order. If the kit does not load, `onError` gets
 * `{type: "load_error", reason}` and the console explains it.
 *
 * @example
 * <AapdCheckout url={url} requestToken={freshUrl} onComplete={showThanks} key={order} />
 */
export function AapdCheckout({ className, ...options }: AapdCheckoutProps): JSX.Element {
  const container = useRef<HTMLDivElement>(null);
  const checkout = useRef<Checkout | null>(null);
  const latest = useRef(options);
  const { mode } = options;

  useEffect(() => {
    latest.current = options;
    checkout.current?.update(options);
  });

  useEffect(() => {
    if (container.current === null) return;
    const unmounting = new AbortController();
    const { signal } = unmounting;
    mountCheckout(container.current, { ...latest.current, ...(mode === undefined ? {} : { mode }), signal }).then(
      (mounted) => {
        if (signal.aborted) return;
        checkout.current = mounted;
        // Props may have changed while the kit was loading.
        mounted.update(latest.current);
      },
      (error: unknown) => {
        if (!signal.aborted) explain(error, latest.current);
      },
    );
    return () => {
      unmounting.abort();
      checkout.current = null;
    };
  }, [mode]);

  return <div ref={container} className={className} />;
}

/** Without the kit the patient sees nothing, so the developer gets a console error, and `onError` on a failed load. */
function explain(error: unknown, { onError }: Pick<AapdCheckoutProps, "onError">): void {
  // biome-ignore lint/suspicious/noConsole: it is written for the developer of the partner's page.
  console.error(error instanceof Error ? error.message : error);
  if (error instanceof KitNotLoaded) onError?.({ type: "load_error", reason: error.reason });
}
