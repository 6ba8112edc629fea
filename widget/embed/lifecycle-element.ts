/*
 * The element that contains the checkout and reports when it enters and leaves a document. The platform's callbacks
 * cost a page nothing, unlike a mutation observer. The number in the name is the version of this contract: two
 * versions of the kit may share a page.
 */
const LIFECYCLE_TAG = "aapd-root-1";

export type LifecycleElement = HTMLElement & { onAttached?: () => void; onDetached?: () => void };

declare global {
  interface HTMLElementTagNameMap {
    "aapd-root-1": LifecycleElement;
  }
}

/** Without a DOM (server rendering), importing the kit must work, and defines nothing. */
export const createLifecycleElement = (document: Document): LifecycleElement => {
  if (!customElements.get(LIFECYCLE_TAG)) {
    customElements.define(
      LIFECYCLE_TAG,
      class extends HTMLElement {
        declare onAttached?: () => void;
        declare onDetached?: () => void;
        connectedCallback(): void {
          this.onAttached?.();
        }
        disconnectedCallback(): void {
          this.onDetached?.();
        }
        connectedMoveCallback(): void {
          // `moveBefore` keeps the frame alive, so there is nothing to start or stop.
        }
      },
    );
  }
  return document.createElement(LIFECYCLE_TAG);
};
