import { type CheckoutView, createCheckoutView } from "./checkout-view.ts";
import type { Diagnosis } from "./diagnose.ts";
import { type Inspect, linkToFrame } from "./host-side.ts";
import { watchLoading } from "./load-watch.ts";
import type { PreloadedCheckout } from "./preload-checkout.ts";
import type {
  Appearance,
  Completion,
  FrameError,
  FrameMessage,
  HostGreeting,
  HostMessage,
  LoadErrorReason,
  Locale,
  Step,
} from "./protocol.ts";

/** The checkout did not load, or it showed the patient an error. */
export type CheckoutError = { type: "load_error"; reason: LoadErrorReason } | ({ type: "error" } & FrameError);

export type CheckoutOptions = {
  /** The `url` that `POST /api/spot/widget` returned to your backend, or the result of `preloadCheckout`. */
  url: string | PreloadedCheckout;
  /** `inline` (default): a part of the page, as tall as its content. `dialog`: over the page, from the start. */
  mode?: "inline" | "dialog";
  /** By default, the checkout uses the token's language, and the kit's own texts are in `es-CL`. */
  locale?: Locale;
  appearance?: Appearance;
  /** The first screen is visible. */
  onReady?: () => void;
  onStep?: (step: Step) => void;
  /** Called once per kind. A hint: rely on your webhook and `GET /orders/{hash}`. */
  onComplete?: (completion: Completion) => void;
  onError?: (error: CheckoutError) => void;
  /**
   * The patient wants to leave. A dialog is already closed; for an inline checkout, the page decides whether to call
   * `destroy`.
   */
  onClose?: () => void;
  /** Requests a fresh `url` (same order, same patient) from your backend when the token is about to expire. */
  requestToken?: () => Promise<string>;
  /** Every message between page and frame, and every refused one, for development. */
  inspect?: Inspect;
};

export type Checkout = {
  /**
   * Resolves when the purpose of the link is fulfilled: the payment of its order, otherwise the sign-up. Rejects with
   * an `AbortError` if the checkout is destroyed first.
   */
  readonly completed: Promise<Completion>;
  /** Changes only the given options. A new `url` reloads the checkout. A new `mode` requires a new mount. */
  update: (changes: Partial<CheckoutOptions>) => void;
  /** Removes the checkout. Safe to repeat. */
  destroy: () => void;
};

const checkouts = new WeakMap<Element, MountedCheckout>();

const DARK = "(prefers-color-scheme: dark)";

/** The colour scheme that the page uses at this element. A frame is transparent only if it uses the same one. */
const schemeAt = (element: Element): "light" | "dark" => {
  const { colorScheme } = getComputedStyle(element);
  return colorScheme.includes("dark") && (!colorScheme.includes("light") || matchMedia(DARK).matches)
    ? "dark"
    : "light";
};

/** Names the missing argument to the developer; the guide has an anchor for each. */
const missing = (what: "element" | "url") => new TypeError(`[aapd] no ${what}, see /docs/embedding#${what}`);

/** Thrown when `url` is no web address: nothing else may become the address of a frame or of a link. */
const parseUrl = (url: CheckoutOptions["url"]): URL => {
  if (!/^https?:/.test(url as string)) throw missing("url");
  return new URL(url);
};

const deferCompletion = () => {
  let fulfil!: (completion: Completion) => void;
  let giveUp!: (reason: DOMException) => void;
  const completed = new Promise<Completion>((resolve, reject) => {
    fulfil = resolve;
    giveUp = reject;
  });
  // A page that does not use the promise must not get an unhandled rejection.
  completed.catch(() => undefined);
  return { completed, fulfil, giveUp };
};

const HOST_CLOSING: HostMessage = { type: "host_closing", payload: {} };

/** One mounted checkout, from its first load to `destroy`; in and out of the document as often as the page likes. */
class MountedCheckout implements Checkout {
  declare readonly completed: Promise<Completion>;
  declare readonly mode: "inline" | "dialog";
  readonly #container: HTMLElement;
  readonly #view: CheckoutView;
  readonly #completion = deferCompletion();
  readonly #reported = new Set<string>();
  readonly #link;
  readonly #watch;
  #options: CheckoutOptions;
  #address: URL;
  #listening = new AbortController();
  /** Whether the frame's current document has announced itself. */
  #hasAnnounced = false;
  /** Whether the frame's current document shows its first screen. */
  #isUp = false;
  /** The frame was asked and has not answered yet. */
  #isClosing = false;

