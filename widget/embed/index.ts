import { defineCheckoutElement } from "./checkout-element.ts";

/*
 * Entry point for partners: the ES module `/embed/v1.js`, and the global `Aapd` of `/embed/v1.classic.js`.
 * Importing it defines `<aapd-checkout>`.
 */
export type { CheckoutElement, CheckoutElementEvents } from "./checkout-element.ts";
export type { Inspect } from "./host-side.ts";
// biome-ignore lint/performance/noBarrelFile: this is the public entry of the kit, not a shortcut inside it.
export { type Checkout, type CheckoutError, type CheckoutOptions, mountCheckout } from "./mount-checkout.ts";
export type { Appearance, Completion, FrameError, LoadErrorReason, Locale, Step } from "./protocol.ts";

defineCheckoutElement();
