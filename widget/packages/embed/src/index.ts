import type { CheckoutElement } from "../../../embed/checkout-element.ts";
import type { Checkout, CheckoutOptions } from "../../../embed/mount-checkout.ts";
import { type Kit, loadKit } from "./load-kit.ts";
import { released } from "./released.ts";

/*
 * What partners' pages import. The kit itself is loaded from the widget host, as it was released and by its hash: this package
 * holds no copy of it.
 */

// biome-ignore-start lint/performance/noBarrelFile: this is the public entry of the package, not a shortcut inside it.
export type { CheckoutElement, CheckoutElementEvents } from "../../../embed/checkout-element.ts";
export type { Checkout, CheckoutError, CheckoutOptions } from "../../../embed/mount-checkout.ts";
export type {
  Appearance,
  Completion,
  FrameError,
  LoadErrorReason,
  Locale,
  Step,
} from "../../../embed/protocol.ts";
export { type Kit, KitNotLoaded } from "./load-kit.ts";
// biome-ignore-end lint/performance/noBarrelFile: this is the public entry of the package, not a shortcut inside it.

/** The attributes of `<aapd-checkout>`; what is no text is set as a property of `CheckoutElement`. */
export interface CheckoutAttributes {
  url?: string;
  mode?: "inline" | "dialog";
  locale?: "es-CL" | "en";
}

/** The version of the kit that is loaded. */
export const KIT_VERSION = released.version;

/**
 * Loads the kit, which also defines `<aapd-checkout>`. `widgetHost` is the address of the widget host, as in the `url` of a checkout.
 * Rejects with `KitNotLoaded`.
 */
export function loadCheckoutKit(widgetHost: string): Promise<Kit> {
  return loadKit(widgetHost, released);
}

/** Loads the kit from the host of the checkout's address and mounts it. `options.url` is what your back end was answered. */
export async function mountCheckout(
  container: HTMLElement,
  options: CheckoutOptions & { readonly url: string },
): Promise<Checkout> {
  const kit = await loadCheckoutKit(new URL(options.url).origin);
  return kit.mountCheckout(container, options);
}

declare global {
  interface HTMLElementTagNameMap {
    "aapd-checkout": CheckoutElement;
  }
}
