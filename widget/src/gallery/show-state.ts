import type { GalleryState } from "./states.ts";

/** Waits until the screen is there, types what the state says, and sends the form where faults are to be shown. */
export async function showState(element: HTMLElement, state: GalleryState): Promise<void> {
  await appearance(element, "h1");
  for (const [id, text] of Object.entries(state.typed ?? {})) type(element, id, text);
  if (state.isSent !== true) return;
  element.querySelector("form")?.requestSubmit();
  await appearance(element, "[role=alert]");
}

/** What a person does: puts a text into a field, and leaves it. */
function type(element: HTMLElement, id: string, text: string): void {
  const field = element.querySelector(`#${CSS.escape(id)}`);
  if (!(field instanceof HTMLInputElement || field instanceof HTMLSelectElement)) return;
  // React listens to what the browser's own setter does; assigning to `value` would go past it.
  const prototype = field instanceof HTMLInputElement ? HTMLInputElement.prototype : HTMLSelectElement.prototype;
  Object.getOwnPropertyDescriptor(prototype, "value")?.set?.call(field, text);
  field.dispatchEvent(new Event("input", { bubbles: true }));
  field.dispatchEvent(new Event("change", { bubbles: true }));
  field.dispatchEvent(new FocusEvent("focusout", { bubbles: true }));
}

function appearance(element: HTMLElement, selector: string): Promise<void> {
  return new Promise((resolve) => {
    if (element.querySelector(selector) !== null) return resolve();
    const observer = new MutationObserver(() => {
      if (element.querySelector(selector) === null) return;
      observer.disconnect();
      resolve();
    });
    observer.observe(element, { childList: true, subtree: true });
  });
}
