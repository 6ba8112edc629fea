import { type RefObject, useLayoutEffect } from "react";
import { isReadableAccent, liftAccent } from "../../embed/accent.ts";

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
    const style = frame.current?.style;
    // An empty value removes the property.
    style?.setProperty("--partner-accent", accent ?? "");
    style?.setProperty("--partner-accent-dark", accent === undefined ? "" : liftAccent(accent));
  }, [frame, accent]);
}
