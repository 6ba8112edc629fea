import { type Checkout, type CheckoutOptions, mountCheckout } from "@aapd/embed";
import { type JSX, useEffect, useRef } from "react";

export type AapdCheckoutProps = CheckoutOptions & { readonly url: string; readonly className?: string };

/**
 * The checkout as a React component (18 or later). Props may change at any time: callbacks are always the latest, a new
 * `url` loads anew. Give it a `key` where it is to start from nothing, for another order for instance. A kit that does not come
 * is told to `onError` as `{type: "load_error"}`.
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
    let isGone = false;
    if (container.current === null) return;
    mountCheckout(container.current, { ...latest.current, ...(mode === undefined ? {} : { mode }) }).then(
      (mounted) => {
        if (isGone) mounted.destroy();
        else {
          checkout.current = mounted;
          // What has changed while the kit was on its way.
          mounted.update(latest.current);
        }
      },
      () => {
        if (!isGone) latest.current.onError?.({ type: "load_error", reason: "timeout" });
      },
    );
    return () => {
      isGone = true;
      checkout.current?.destroy();
      checkout.current = null;
    };
  }, [mode]);

  return <div ref={container} className={className} />;
}
