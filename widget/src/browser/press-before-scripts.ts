declare global {
  interface Window {
    /**
     * Set by the page's inline script (index.html): the buttons that were last pressed before the scripts loaded, to
     * switch the language and to do anything else.
     */
    aapdPress?: { language?: HTMLElement; button?: HTMLElement };
  }
}

/**
 * Takes the presses that happened before the scripts loaded. From here on React handles presses and the inline script
 * records none, so that nothing is done twice.
 */
export function takePressesBeforeScripts(window: Pick<Window, "aapdPress">): readonly HTMLElement[] {
  const { language, button } = window.aapdPress ?? {};
  delete window.aapdPress;
  return [language, button].filter((pressed) => pressed !== undefined);
}
