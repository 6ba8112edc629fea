/** Keeps the page behind a dialog from scrolling, or lets it go. */
export const lockScroll = ({ documentElement, defaultView }: Document, isLocked: boolean): void => {
  // Where a scroll bar takes room, the room is kept, so that the page behind does not move sideways.
  const hasScrollBar = (defaultView?.innerWidth ?? 0) > documentElement.clientWidth;
  documentElement.classList.toggle("aapd-gutter", isLocked && hasScrollBar);
  documentElement.classList.toggle("aapd-locked", isLocked);
};
