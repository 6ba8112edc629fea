/** Locks or unlocks scrolling of the page behind a dialog. */
export const lockScroll = (isLocked: boolean): void => {
  const { classList, clientWidth } = document.documentElement;
  // If a scroll bar takes space, the space is kept, so that the page behind does not shift sideways.
  const hasScrollBar = innerWidth > clientWidth;
  classList.toggle("aapd-gutter", isLocked && hasScrollBar);
  classList.toggle("aapd-locked", isLocked);
};
