import type { CheckoutElement } from "@aapd/embed";
import type {} from "@aapd/embed/jsx";
import { AapdCheckout } from "@aapd/react";

export const Page = ({ url }: { url: string }) => (
  <>
    <AapdCheckout url={url} mode="dialog" onComplete={({ kind }) => kind.toUpperCase()} className="checkout" />
    <aapd-checkout url={url} mode="inline" locale="es-CL" id="checkout" />
    {/* @ts-expect-error: there is no such mode */}
    <aapd-checkout url={url} mode="popup" />
    {/* @ts-expect-error: an address is needed */}
    <AapdCheckout mode="inline" />
  </>
);

export const element: CheckoutElement = document.createElement("aapd-checkout");
