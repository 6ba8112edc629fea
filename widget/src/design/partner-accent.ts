import { type RefObject, useLayoutEffect } from "react";
import { isReadableAccent } from "../../embed/accent.ts";

const useBeforePaint = typeof window === "undefined" ? () => undefined : useLayoutEffect;

/**
 * Puts the partner's colour on the frame, by script since the page's policy knows no style attributes: the first of
 * `accents` that can be read, or none.
 */
export function usePartnerAccent(
  frame: RefObject<HTMLElement | null>,
  ...accents: readonly (string | undefined)[]
): void {
  const accent = accents.find(isReadableAccent);
  useBeforePaint(() => {
    if (accent !== undefined) frame.current?.style.setProperty("--partner-accent", accent);
    else frame.current?.style.removeProperty("--partner-accent");
  }, [frame, accent]);
}
