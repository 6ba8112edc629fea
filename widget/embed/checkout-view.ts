import { createFrame } from "./checkout-frame.ts";
import { createCheckoutStyle } from "./checkout-style.ts";
import { WORDS } from "./checkout-words.ts";
import { OPENS_NO_WINDOW } from "./in-app-browser.ts";
import { createLifecycleElement } from "./lifecycle-element.ts";
import type { PreloadedCheckout } from "./preload-checkout.ts";
import type { Locale } from "./protocol.ts";
import { lockScroll } from "./scroll-lock.ts";

export type CheckoutView = {
  readonly root: HTMLElement;
  readonly frame: HTMLIFrameElement;
  /** Loads the address in a fresh document. Reinserts the frame: assigning `src` would add a history entry. */
  load: (url: string) => void;
  setLocale: (locale: Locale) => void;
  setScheme: (scheme: "light" | "dark") => void;
  /** CSS pixels of the inline frame. In a dialog, the frame is as tall as the dialog. */
  setHeight: (height: number) => void;
  /**
   * Shows the same frame as a modal dialog, or inline again, without moving and so without reloading it. Defaults to
   * its mode.
   */
  setModal: (isModal?: boolean) => void;
  /** `failed` replaces the frame with a message and links. The frame keeps loading behind them. */
  setState: (state: "loading" | "ready" | "failed") => void;
  /** Adds the style sheet to the document or shadow root that now contains the checkout. */
  attach: () => void;
  /** Reverts the changes outside of the checkout's own elements. */
  detach: () => void;
};

export type CheckoutViewOptions = {
  document: Document;
  mode: "inline" | "dialog";
  locale: Locale;
  /** A preloaded checkout replaces the first load. */
  url: string | PreloadedCheckout;
  onAttached: () => void;
  onDetached: () => void;
  onLoad: () => void;
  onRetry: () => void;
  /** The patient asks to close the dialog. */
  onClosing: () => void;
  /** The dialog is closed. */
  onDismissed: () => void;
};

/** Creates the message and links that replace the frame while it cannot be loaded. */
const createFailure = (document: Document, locale: Locale, url: string, onRetry: () => void): HTMLElement => {
  const words = WORDS[locale];
  const failure = Object.assign(document.createElement("div"), { className: "aapd-failure", role: "alert" });
  failure.append(
    words.failed,
    Object.assign(document.createElement("button"), { type: "button", textContent: words.retry, onclick: onRetry }),
    Object.assign(document.createElement("a"), {
      href: url,
      // A new window has no opener by default.
      target: OPENS_NO_WINDOW.test(navigator.userAgent) ? "" : "_blank",
      textContent: words.open,
    }),
  );
  return failure;
};

/** Controls the modal state of the dialog around the frame, with scroll lock and focus. */
const createModality = (
  dialog: HTMLDialogElement,
  frame: HTMLIFrameElement,
  { mode, onClosing, onDismissed }: CheckoutViewOptions,
) => {
  let isModal = false;

  const forget = (): void => {
    if (isModal) lockScroll(false);
    isModal = false;
  };
  dialog.oncancel = (event) => {
    event.preventDefault();
    if (mode === "dialog") onClosing();
  };
  // A browser may close a dialog despite `preventDefault`. A frame that was inline before becomes inline again.
  dialog.onclose = () => {
    if (!isModal || dialog.open) return;
    forget();
    if (mode === "dialog") onDismissed();
    else dialog.open = true;
  };
  return {
    forget,
    set: (wanted = mode === "dialog"): void => {
      if (wanted === isModal || !dialog.isConnected) return;
      const hadFocus = frame.matches(":focus");
      forget();
      dialog.close();
      if (wanted) {
        isModal = true;
        lockScroll(true);
        dialog.showModal();
      } else dialog.open = true;
      if (wanted || hadFocus) frame.focus();
    },
  };
};

/** Builds the elements of one checkout, detached. The caller inserts `root`. */
export const createCheckoutView = (options: CheckoutViewOptions): CheckoutView => {
  const { document, mode, url: address, onClosing } = options;
  const root = createLifecycleElement(document);
  const dialog = Object.assign(document.createElement("dialog"), { className: "aapd-dialog" });
  const closeButton = Object.assign(document.createElement("button"), {
    className: "aapd-close",
    type: "button",
    textContent: "×",
    onclick: onClosing,
  });
  const frame = typeof address === "string" ? createFrame(document) : address.frame;
  const style = createCheckoutStyle(root);
  const modality = createModality(dialog, frame, options);
  let locale = options.locale;
  let failure: HTMLElement | undefined;

  root.dataset.mode = mode;
  root.onAttached = options.onAttached;
  root.onDetached = options.onDetached;
  frame.onload = options.onLoad;
  dialog.append(closeButton);
  root.append(dialog);

  return {
    root,
    frame,
    load: (url) => {
      if (typeof address !== "string" && address.takeTo(dialog)) return;
      frame.remove();
      frame.src = url;
      closeButton.after(frame);
    },
    setLocale: (newLocale) => {
      locale = newLocale;
      const { title, close } = WORDS[locale];
      frame.title = title;
      dialog.ariaLabel = title;
      closeButton.ariaLabel = close;
    },
    setScheme: style.setScheme,
    setHeight: style.setHeight,
    setModal: modality.set,
    setState: (state) => {
      dialog.dataset.state = state;
      dialog.ariaBusy = `${state === "loading"}`;
      failure?.remove();
      if (state === "failed") {
        failure = createFailure(document, locale, frame.src, options.onRetry);
        dialog.append(failure);
      }
    },
    attach: () => {
      style.attach();
      dialog.open = mode === "inline";
      modality.set();
    },
    detach: () => {
      style.detach();
      modality.forget();
      // In a document it would reload by itself, with a token that may have been replaced.
      frame.remove();
    },
  };
};
