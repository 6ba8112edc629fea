import { useEffect, useRef } from "react";
import { type Checkout, type CheckoutOptions, mountCheckout } from "./index.ts";

export type AapdCheckoutProps = CheckoutOptions & { className?: string };

/**
 * The checkout as a React component (18 or later). Props may change at any time: callbacks are always the latest, a new
 * `url` loads anew. Give it a `key` where it is to start from nothing, for another order for instance.
 */
export const AapdCheckout = ({ className, ...options }: AapdCheckoutProps) => {
  const container = useRef<HTMLDivElement>(null);
  const checkout = useRef<Checkout | undefined>(undefined);
  const latest = useRef(options);
  const { mode } = options;

  useEffect(() => {
    latest.current = options;
    checkout.current?.update(options);
  });

  useEffect(() => {
    if (!container.current) return;
    const mounted = mountCheckout(container.current, { ...latest.current, mode });
    checkout.current = mounted;
    return () => {
      checkout.current = undefined;
      mounted.destroy();
    };
  }, [mode]);

  return <div ref={container} className={className} />;
};
