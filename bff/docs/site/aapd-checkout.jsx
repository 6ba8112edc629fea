import { useEffect, useRef } from "react";

const loadKit = () => import(/* webpackIgnore: true */ /* @vite-ignore */ "https://WIDGET_HOST/embed/v1.js");

/** Takes the options of mountCheckout as props. Give it another `key` for another order. */
export function AapdCheckout({ className, ...options }) {
  const container = useRef(null);
  const checkout = useRef(null);
  const latest = useRef(options);
  const { mode } = options;

  useEffect(() => {
    latest.current = options;
    checkout.current?.update(options);
  });

  useEffect(() => {
    let isGone = false;
    const mount = ({ mountCheckout }) => {
      if (!isGone) checkout.current = mountCheckout(container.current, { ...latest.current, mode });
    };
    const fail = () => {
      if (!isGone) latest.current.onError?.({ type: "load_error", reason: "timeout" });
    };
    loadKit().then(mount, fail);
    return () => {
      isGone = true;
      checkout.current?.destroy();
      checkout.current = null;
    };
  }, [mode]);

  return <div ref={container} className={className} />;
}
