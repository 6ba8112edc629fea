import { useCallback, useRef } from "react";
import type { ScreenArrival } from "./screen-title.tsx";

/** The heading of each new screen gets the focus; the first one leaves it where the patient has it. */
export function useArrival(): ScreenArrival {
  const isFirst = useRef(true);
  return useCallback((heading) => {
    if (isFirst.current) isFirst.current = false;
    else heading.focus();
  }, []);
}
