declare global {
  interface Window {
    /**
     * What the page's own inline script (index.html) keeps: the button that was pressed last before the scripts came.
     */
    aapdPress?: { button?: HTMLElement | null };
  }
}

/**
 * Takes the press that came before the scripts; null where there was none. From here on React handles presses, and the
 * inline script keeps no more of them, so that nothing is done twice.
 */
export function takePressBeforeScripts(window: Pick<Window, "aapdPress">): HTMLElement | null {
  const button = window.aapdPress?.button ?? null;
  delete window.aapdPress;
  return button;
}
