/** A height that shrinks by no more than this is left alone, so that rounding never makes the page tremble. */
const HYSTERESIS_PX = 1;

export type HeightReport = {
  /** The one wrapper of all content. Its height must not depend on the viewport's (no `vh`), or it grows for ever. */
  element: Element;
  /** CSS pixels, whole. */
  onHeight: (height: number) => void;
};

/**
 * Reports the wrapper's height, at most once per frame, for the `resize` message; for the checkout inside the iframe.
 * The returned function ends it.
 */
export const reportHeight = ({ element, onHeight }: HeightReport): (() => void) => {
  let reported = -1;
  let scheduled: number | undefined;

  const report = (): void => {
    scheduled = undefined;
    const height = Math.ceil(element.getBoundingClientRect().height);
    if (height <= reported && height >= reported - HYSTERESIS_PX) return;
    reported = height;
    onHeight(height);
  };
  const observer = new ResizeObserver(() => {
    scheduled ??= requestAnimationFrame(report);
  });
  observer.observe(element);

  return () => {
    observer.disconnect();
    if (scheduled !== undefined) cancelAnimationFrame(scheduled);
  };
};
