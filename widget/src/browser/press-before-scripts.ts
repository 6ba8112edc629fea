declare global {
  interface Window {
    /** What the page's own inline script (index.html) keeps: the button that was pressed last before the scripts came. */
    aapdPress?: { button?: HTMLElement | null };
  }
}

/**
 * Takes the press that came before anybody could act on it; `null` where none did. From here on presses are React's: what is
 * pressed later is not kept, so that nothing is done twice.
 */
export function takePressBeforeScripts(window: Pick<Window, "aapdPress">): HTMLElement | null {
  const button = window.aapdPress?.button ?? null;
  delete window.aapdPress;
  return button;
}
