import { type Checkout, type CheckoutError, type CheckoutOptions, mountCheckout } from "./mount-checkout.ts";
import { type Appearance, type Completion, isLocale, type Step } from "./protocol.ts";

const CHECKOUT_TAG = "aapd-checkout";

/** The events of `<aapd-checkout>`. They bubble and cross shadow roots. */
export type CheckoutElementEvents = {
  "aapd-ready": CustomEvent<null>;
  "aapd-step": CustomEvent<Step>;
  "aapd-complete": CustomEvent<Completion>;
  "aapd-error": CustomEvent<CheckoutError>;
  "aapd-close": CustomEvent<null>;
};

/** `<aapd-checkout url="…" mode="inline|dialog" locale="es-CL|en">`; non-text values are properties. */
export type CheckoutElement = HTMLElement & {
  /** The mounted checkout; undefined until `url` is set. */
  checkout: Checkout | undefined;
  /** Read when `url` is set; later changes go through `checkout.update`. */
  appearance: Appearance | undefined;
  requestToken: CheckoutOptions["requestToken"];
};

declare global {
  interface HTMLElementTagNameMap {
    "aapd-checkout": CheckoutElement;
  }
  interface HTMLElementEventMap extends CheckoutElementEvents {}
}

/** Without a DOM (server rendering), importing the kit does nothing. */
const BaseElement: typeof HTMLElement = globalThis.HTMLElement ?? class {};

class AapdCheckoutElement extends BaseElement implements CheckoutElement {
  static readonly observedAttributes = ["url", "mode", "locale"];
  declare checkout: Checkout | undefined;
  declare appearance: Appearance | undefined;
  declare requestToken: CheckoutOptions["requestToken"];

  connectedCallback(): void {
    this.#mount();
  }

  attributeChangedCallback(): void {
    if (this.isConnected) this.#mount();
  }

  #mount(): void {
    const url = this.getAttribute("url");
    if (!url) return;
    const locale = this.getAttribute("locale");
    this.checkout = mountCheckout(this, {
      url,
      mode: this.getAttribute("mode") === "dialog" ? "dialog" : "inline",
      // By default, the language that the token was minted for.
      locale: isLocale(locale) ? locale : undefined,
      appearance: this.appearance,
      onReady: this.#teller("ready"),
      onStep: this.#teller("step"),
      onComplete: this.#teller("complete"),
      onError: this.#teller("error"),
      onClose: this.#teller("close"),
      // The kit takes nothing for an answer, where the page has set no function.
      requestToken: () => this.requestToken?.() as Promise<string>,
    });
  }

  #teller(name: string): (detail?: unknown) => void {
    return (detail) => this.dispatchEvent(new CustomEvent(`aapd-${name}`, { detail, bubbles: true, composed: true }));
  }
}

// On the prototype: frameworks detect a property, and values set before this script loaded stay.
Object.assign(AapdCheckoutElement.prototype, { appearance: undefined, requestToken: undefined });

/** Defines `<aapd-checkout>`, unless there is no DOM or it is already defined. */
export const defineCheckoutElement = (): void => {
  if (globalThis.customElements && !customElements.get(CHECKOUT_TAG)) {
    customElements.define(CHECKOUT_TAG, AapdCheckoutElement);
  }
};