  constructor(container: HTMLElement, options: CheckoutOptions) {
    this.#container = container;
    this.#options = options;
    this.#address = parseUrl(options.url);
    this.mode = options.mode ?? "inline";
    this.completed = this.#completion.completed;
    this.#view = createCheckoutView({
      document: container.ownerDocument,
      mode: this.mode,
      locale: this.#locale(),
      url: options.url,
      onAttached: () => this.#attach(),
      onDetached: () => this.#detach(),
      onLoad: () => this.#onLoad(),
      onRetry: () => this.#reload(),
      onClosing: () => this.#close(),
      onDismissed: () => this.#dismiss(),
    });
    this.#link = linkToFrame({
      frame: this.#view.frame,
      origin: () => this.#address.origin,
      greeting: () => this.#greeting(),
      onAnnounced: () => this.#onAnnounced(),
      onMessage: (message) => this.#onMessage(message),
      onOtherVersion: () => this.#watch.fail("version"),
      inspect: (direction, what) => this.#options.inspect?.(direction, what),
    });
    this.#watch = watchLoading({
      reload: () => this.#load(),
      onFailed: (reason) => this.#onFailed(reason),
    });
    this.#view.setLocale(this.#locale());
  }

  /** Puts it into its container; it stays as it is if it is there. */
  place(): void {
    if (this.#view.root.parentNode !== this.#container) this.#container.append(this.#view.root);
  }

  update(changes: Partial<CheckoutOptions>): void {
    const before = this.#options;
    const options = { ...before, ...changes };
    const address = parseUrl(options.url);
    this.#options = options;
    // A page that returned a fresh link from `requestToken` may also set it as `url`. That must not reload the
    // checkout.
    if (options.url !== before.url && address.href !== this.#address.href) {
      this.#address = address;
      this.#reported.clear();
      this.#reload();
    }
    if (options.locale !== before.locale) {
      this.#view.setLocale(this.#locale());
      this.#link.send({ type: "locale", payload: { locale: this.#locale() } });
    }
    if (JSON.stringify(options.appearance) !== JSON.stringify(before.appearance)) this.#sendAppearance();
  }

  destroy(): void {
    if (checkouts.get(this.#container) === this) checkouts.delete(this.#container);
    this.#link.send(HOST_CLOSING);
    this.#view.setModal(false);
    this.#view.root.remove();
    this.#completion.giveUp(new DOMException("Closed.", "AbortError"));
  }

  #locale(): Locale {
    return this.#options.locale ?? "es-CL";
  }

  #appearance(): Appearance {
    const { color_scheme = "auto", ...rest } = this.#options.appearance ?? {};
    const scheme = color_scheme === "auto" ? schemeAt(this.#container) : color_scheme;
    this.#view.setScheme(scheme);
    return { ...rest, color_scheme: scheme };
  }

  #greeting(): HostGreeting {
    const { locale } = this.#options;
    return { mode: this.mode, ...(locale && { locale }), appearance: this.#appearance() };
  }

  #sendAppearance(): void {
    this.#link.send({ type: "appearance", payload: this.#appearance() });
  }

  #load(): void {
    this.#link.close();
    this.#hasAnnounced = false;
    this.#isUp = false;
    this.#view.setState("loading");
    this.#view.load(this.#address.href);
  }

  #reload(): void {
    this.#load();
    if (this.#view.root.isConnected) this.#watch.begin();
  }

  #attach(): void {
    this.#listening = new AbortController();
    const { signal } = this.#listening;
    this.#load();
    this.#view.attach();
    this.#appearance();
    addEventListener("message", this.#link.receive, { signal });
    document.addEventListener("securitypolicyviolation", (violation) => this.#onViolation(violation), { signal });
    matchMedia(DARK).addEventListener("change", () => this.#sendAppearance(), { signal });
    this.#watch.begin();
    this.#explain();
  }

  #detach(): void {
    this.#listening.abort();
    this.#watch.halt();
    this.#view.detach();
    this.#link.close();
  }

  #onLoad(): void {
    this.#watch.loaded();
    if (!this.#hasAnnounced) {
      this.#awaitReady();
      this.#link.hello();
    }
    this.#hasAnnounced = false;
  }

  #onAnnounced(): void {
    this.#hasAnnounced = true;
    this.#view.setModal();
    this.#awaitReady();
  }

  /** A document that replaced a working one has as much time as the first. */
  #awaitReady(): void {
    if (this.#isUp) this.#watch.begin();
    this.#isUp = false;
  }

  #onViolation({ blockedURI, disposition, effectiveDirective }: SecurityPolicyViolationEvent): void {
    const isOurs = `${blockedURI}/`.startsWith(`${this.#address.origin}/`);
    if (isOurs && !this.#isUp && disposition === "enforce" && /^(frame|child|default)-src/.test(effectiveDirective)) {
      this.#watch.fail("csp");
    }
  }

  #onFailed(reason: LoadErrorReason): void {
    this.#view.setState("failed");
    this.#onError({ type: "load_error", reason });
  }

  #onError(error: CheckoutError): void {
    this.#explain(error);
    this.#options.onError?.(error);
  }

  /** Only on a page under development: one that pins the kit by its hash must run no other script. */
  #explain(error?: CheckoutError): void {
    if (/^http:/.test(location.href) || document.querySelector("[data-aapd-debug]"))
      void import(/* @vite-ignore */ `${this.#address.origin}/embed/diagnose.js`).then(
        ({ diagnose }: Diagnosis) => diagnose(this.#view.frame, error),
        () => undefined,
      );
    // biome-ignore lint/suspicious/noConsole: it is written for the developer of the partner's page.
    else if (error?.type === "load_error") console.error(`[aapd] ${error.reason}, see /docs/embedding#debug`);
  }

  #onMessage({ type, payload }: FrameMessage): void {
    this.#isClosing = false;
    if (type === "ready") this.#onReady();
    else if (type === "resize") this.#view.setHeight(payload.height);
    else if (type === "step") this.#options.onStep?.(payload);
    else if (type === "completed") this.#onCompleted(payload);
    else if (type === "error") this.#onError({ type, ...payload });
    else if (type === "request_token") void this.#giveToken();
    else if (type === "open_dialog") this.#view.setModal(true);
    else if (type === "close_dialog") this.#view.setModal();
    else if (type === "close_requested") this.#dismiss();
  }

  /** Also after a failure was shown: on a slow network the frame may load late, and then replaces the message. */
  #onReady(): void {
    this.#isUp = true;
    this.#watch.succeed();
    this.#view.setState("ready");
    if (this.#reported.has("ready")) return;
    this.#reported.add("ready");
    this.#options.onReady?.();
  }

  #onCompleted(completion: Completion): void {
    if (this.#reported.has(completion.kind)) return;
    this.#reported.add(completion.kind);
    if (completion.kind === "payment" || !this.#address.searchParams.has("order_token"))
      this.#completion.fulfil(completion);
    this.#options.onComplete?.(completion);
  }

  async #giveToken(): Promise<void> {
    let widgetToken: string | null = null;
    try {
      const fresh = await this.#options.requestToken?.();
      const address = fresh ? parseUrl(fresh) : undefined;
      if (address?.origin === this.#address.origin) {
        this.#address = address;
        widgetToken = address.searchParams.get("widget_token");
      }
    } catch (error) {
      // The error belongs to the page, so its own error handling gets it. The frame gets no token.
      reportError(error);
    }
    this.#link.send({ type: "token", payload: { widget_token: widgetToken } });
  }

  /**
   * Lets the frame ask first if the patient has typed something. A second press closes a frame that does not answer.
   */
  #close(): void {
    if (this.#isUp && !this.#isClosing) {
      this.#isClosing = true;
      this.#link.send(HOST_CLOSING);
    } else this.#dismiss();
  }

  #dismiss(): void {
    if (this.mode === "dialog") this.destroy();
    this.#options.onClose?.();
  }
}

/**
 * Mounts the checkout in `container`. A second call on the same container updates that checkout, so a page may call it
 * on every render. Throws a `TypeError` without an element or a `url`.
 *
 * @example
 * const checkout = mountCheckout(document.querySelector("#checkout"), { url, requestToken: freshUrl });
 * const { status } = await checkout.completed;
 */
export const mountCheckout = (container: HTMLElement, options: CheckoutOptions): Checkout => {
  if (!container?.append) throw missing("element");
  const mounted = checkouts.get(container);
  if (mounted && mounted.mode === (options.mode ?? "inline")) {
    mounted.update(options);
    mounted.place();
    return mounted;
  }
  mounted?.destroy();
  const checkout = new MountedCheckout(container, options);
  checkouts.set(container, checkout);
  checkout.place();
  return checkout;
};
