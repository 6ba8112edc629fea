declare global {
  interface Window {
    /** Set by the page's inline script (index.html): the last button that was pressed before the scripts loaded. */
    aapdPress?: { button?: HTMLElement | null };
  }
}

/**
 * Takes the press that happened before the scripts loaded; null if there was none. From here on React handles presses
 * and the inline script records none, so that nothing is done twice.
 */
export function takePressBeforeScripts(window: Pick<Window, "aapdPress">): HTMLElement | null {
  const button = window.aapdPress?.button ?? null;
  delete window.aapdPress;
  return button;
}
