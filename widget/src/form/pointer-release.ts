let isDown = false;

/** Tracks whether a mouse button or finger is down. The returned function stops it. */
export function followPointer(): () => void {
  const down = (): void => {
    isDown = true;
  };
  const up = (): void => {
    isDown = false;
  };
  const options = { capture: true, passive: true };
  window.addEventListener("pointerdown", down, options);
  window.addEventListener("pointerup", up, options);
  window.addEventListener("pointercancel", up, options);
  return () => {
    isDown = false;
    window.removeEventListener("pointerdown", down, options);
    window.removeEventListener("pointerup", up, options);
    window.removeEventListener("pointercancel", up, options);
  };
}

/**
 * Resolves when nothing is pressed. A message that appeared between press and release would move the button, and the
 * press would be lost.
 */
export function pointerReleased(): Promise<void> {
  if (!isDown) return Promise.resolve();
  return new Promise((resolve) => {
    function end(): void {
      window.removeEventListener("pointerup", end, true);
      window.removeEventListener("pointercancel", end, true);
      // The click follows the release in a separate task.
      setTimeout(resolve, 0);
    }
    window.addEventListener("pointerup", end, true);
    window.addEventListener("pointercancel", end, true);
  });
}
