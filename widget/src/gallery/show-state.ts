import type { GalleryAct, GalleryState } from "./gallery-state.ts";

/** Waits for the screen, types the state's input, and submits the form if faults are to be shown. */
export async function showState(element: HTMLElement, state: GalleryState): Promise<void> {
  await appearance(element, "h1");
  for (const [id, text] of Object.entries(state.typed ?? {})) type(element, id, text);
  if (state.isSent === true) {
    element.querySelector("form")?.requestSubmit();
    await appearance(element, "[role=alert]");
  }
  for (const act of state.acts ?? []) await perform(element, act);
  if (state.shows !== undefined) await appearance(element, state.shows);
}

async function perform(element: HTMLElement, act: GalleryAct): Promise<void> {
  if ("press" in act) (await appearance(element, act.press)).click();
  else {
    const field = await appearance(element, act.type);
    type(element, field.id, act.text);
  }
}

/** Acts like a person: types a text into a field and leaves it. */
function type(element: HTMLElement, id: string, text: string): void {
  const field = element.querySelector(`#${CSS.escape(id)}`);
  if (!(field instanceof HTMLInputElement || field instanceof HTMLSelectElement)) return;
  // React listens to the browser's own setter, which an assignment to `value` bypasses.
  const prototype = field instanceof HTMLInputElement ? HTMLInputElement.prototype : HTMLSelectElement.prototype;
  Object.getOwnPropertyDescriptor(prototype, "value")?.set?.call(field, text);
  field.dispatchEvent(new Event("input", { bubbles: true }));
  field.dispatchEvent(new Event("change", { bubbles: true }));
  field.dispatchEvent(new FocusEvent("focusout", { bubbles: true }));
}

function appearance(element: HTMLElement, selector: string): Promise<HTMLElement> {
  return new Promise((resolve) => {
    const there = element.querySelector<HTMLElement>(selector);
    if (there !== null) return resolve(there);
    const observer = new MutationObserver(() => {
      const now = element.querySelector<HTMLElement>(selector);
      if (now === null) return;
      observer.disconnect();
      resolve(now);
    });
    observer.observe(element, { childList: true, subtree: true, attributes: true });
  });
}
