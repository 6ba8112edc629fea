import type { CheckoutElement } from "../../../embed/checkout-element.ts";
import type { Checkout, CheckoutOptions } from "../../../embed/mount-checkout.ts";
import { type Kit, loadKit } from "./load-kit.ts";
import { released } from "./released.ts";

/*
 * Entry point for partners. The package loads a released kit from the widget host, pinned by its hash, and contains no
 * copy of it.
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

/** The attributes of `<aapd-checkout>`. Non-text values are properties of `CheckoutElement`. */
export interface CheckoutAttributes {
  url?: string;
  mode?: "inline" | "dialog";
  locale?: "es-CL" | "en";
}

/** The version of the kit that is loaded. */
export const KIT_VERSION = released.version;

/**
 * Loads the kit, which also defines `<aapd-checkout>`. `widgetHost` is the address of the widget host, as in the `url`
 * of a checkout. Rejects with `KitNotLoaded`.
 *
 * @example
 * await loadCheckoutKit("https://widget.example"); // then <aapd-checkout> works
 */
export function loadCheckoutKit(widgetHost: string): Promise<Kit> {
  return loadKit(widgetHost, released);
}

export type MountOptions = CheckoutOptions & {
  /** The `url` that your back end received. */
  readonly url: string;
  /** Removes the checkout when the signal aborts. Before the kit has loaded, this cancels the mount. */
  readonly signal?: AbortSignal;
};

/** The latest mount of each container. */
const mounts = new WeakMap<Element, Promise<Checkout>>();

/**
 * Loads the kit from the host of `url` and mounts the checkout. A second call on the same container updates it.
 *
 * Of several calls before the kit has loaded, the last one counts. The earlier ones resolve to its checkout, but their
 * `destroy` does nothing, because an effect that React runs twice must not remove the second mount.
 *
 * Rejects with `KitNotLoaded`, with the `signal`'s reason, or with a `TypeError` for an invalid `url` or `container`.
 *
 * @example
 * const checkout = await mountCheckout(document.querySelector("#checkout"), { url });
 * const { status } = await checkout.completed;
 */
export function mountCheckout(container: HTMLElement, options: MountOptions): Promise<Checkout> {
  const mounting: Promise<Checkout> = mount(container, options, () => {
    const latest = mounts.get(container);
    return latest === mounting ? undefined : latest;
  });
  if (isElement(container)) mounts.set(container, mounting);
  return mounting;
}

async function mount(
  container: HTMLElement,
  { signal, ...options }: MountOptions,
  overtakenBy: () => Promise<Checkout> | undefined,
): Promise<Checkout> {
  const kit = await loadCheckoutKit(widgetHostOf(container, options.url));
  signal?.throwIfAborted();
  const overtaking = overtakenBy();
  if (overtaking !== undefined) return withoutDestroy(await overtaking);
  const checkout = kit.mountCheckout(container, options);
  signal?.addEventListener("abort", () => overtakenBy() === undefined && checkout.destroy());
  return checkout;
}

function withoutDestroy(checkout: Checkout): Checkout {
  return {
    completed: checkout.completed,
    update: (changes) => checkout.update(changes),
    destroy: () => undefined,
  };
}

function widgetHostOf(container: unknown, url: unknown): string {
  if (!isElement(container)) throw misused(`an element, not ${String(container)}`, "element");
  try {
    return new URL(String(url)).origin;
  } catch (cause) {
    throw misused(`the url that POST /api/spot/widget answered, not ${JSON.stringify(url)}`, "url", cause);
  }
}

/** In the form of the kit's own messages. */
function misused(needed: string, anchor: "element" | "url", cause?: unknown): TypeError {
  return new TypeError(`[aapd] mountCheckout needs ${needed}, see /docs/embedding#${anchor}`, { cause });
}

/** Also for an element of another window, of which this one's `Element` is not the class. */
function isElement(value: unknown): value is Element {
  return typeof value === "object" && value !== null && "nodeType" in value && value.nodeType === 1;
}

declare global {
  interface HTMLElementTagNameMap {
    "aapd-checkout": CheckoutElement;
  }
}
