import { useCallback, useRef } from "react";
import type { ScreenArrival } from "./screen-title.tsx";

const MOTION_MS = 160;

/** Animates the change to another screen. The first screen is painted at once. */
function moveIn(heading: HTMLElement): void {
  if (window.matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const screen = heading.closest("form") ?? heading.parentElement;
  screen?.animate([{ opacity: 0, transform: "translateY(8px)" }, {}], { duration: MOTION_MS, easing: "ease-out" });
}

/** The heading of each new screen gets the focus. The first screen leaves it where the patient has it. */
export function useArrival(): ScreenArrival {
  const isFirst = useRef(true);
  return useCallback((heading) => {
    if (isFirst.current) isFirst.current = false;
    else {
      heading.focus();
      moveIn(heading);
    }
  }, []);
}
