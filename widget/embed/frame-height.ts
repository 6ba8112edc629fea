/** A height that shrinks by at most this much is ignored, so that rounding never makes the page jitter. */
const HYSTERESIS_PX = 1;

export type HeightReport = {
  /**
   * The one wrapper of all content. Its height must not depend on the viewport's (no `vh`), or it would grow without
   * end.
   */
  element: Element;
  /** Whole CSS pixels. */
  onHeight: (height: number) => void;
};

/**
 * Reports the wrapper's height, at most once per animation frame, for the checkout's `resize` message. The returned
 * function stops it.
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
