import { AapdCheckout } from "@aapd/react";

const freshUrl = async () => (await (await fetch("/checkout", { method: "POST" })).json()).url;

/** `order` is your own id of the sale: another one starts another checkout. `url` is what your backend was answered. */
export function PayLater({ order, url, onError }) {
  return (
    <AapdCheckout
      key={order}
      url={url}
      requestToken={freshUrl}
      onComplete={() => location.assign("/gracias")}
      onError={onError}
    />
  );
}
