/** The amount of text that a patient sees on one screen. */
export interface Reading {
  readonly words: number;
  /** The words with every fold open, except the operator's documents themselves. */
  readonly wordsInAll: number;
  /** The height of the page, in screens of this height. */
  readonly screens: number;
}

/**
 * Counts the text that a patient can read; opens every fold and closes it again. Runs in the page, so it may only refer
 * to itself.
 */
export function readScreen(root: Element, screenHeight: number): Reading {
  // Text only for screen readers is one pixel large.
  const isRead = (element: Element): boolean => {
    const { width, height } = element.getBoundingClientRect();
    return element.checkVisibility({ visibilityProperty: true }) && width > 1 && height > 1;
  };
  const count = (): number => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    let words = 0;
    for (let node = walker.nextNode(); node instanceof Text; node = walker.nextNode()) {
      const parent = node.parentElement;
      if (parent === null || parent.closest("script, style, noscript") !== null) continue;
      // Only the chosen option of a list is visible.
      const isShown = parent instanceof HTMLOptionElement ? parent.selected : isRead(parent);
      if (!isShown) continue;
      words += node.data.split(/[\s\u00a0]+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
    }
    return words;
  };
  const { scrollHeight } = root;
  const words = count();
  const folds = [...root.querySelectorAll("details")].filter(({ open }) => !open);
  for (const fold of folds) fold.open = true;
  const wordsInAll = count();
  for (const fold of folds) fold.open = false;
  return { words, wordsInAll, screens: scrollHeight / screenHeight };
}
