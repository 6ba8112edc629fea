/** Locks or unlocks scrolling of the page behind a dialog. */
export const lockScroll = (isLocked: boolean): void => {
  const { classList, clientWidth } = document.documentElement;
  // Where a scroll bar takes room, the room is kept, so that the page behind does not move sideways.
  const hasScrollBar = innerWidth > clientWidth;
  classList.toggle("aapd-gutter", isLocked && hasScrollBar);
  classList.toggle("aapd-locked", isLocked);
};
